/** The last station of the gate: runs a host function under a deadline and turns what comes of it into a reply. */
import type { CallContext } from "../contracts/sandbox.ts";
import { cleanError } from "./clean_error.ts";
import { encodeResult } from "./host_result.ts";
import { type CallEnd, cancelled, fail, type GateOptions, type Passage } from "./passage.ts";

/** Wall time of a call to a function that names none, in ms. */
const DEFAULT_CALL_TIMEOUT_MS = 120_000;

/** Runs the function of a call. Settles when the function does, at its deadline, or when the script or the run ends; never throws. */
export async function invokeHostFunction(passage: Passage, options: GateOptions): Promise<CallEnd> {
  const { call, hostFunction, args, life } = passage;
  if (life.signal.aborted) return cancelled(call.name);
  const timeoutMs = hostFunction.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
  try {
    const result = hostFunction.execute(args, callContext(passage, options));
    const wait = await life.wait(result, timeoutMs);
    switch (wait.kind) {
      case "settled":
        return encoded(call.name, { value: wait.value, maxBytes: options.limits.callResultBytes });
      case "timed_out":
        return fail("timeout", `${call.name} gave no result within ${timeoutMs} ms`, {
          name: "TimeoutError",
        });
      case "ended":
        return cancelled(call.name);
    }
  } catch (error) {
    const { name, message } = cleanError(error);
    return fail("error", message, name === undefined ? {} : { name });
  }
}

function callContext({ life }: Passage, options: GateOptions): CallContext {
  const { runId, sessionId, scope, userId, emit } = options;
  return {
    signal: life.signal,
    runId,
    sessionId,
    ...(scope === undefined ? {} : { scope }),
    ...(userId === undefined ? {} : { userId }),
    emit,
  };
}

function encoded(name: string, result: { value: unknown; maxBytes: number }): CallEnd {
  const encoding = encodeResult(result.value, result.maxBytes);
  if (encoding.ok) {
    const json = encoding.json;
    return { outcome: "ok", reply: { ok: true, ...(json === undefined ? {} : { json }) } };
  }
  const fault = encoding.reason === "too_large" ? "is too large" : "cannot be handed over as JSON";
  return fail(encoding.reason, `the result of ${name} ${fault}: ${encoding.message}`);
}
