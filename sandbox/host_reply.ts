/** The size of what a host function hands to a script: the gate has checked it, and the sandbox takes no handler's word for it. */
import type { HostReply, SandboxLimits } from "../contracts/sandbox.ts";

const encoder = new TextEncoder();

/** The reply, or in its place an error that names the limit. */
export function boundReply(name: string, reply: HostReply, limits: SandboxLimits): HostReply {
  if (!reply.ok || reply.json === undefined) return reply;
  const { length } = reply.json;
  // A UTF-16 unit takes three bytes at most.
  if (length * 3 <= limits.callResultBytes) return reply;
  const bytes = length > limits.callResultBytes ? length : encoder.encode(reply.json).length;
  if (bytes <= limits.callResultBytes) return reply;
  return {
    ok: false,
    name: "RangeError",
    message:
      `the result of ${name} takes ${bytes} bytes as JSON; the limit is ${limits.callResultBytes}`,
  };
}
