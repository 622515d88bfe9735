/**
 * Brings a run's next request to a size that the model's window holds: by meaning first (a compactor), then by leaving out the oldest turns.
 * What the present turn needs stays; when that alone is too long, the run ends before anything is sent.
 */
import type { AgentLoopError } from "../contracts/errors.ts";
import { overflowError } from "./overflow.ts";
import { fixedTokens, requestTokens, type Sized } from "./request_size.ts";
import { compactHistory } from "./run_compaction.ts";
import type { RunState } from "./run_state.ts";
import { partsOf, type TrimOptions, trimPieces } from "./trim.ts";

/**
 * Makes the run's next request fit.
 *
 * @throws {AgentLoopError} `model_context_overflow` when what cannot be left out is too long already, and what a store throws.
 */
export async function fitRequest(run: RunState): Promise<void> {
  const { budget, conversation } = run;
  let dropped = run.droppedBefore;
  run.droppedBefore = 0;
  if (isTooLong(run)) {
    assertPresentFits(run);
    await compactHistory(run, { force: true });
    const trimmed = trimPieces(conversation.pieces, trimSizes(run));
    if (trimmed !== undefined) {
      conversation.replace(trimmed.pieces);
      dropped += trimmed.dropped;
    }
    throwIfAny(overflowError(run, { pieces: conversation.pieces }));
  }
  if (dropped === 0) return;
  run.recorder.emit({
    type: "budget_trimmed",
    args: {
      messages_dropped: dropped,
      estimated_tokens: budget.corrected(requestTokens(run)),
      allowance: budget.limit,
    },
  });
}

/**
 * Makes a request shorter that the provider found too long, so that it is never sent again as it was.
 *
 * @throws {AgentLoopError} `model_context_overflow` when nothing of it can be left out, and what {@linkcode fitRequest} throws.
 */
export async function shortenRequest(run: RunState, cause: AgentLoopError): Promise<void> {
  const { budget, conversation, recorder } = run;
  const before = requestTokens(run);
  budget.learnOverflow(before, cause.contextWindow);
  recorder.emit({
    type: "warning",
    content:
      `The provider found the request too long, it is tried once more with less history: ${cause.message}`,
  });
  await fitRequest(run);
  if (requestTokens(run) < before) return;
  throw overflowError(run, { pieces: conversation.pieces, cause }) ?? cause;
}

/** Whether {@linkcode fitRequest} has something to do. */
export function isToBeFitted(run: RunState): boolean {
  return run.droppedBefore > 0 || isTooLong(run);
}

/** Whether the run's next request is longer than it may be. */
export function isTooLong(run: Sized): boolean {
  return run.budget.corrected(requestTokens(run)) > run.budget.limit;
}

/**
 * Demands that what is always sent fits.
 *
 * @throws {AgentLoopError} `model_context_overflow`.
 */
export function assertPresentFits(run: Sized): void {
  const { message, present } = partsOf(run.conversation.pieces);
  throwIfAny(overflowError(run, { pieces: [...message, ...present] }));
}

/** What a trim of the conversation is held to: what the budget leaves beside the parts that are no conversation. */
export function trimSizes(run: Sized): TrimOptions {
  const { budget, conversation } = run;
  const fixed = fixedTokens(run);
  return {
    sizeOf: conversation.sizeOf,
    limit: budget.uncorrected(budget.limit) - fixed,
    target: budget.uncorrected(budget.target) - fixed,
  };
}

function throwIfAny(error: AgentLoopError | undefined): void {
  if (error !== undefined) throw error;
}
