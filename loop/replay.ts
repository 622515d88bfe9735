/**
 * Says the past again: adds a session's steps to a run's conversation, and leaves out on the way what the runs before left out, at the same
 * points. So the prompt begins as theirs did, and a provider's prefix cache goes on hitting from run to run. What those runs found out about
 * the estimates of their requests is learnt on the way too.
 */
import type { RunStep, StepType } from "../contracts/step.ts";
import { estimatedTokensOf } from "./call_cost.ts";
import { keepsWhole } from "./call_steps.ts";
import { trimSizes } from "./fit_request.ts";
import type { RunState } from "./run_state.ts";
import { trimPieces } from "./trim.ts";

/** Before each of these the model was asked. */
const ASKED: ReadonlySet<StepType> = new Set(["execute_js", "llm_call", "response"]);

/**
 * Replays steps, and gives how many messages were left out. With a compactor none is: it is to see everything.
 */
export function replay(run: RunState, steps: readonly RunStep[]): number {
  const { conversation, budget, parts } = run;
  const trims = parts.compactor === undefined && budget.limit < Infinity;
  let dropped = 0;
  for (const step of steps) {
    // Before each of these the model was asked, and its request had to fit.
    if (ASKED.has(step.stepType)) {
      const trimmed = trims ? trimPieces(conversation.pieces, trimSizes(run)) : undefined;
      if (trimmed !== undefined) {
        conversation.replace(trimmed.pieces);
        dropped += trimmed.dropped;
      }
      budget.learnUsage(estimatedTokensOf(step) ?? 0, step.promptTokens);
    }
    if (keepsWhole(step)) run.kept.hasAny = true;
    conversation.add(step);
  }
  return dropped;
}
