/**
 * What a command of a chat is given. What it throws is told on one line, and the chat goes on.
 */
import type { CommandContext } from "../command.ts";
import type { Conversation } from "../conversation.ts";
import { CliError } from "../failure.ts";
import type { Tone } from "../status.ts";

/** A chat, as its commands see it. */
export interface Chat {
  /** What the command line said, stdout, stderr, signals. */
  readonly context: CommandContext;
  /** The conversation. */
  readonly conversation: Conversation;
  /** A person types, so that a line is theirs and nobody else's. */
  readonly atTerminal: boolean;
  /** Tells what was asked for, on stderr: stdout is for answers alone. Lines are broken for the terminal. */
  say(text: string, tone?: Tone): void;
  /** Lets the messages of the session be called up again. */
  recall(): Promise<void>;
  /** Ids of the sessions that were listed last, in their order. */
  listed: readonly string[];
}

/** One command of a chat. */
export interface ChatCommand {
  /** Its name, with the slash. */
  readonly name: string;
  /** What may follow. */
  readonly usage: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Runs it with what follows its name. `end` ends the chat. */
  readonly run: (chat: Chat, rest: string) => Promise<void | "end">;
}

/** The failure of a command that was given something it cannot do anything with. */
export function chatError(message: string): CliError {
  return new CliError("usage", message);
}

/** Refuses what follows a command that takes nothing. */
export function takesNothing(name: string, rest: string): void {
  if (rest !== "") throw chatError(`${name} takes nothing behind it`);
}
