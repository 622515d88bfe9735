/** The last station of the gate: runs a host function under a deadline and turns what comes of it into a reply. */
import type { CallAim } from "../contracts/policy.ts";
import type { CallContext } from "../contracts/sandbox.ts";
import { writeFurther } from "./audit.ts";
import { CallSecrets } from "./call_secrets.ts";
import { cleanError } from "./clean_error.ts";
import { encodeResult } from "./host_result.ts";
import { judge } from "./judge.ts";
import {
  type CallEnd,
  cancelled,
  fail,
  type GateOptions,
  type Passage,
  refused,
} from "./passage.ts";
import { RefusedError } from "./refused_error.ts";

/** Wall time of a call to a function that names none, in ms. */
const DEFAULT_CALL_TIMEOUT_MS = 120_000;

/** Runs the function of a call. Settles when the function does, at its deadline, or when the script or the run ends; never throws. */
export function invokeHostFunction(passage: Passage, options: GateOptions): Promise<CallEnd> {
  if (options.secrets === undefined) return invoke(passage, { options, secrets: NO_SECRETS });
  return invokeWithSecrets(passage, options, options.secrets);
}

async function invokeWithSecrets(
  passage: Passage,
  options: GateOptions,
  kept: NonNullable<GateOptions["secrets"]>,
): Promise<CallEnd> {
  const secrets = new CallSecrets(passage, kept, options);
  const end = await invoke(passage, { options, secrets });
  return { ...end, reply: secrets.mask(end.reply) };
}

type Secrets = Pick<CallContext, "secret" | "fill">;

/** For sandboxes that have none. */
const NO_SECRETS: Secrets = {
  secret: () => Promise.reject(new Error("this sandbox has no secrets")),
  fill: (text) => Promise.resolve(text),
};

async function invoke(
  passage: Passage,
  { options, secrets }: { readonly options: GateOptions; readonly secrets: Secrets },
): Promise<CallEnd> {
  const { call, hostFunction, args, life } = passage;
  if (life.signal.aborted) return cancelled(call.name);
  const timeoutMs = hostFunction.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
  try {
    const result = hostFunction.execute(args, callContext(passage, { options, secrets }));
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
    if (error instanceof RefusedError) return error.end;
    const { name, message } = cleanError(error);
    return fail("error", message, name === undefined ? {} : { name });
  }
}

/** The way back to the gate for what a call comes to while it runs. */
async function authorize(passage: Passage, aim: CallAim, options: GateOptions): Promise<void> {
  const { call, life } = passage;
  const verdict = life.signal.aborted ? undefined : await judge(passage, aim, options);
  if (verdict === undefined) throw new RefusedError(cancelled(call.name));
  await writeFurther(passage, { aim, decision: verdict.decision }, options);
  if (verdict.decision === "denied") {
    throw new RefusedError(refused(call.name, aim, verdict.reason));
  }
}

function callContext(
  passage: Passage,
  { options, secrets }: { readonly options: GateOptions; readonly secrets: Secrets },
): CallContext {
  const { life } = passage;
  const { runId, sessionId, scope, userId, emit, reserve, spend, redact } = options;
  return {
    signal: life.signal,
    runId,
    sessionId,
    ...(scope === undefined ? {} : { scope }),
    ...(userId === undefined ? {} : { userId }),
    emit,
    authorize: (aim) => authorize(passage, aim, options),
    reserve,
    spend,
    secret: secrets.secret,
    fill: secrets.fill,
    redact,
  };
}

function encoded(name: string, result: { value: unknown; maxBytes: number }): CallEnd {
  const encoding = encodeResult(result.value, result.maxBytes);
  if (encoding.ok) {
    const { bytes, ...reply } = encoding;
    return { outcome: "ok", reply, resultBytes: bytes };
  }
  const fault = encoding.reason === "too_large" ? "is too large" : "cannot be handed over as JSON";
  // A model that takes it for a call that was not made makes it twice.
  const done = `what ${name} did is done`;
  return fail(encoding.reason, `the result of ${name} ${fault}: ${encoding.message}; ${done}`);
}
