/**
 * `chat`: a conversation, message by message. Answers go to stdout, prompts and activity to stderr.
 */
import { showAnswer, warmUpAnswers } from "../answer.ts";
import { assistantNotes } from "../assistant_notes.ts";
import type { Chat } from "../chat/chat_command.ts";
import { readMessage } from "../chat/read_message.ts";
import { commandIn, runChatCommand } from "../chat/run_command.ts";
import type { CommandContext, Outcome } from "../command.ts";
import { continueCommand } from "../continue_command.ts";
import { openConversation } from "../conversation.ts";
import { usageError } from "../failure.ts";
import { openLines } from "../line_editor/open_lines.ts";
import type { LineReader } from "../line_reader.ts";
import { printFailure } from "../print_failure.ts";
import { outcomeOfRun } from "../run_outcome.ts";
import { terminalSize } from "../terminal_size.ts";
import { escapeControls, oneLine } from "../terminal_text.ts";
import { wrapWords } from "../wrap_text.ts";

/** Steps of a session that are looked through for messages to be called up again. */
const RECALLED_STEPS = 400;

/** Runs `chat`. At a terminal it ends well however the last answer went; with lines from a pipe it ends as the last run did. */
export async function chat(context: CommandContext): Promise<Outcome> {
  if (context.words.length > 0) {
    throw usageError('chat takes no message; send the first one with: agentloop run "…"');
  }
  using lines = openLines();
  await using conversation = await openConversation(context, { severalMessages: true, lines });
  warmUpAnswers(context);
  const { status } = context;
  const atTerminal = Deno.stdin.isTerminal();
  const open: Chat = {
    context,
    conversation,
    atTerminal,
    say: (text, tone = "plain") => status.error(atTerminal ? brokenForTerminal(text) : text, tone),
    recall: () => recall(open, lines),
    listed: [],
  };
  if (atTerminal) {
    const id = oneLine(conversation.sessionId, 200);
    const told = `Session ${id}. /exit or Ctrl-D ends. /help lists the commands.`;
    status.line(brokenForTerminal(told), "dim");
    await open.recall();
  }
  return await converse(open, lines);
}

async function converse(chat: Chat, lines: LineReader): Promise<Outcome> {
  const { context, atTerminal } = chat;
  const { output, interrupt } = context;
  let last: Outcome = { exitCode: 0, status: "completed" };
  let isWarned = false;
  const told = new Set<string>();
  for (;;) {
    const read = await readMessage(lines, interrupt.signal);
    if (read === "interrupt") {
      // A signal is meant; a key may have come a moment too late for the answer that it was to stop.
      if (interrupt.received !== undefined || isWarned) {
        if (interrupt.received === undefined) sayHowToGoOn(chat);
        return stopped(context);
      }
      isWarned = true;
      chat.say("Ctrl-C once more ends the chat; so do Ctrl-D and /exit.");
      continue;
    }
    isWarned = false;
    if (read === "end") break;
    const command = commandIn(read.message);
    if (command !== undefined) {
      if (await runChatCommand(chat, command) === "end") break;
    } else if (read.message.trim() !== "") {
      last = await answer(chat, { message: read.message.trim(), told });
    }
    // Only Ctrl-C at a terminal means "stop this answer"; every other signal means "end".
    const { received } = interrupt;
    if (received !== undefined && !(received === "SIGINT" && atTerminal)) return stopped(context);
    if (output.closed.aborted) return last;
    interrupt.rearm();
  }
  sayHowToGoOn(chat);
  // The last answer and its failure have been shown.
  return { exitCode: atTerminal ? 0 : last.exitCode, status: last.status };
}

/** At a terminal somebody reads it, and a session that is not kept cannot be gone on with. */
function sayHowToGoOn({ context, conversation, atTerminal }: Chat): void {
  if (!atTerminal || context.options.ephemeral) return;
  const { options, sessionId } = conversation;
  const command = continueCommand(options, { sessionId, chat: true });
  context.status.line(`To go on: ${command}`, "dim");
}

/** Makes one answer and shows it; a failure is shown too and ends nothing. */
async function answer(
  { context, conversation }: Chat,
  { message, told }: {
    readonly message: string;
    /** Lines on what is left to do that stand on the screen already. */
    readonly told: Set<string>;
  },
): Promise<Outcome> {
  const { output, status, interrupt } = context;
  const run = await conversation.ask(message);
  const outcome = outcomeOfRun(run, { options: conversation.options, interrupt });
  if (outcome.text !== undefined) await showAnswer(outcome.text.trimEnd(), context);
  if (outcome.failure !== undefined) {
    // A chat goes on by its next message; what waits needs a word, and that is given elsewhere.
    const { hint, ...failure } = outcome.failure;
    const isWaiting = failure.type === "waiting" && hint !== undefined;
    printFailure(isWaiting ? { ...failure, hint } : failure, status);
  }
  await output.flush();
  for (const line of await assistantNotes(run, conversation)) {
    if (!told.has(line)) status.line(line, "dim");
    told.add(line);
  }
  return outcome;
}

/** What was said in the session before can be called up again: the database has it anyway, and no other file does. */
async function recall({ conversation }: Chat, lines: LineReader): Promise<void> {
  if (lines.recall === undefined) return;
  const steps = await conversation.store.lastN(conversation.sessionId, RECALLED_STEPS);
  lines.recall(
    steps.filter((step) => step.stepType === "user").map((step) => step.content),
  );
}

function brokenForTerminal(text: string): string {
  const { columns } = terminalSize();
  return escapeControls(text).split("\n").flatMap((line) => wrapWords(line, columns - 1)).join(
    "\n",
  );
}

function stopped({ interrupt }: CommandContext): Outcome {
  return { exitCode: interrupt.exitCode ?? 130, status: "error", reason: "aborted" };
}
