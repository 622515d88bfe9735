/**
 * Prints a failure for people: one line, what to try, and the stack only for whoever asked for it.
 */
import { readVariable } from "./environment.ts";
import type { Failure } from "./failure.ts";
import type { Status } from "./status.ts";

/** Prints a failure to stderr. `AGENTLOOP_DEBUG=1` adds the error with its stack and causes. */
export function printFailure(failure: Failure, status: Status): void {
  status.error(`agentloop: ${failure.message}`);
  if (failure.hint !== undefined) status.error(failure.hint, "plain");
  if (readVariable("AGENTLOOP_DEBUG") !== undefined && failure.cause !== undefined) {
    status.error(Deno.inspect(failure.cause));
  }
}
