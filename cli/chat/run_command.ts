/**
 * Finds the command in what was typed, and runs it. Only what a person or a driving program sent is ever looked at; what a model wrote is not.
 */
import { describeFailure } from "../failure.ts";
import { failureWithoutSecrets } from "../failure_without_secrets.ts";
import { suggest } from "../suggest.ts";
import { terminalSize } from "../terminal_size.ts";
import { wrapWords } from "../wrap_text.ts";
import { type Chat, chatError, takesNothing } from "./chat_command.ts";
import { CHAT_COMMANDS, OTHER_NAMES } from "./command_table.ts";

/** A command and what follows it. */
export interface TypedCommand {
  /** The name, with the slash, in small letters. */
  readonly name: string;
  /** The rest of the line. */
  readonly rest: string;
}

/**
 * The command in a message; `undefined` where it is none: only one line that begins with a slash and a word of letters alone is, so that paths and pasted texts
 * are messages. A blank in front makes anything one.
 */
export function commandIn(message: string): TypedCommand | undefined {
  const [, name, rest = ""] = /^(\/[a-z]+)(?:[ \t]+([^\n]*))?$/i.exec(message.trimEnd()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), rest: rest.trim() };
}

/** Runs a command. What it cannot do is told on one line. */
export async function runChatCommand(
  chat: Chat,
  { name, rest }: TypedCommand,
): Promise<void | "end"> {
  try {
    if (name === "/help") {
      takesNothing(name, rest);
      return chat.say(helpText());
    }
    const command = [...CHAT_COMMANDS, ...OTHER_NAMES].find((one) => one.name === name);
    if (command === undefined) throw chatError(unknownText(name));
    return await command.run(chat, rest);
  } catch (error) {
    const { context, conversation } = chat;
    if (context.interrupt.received !== undefined) return chat.say("Stopped.");
    chat.say(failureWithoutSecrets(describeFailure(error), conversation.options).message, "error");
  }
}

function unknownText(name: string): string {
  const meant = suggest(name, ["/help", ...CHAT_COMMANDS.map((one) => one.name)]);
  return `There is no ${name}${
    meant === undefined ? "." : `; did you mean ${meant}?`
  } /help lists the commands; a blank in front sends it as a message.`;
}

function helpText(): string {
  const { columns } = terminalSize();
  const help = { name: "/help", usage: "", summary: "this" };
  const lines = [...CHAT_COMMANDS, help].map(({ name, usage, summary }) =>
    `  ${`${name} ${usage}`.padEnd(INDENT.length - 2)}${summary}`
  );
  return [
    ...lines.flatMap((line) => wrapWords(line, columns - 1, INDENT)),
    "Of what is typed, everything else is a message; with a blank in front, anything is. " +
    "Alt-Enter, or a \\ at the end of a line, begins a new line; lines that are pasted are one message.",
  ].join("\n");
}

const INDENT = " ".repeat(20);
