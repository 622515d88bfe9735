/** How much of each result of a reply a model is told, so that all of them fit into its window together. Pure. */
import type { RunState } from "./run_state.ts";

/** Share of what a request may take that the results of one reply may have, all of them together. */
const RESULTS_SHARE = 0.5;
/** So much of a result is told in any case, in bytes: its beginning, its end, and how to read on. */
const MIN_BYTES = 256;
/** What a token is taken to hold, in bytes: as in our own estimate. */
const TOKEN_BYTES = 4;

/**
 * How many bytes of each of so many results are told: what the sandbox allows, and less where they would not fit into the window together.
 *
 * @param count results of one reply
 */
export function toldBytes(
  { sandbox, budget }: Pick<RunState, "sandbox" | "budget">,
  count: number,
): number {
  const { logBytes } = sandbox.limits;
  if (budget.limit === Infinity) return logBytes;
  const share = budget.uncorrected(budget.limit * RESULTS_SHARE) * TOKEN_BYTES / count;
  const most = Math.max(MIN_BYTES, Math.floor(share));
  return logBytes < 0 ? most : Math.min(logBytes, most);
}
