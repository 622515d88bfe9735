/** Compaction within a run: when it is worth trying, what it costs, and the step that keeps it. */
import type { TokenUsage } from "../contracts/model.ts";
import { askCompactor, checkpointStep, type Compacted, foldableView } from "./compact_history.ts";
import type { RunState } from "./run_state.ts";

/**
 * Lets the run's compactor shorten the history. Nothing is done without one, once it has failed or brought nothing in this run, and where its
 * calls might pass a limit.
 *
 * @param force whether the window demands it: the compactor is not to wait for its own trigger
 * @throws {AgentLoopError} what a store throws, and the run's reason when it is ended meanwhile.
 */
export async function compactHistory(
  run: RunState,
  { force }: { readonly force: boolean },
): Promise<void> {
  const { conversation, spending, recorder, parts } = run;
  const view = foldableView(conversation.pieces);
  if (parts.compactor === undefined || view === undefined || run.compactionIsOver) return;
  const before = conversation.tokens;
  if (!await spending.hasRoomFor(before)) return;
  const startedAt = parts.now().getTime();
  const outcome = await askCompactor(parts.compactor, { view, force, signal: run.signal });
  spending.add(outcome.tokens);
  switch (outcome.kind) {
    case "failed":
      run.compactionIsOver = true;
      recorder.emit({
        type: "warning",
        content:
          `The history could not be summarized, the run goes on with it as it is: ${outcome.error.message}`,
      });
      return;
    case "unchanged":
      run.compactionIsOver = force;
      return;
    case "compacted": {
      const durationMs = parts.now().getTime() - startedAt;
      await keep(run, { ...outcome, durationMs });
      // What does not make it shorter is not tried again: it would be tried before every call.
      run.compactionIsOver = conversation.tokens >= before;
      return;
    }
  }
}

/** Keeps what was made: in the trace where later runs can go on from it, and as the conversation of this one. */
async function keep(
  { conversation, recorder, scriptsAsCalls }: RunState,
  { compacted, tokens, durationMs }: {
    readonly compacted: Compacted;
    readonly tokens: TokenUsage;
    readonly durationMs: number;
  },
): Promise<void> {
  const { checkpoint, messagesBefore, messagesAfter } = compacted;
  const event = {
    type: "compacted",
    args: { messages_before: messagesBefore, messages_after: messagesAfter },
  } as const;
  if (checkpoint === undefined) recorder.emit(event);
  else {
    await recorder.record({
      ...checkpointStep(checkpoint, scriptsAsCalls),
      durationMs,
      promptTokens: tokens.prompt,
      completionTokens: tokens.completion,
    }, event);
  }
  conversation.replace(
    compacted.pieces.map((piece) =>
      piece.kind === "summary" || piece.kind === "given"
        ? { ...piece, content: recorder.redact(piece.content) }
        : piece
    ),
  );
}
