/**
 * `chat`: a conversation, message by message. Answers go to stdout, prompts and activity to stderr.
 */
import { showAnswer, warmUpAnswers } from "../answer.ts";
import type { CommandContext, Outcome } from "../command.ts";
import { continueCommand } from "../continue_command.ts";
import { type Conversation, openConversation } from "../conversation.ts";
import { openLines } from "../line_editor/open_lines.ts";
import type { LineReader } from "../line_reader.ts";
import { printFailure } from "../print_failure.ts";
import { outcomeOfRun } from "../run_outcome.ts";
import { oneLine } from "../terminal_text.ts";
import { usageError } from "../failure.ts";

/** Runs `chat`. At a terminal it ends well however the last answer went; with lines from a pipe it ends as the last run did. */
export async function chat(context: CommandContext): Promise<Outcome> {
  const { options, words, output, status, interrupt } = context;
  if (words.length > 0) {
    throw usageError('chat takes no message; send the first one with: agentloop run "…"');
  }
  const atTerminal = Deno.stdin.isTerminal();
  using lines = openLines();
  await using conversation = await openConversation(context, { severalMessages: true, lines });
  warmUpAnswers(context);
  if (atTerminal) {
    status.line(`Session ${oneLine(conversation.sessionId, 200)}. /exit or Ctrl-D ends.`, "dim");
  }
  let last: Outcome = { exitCode: 0, status: "completed" };
  for (;;) {
    const message = await readMessageLines(lines, interrupt.signal);
    if (message === "interrupt") return stopped(context);
    if (message === "end" || message === "/exit" || message === "/quit") break;
    if (message === "") continue;
    if (message.startsWith("/") && /^\/[a-z]+$/.test(message)) {
      status.line(message === "/help" ? HELP : `There is no ${message}. ${HELP}`);
      continue;
    }
    last = await answer(context, { conversation, message });
    // Only Ctrl-C at a terminal means "stop this answer"; every other signal means "end".
    const { received } = interrupt;
    if (received !== undefined && !(received === "SIGINT" && atTerminal)) return stopped(context);
    if (output.closed.aborted) return last;
    interrupt.rearm();
  }
  if (atTerminal && !options.ephemeral) {
    status.line(
      `To go on: ${continueCommand(options, { sessionId: conversation.sessionId, chat: true })}`,
      "dim",
    );
  }
  // The last answer and its failure have been shown.
  return { exitCode: atTerminal ? 0 : last.exitCode, status: last.status };
}

/** Makes one answer and shows it; a failure is shown too and ends nothing. */
async function answer(
  context: CommandContext,
  { conversation, message }: { readonly conversation: Conversation; readonly message: string },
): Promise<Outcome> {
  const { options, output, status, interrupt } = context;
  const outcome = outcomeOfRun(await conversation.ask(message), { options, interrupt });
  if (outcome.text !== undefined) await showAnswer(outcome.text.trimEnd(), context);
  if (outcome.failure !== undefined) {
    const { hint: _, ...failure } = outcome.failure;
    printFailure(failure, status);
  }
  await output.flush();
  return outcome;
}

function stopped({ interrupt }: CommandContext): Outcome {
  return { exitCode: interrupt.exitCode ?? 130, status: "error", reason: "aborted" };
}

const HELP =
  "/exit ends, /help is this; everything else is a message. A \\ at the end of a line goes on in the next.";

async function readMessageLines(
  lines: LineReader,
  signal: AbortSignal,
): Promise<string | "end" | "interrupt"> {
  let message = "";
  for (;;) {
    const read = await lines.read(message === "" ? "> " : "… ", signal);
    if (read === "interrupt" && message !== "" && !signal.aborted) {
      message = "";
      continue;
    }
    if (typeof read === "string") return read;
    if (!read.line.endsWith("\\")) return (message + read.line).trim();
    message += `${read.line.slice(0, -1)}\n`;
  }
}
