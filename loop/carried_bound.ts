/** The bound on what a run carries from turn to turn: what is more is not carried, and the run ends on its limit. */
import type { Execution } from "../contracts/sandbox.ts";
import { LimitReached } from "./limits.ts";
import type { RunState } from "./run_state.ts";
import { utf8Bytes } from "./utf8.ts";

/** An execution as the run takes it: one that returned more than may be carried has failed. A warning comes at half of the bound. */
export function boundArgs(run: RunState, execution: Execution): Execution {
  const { valueJson, failure } = execution;
  if (failure !== undefined || valueJson === undefined || run.maxArgsBytes === Infinity) {
    return execution;
  }
  const bytes = utf8Bytes(valueJson);
  if (bytes <= run.maxArgsBytes) {
    warnAtHalf(run, bytes);
    return execution;
  }
  const message =
    `what run returned is ${bytes} bytes of JSON, and this run may carry ${run.maxArgsBytes} (argsBytes)`;
  run.reached = new LimitReached("args_bytes", `The run ended because ${message}.`);
  return { ...execution, failure: { kind: "limit", message } };
}

/**
 * Checks what a run begins with.
 *
 * @throws {LimitReached} when the session already carries more than this run may.
 */
export function checkCarried(run: RunState): void {
  if (run.data === undefined || run.maxArgsBytes === Infinity) return;
  const bytes = utf8Bytes(run.data.json);
  if (bytes <= run.maxArgsBytes) return warnAtHalf(run, bytes);
  throw new LimitReached(
    "args_bytes",
    `The session carries ${bytes} bytes of data, and this run may carry ${run.maxArgsBytes} (argsBytes).`,
  );
}

function warnAtHalf(run: RunState, bytes: number): void {
  if (bytes <= run.maxArgsBytes / 2 || run.warnedOfArgs) return;
  run.warnedOfArgs = true;
  run.recorder.emit({
    type: "warning",
    content:
      `The carried data is ${bytes} bytes, more than half of the ${run.maxArgsBytes} that the run may carry (argsBytes).`,
  });
}
