/** What a session waits at, for programs that ask the person elsewhere than where the run ended. */
import type { PendingApproval } from "../contracts/approval.ts";
import type { StepStore } from "../contracts/step.ts";
import { needMethods } from "./argument_checks.ts";
import { findOpenBatch, findPending, PENDING_REACH } from "./pending.ts";

/**
 * Finds the call that a session waits at, in this process or another: what `RunResult.pending` said when its run ended. `undefined` when it waits at none, went on
 * meanwhile, or is not there. `Loop.resume` takes the word on it.
 *
 * @throws {TypeError} when a part is missing.
 */
export async function findPendingApproval(
  { steps, sessionId }: { readonly steps: Pick<StepStore, "lastN">; readonly sessionId: string },
): Promise<PendingApproval | undefined> {
  const caller = "findPendingApproval";
  needMethods(caller, { steps }, { steps: ["lastN"] });
  if (typeof sessionId !== "string" || sessionId === "") {
    throw new TypeError(`${caller}: sessionId must be a text that is not empty`);
  }
  const newest = await steps.lastN(sessionId, PENDING_REACH);
  // Its calls were made, and only the model was not asked any more: there is nothing left to say a word on.
  if (findOpenBatch(newest)?.calls.length === 0) return undefined;
  return findPending(newest)?.pending;
}
