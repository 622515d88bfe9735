/** The limit on a script's size, checked before anything of it reaches a sandbox. */
import type { EvaluateRequest, Execution, SandboxLimits } from "../contracts/sandbox.ts";

/** The outcome for a script that is too large; `undefined` for one that may run. */
export function refuseLargeSource(
  request: EvaluateRequest,
  limits: SandboxLimits,
): Execution | undefined {
  const bytes = new TextEncoder().encode(request.source).length;
  if (bytes <= limits.sourceBytes) return undefined;
  return failedExecution(request, {
    kind: "limit",
    message: `the script takes ${bytes} bytes; the limit is ${limits.sourceBytes}`,
  });
}

/** The outcome of a script that never ran. */
export function failedExecution(
  request: EvaluateRequest,
  failure: NonNullable<Execution["failure"]>,
): Execution {
  const clockMs = [request.now().getTime()];
  return { failure, logs: "", notes: [], guestMs: 0, hostCalls: 0, clockMs };
}
