/** One host call on its way to its handler and back. The sandbox takes no handler's word that it keeps to its contract. */
import type { EvaluateRequest, HostCall, HostReply, SandboxLimits } from "../contracts/sandbox.ts";
import { SLEEP, sleepAsAsked } from "./sleep.ts";

const encoder = new TextEncoder();

/** The reply to a call, within the limits. Never rejects: what a handler throws becomes an error that the script can catch. */
export async function answerCall(
  call: HostCall,
  { onCall, onSleep }: Pick<EvaluateRequest, "onCall" | "onSleep">,
  limits: SandboxLimits,
): Promise<HostReply> {
  try {
    const reply = call.name !== SLEEP
      ? await onCall(call)
      : onSleep === undefined
      ? await sleepAsAsked(call.argsJson, call.signal)
      : await onSleep(call, () => sleepAsAsked(call.argsJson, call.signal));
    return bound(call.name, reply, limits);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    return { ok: false, message: message === "" ? `${call.name} failed` : message };
  }
}

/** The reply, or in its place an error that names the limit. */
function bound(name: string, reply: HostReply, limits: SandboxLimits): HostReply {
  if (!reply.ok) return reply;
  const { json = "", text } = reply;
  // A UTF-16 unit takes three bytes at most.
  if ((json.length + (text?.value.length ?? 0)) * 3 <= limits.callResultBytes) return reply;
  const bytes = encoder.encode(json).length + encoder.encode(text?.value).length;
  if (bytes <= limits.callResultBytes) return reply;
  return {
    ok: false,
    name: "RangeError",
    message:
      `the result of ${name} takes ${bytes} bytes as text; the limit is ${limits.callResultBytes}`,
  };
}
