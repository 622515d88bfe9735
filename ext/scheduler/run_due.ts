/** Does what is due now, and no more. */
import { refuseUnknown } from "../../contracts/known_names.ts";
import { DuePool } from "./due_pool.ts";
import {
  filledRunOptions,
  type OccurrenceReport,
  RUN_OPTIONS,
  type RunDueOptions,
} from "./run_options.ts";

/**
 * Does what is due at the moment of the call, and tells what became of it. What fails and can be tried again is put off and not waited for.
 *
 * Several processes may do this at once, over one store: each occurrence is done by one of them.
 *
 * @throws {RangeError} when an option is out of range.
 * @throws {AgentLoopError} when the store fails; what is under way is finished first.
 */
export async function runDue(options: RunDueOptions): Promise<readonly OccurrenceReport[]> {
  refuseUnknown("runDue", options, RUN_OPTIONS);
  const filled = filledRunOptions(options);
  const pool = new DuePool(filled);
  const dueBy = filled.now();
  try {
    for (;;) {
      await pool.fill(dueBy);
      if (pool.size === 0) return pool.reports;
      await pool.oneEnded();
    }
  } finally {
    await pool.allEnded();
  }
}
