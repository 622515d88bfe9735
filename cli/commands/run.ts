/**
 * `run`: answers one message.
 */
import { tokensTexts } from "../activity.ts";
import { warmUpAnswers } from "../answer.ts";
import { assistantNotes } from "../assistant_notes.ts";
import type { CommandContext, Outcome } from "../command.ts";
import { openConversation } from "../conversation.ts";
import { usageError } from "../failure.ts";
import { outcomeOfRun } from "../run_outcome.ts";
import { oneLine } from "../terminal_text.ts";
import { readMessage } from "../text_input.ts";
import { formatDuration } from "../units.ts";

/** Runs `run`. */
export async function runMessage(context: CommandContext): Promise<Outcome> {
  const { options, words, status, interrupt } = context;
  if (options.approve === "stdio" && (words.length === 0 || words.includes("-"))) {
    throw usageError(
      "with --approve stdio answers come on stdin, so the message has to be given as words",
    );
  }
  const message = await readMessage(words, Deno.stdin, interrupt.signal);
  const startedAt = performance.now();
  await using conversation = await openConversation(context);
  warmUpAnswers(context);
  const result = await conversation.ask(message);
  status.line(
    [
      `${result.status} in ${formatDuration(performance.now() - startedAt)}`,
      ...tokensTexts(result.tokens),
      ...(options.ephemeral ? [] : [`session ${oneLine(result.sessionId, 200)}`]),
    ].join(", "),
    "dim",
  );
  for (const line of await assistantNotes(result, conversation)) status.line(line, "dim");
  return { ...outcomeOfRun(result, { options, interrupt }), isAnswer: true };
}
