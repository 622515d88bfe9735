/**
 * Says the past again: adds a session's steps to a run's conversation, and leaves out on the way what the runs before left out, at the same
 * points. So the prompt begins as theirs did, and a provider's prefix cache goes on hitting from run to run.
 */
import type { RunStep } from "../contracts/step.ts";
import { trimSizes } from "./fit_request.ts";
import type { RunState } from "./run_state.ts";
import { trimPieces } from "./trim.ts";

/**
 * Replays steps, and gives how many messages were left out. With a compactor none is: it is to see everything.
 */
export function replay(run: RunState, steps: readonly RunStep[]): number {
  const { conversation, budget, parts } = run;
  const trims = parts.compactor === undefined && budget.limit < Infinity;
  let dropped = 0;
  for (const step of steps) {
    // Before each of these the model was asked, and its request had to fit.
    if (trims && (step.stepType === "execute_js" || step.stepType === "response")) {
      const trimmed = trimPieces(conversation.pieces, trimSizes(run));
      if (trimmed !== undefined) {
        conversation.replace(trimmed.pieces);
        dropped += trimmed.dropped;
      }
    }
    conversation.add(step);
  }
  return dropped;
}
