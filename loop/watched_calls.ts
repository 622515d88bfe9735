/** What stands before the gate: the run's own limit of calls, and the span of each call. */
import type { HostCall, HostCallHandler, HostReply } from "../contracts/sandbox.ts";
import { shown } from "./passage.ts";
import type { LimitReached } from "./limits.ts";
import type { Spending } from "./spending.ts";
import { NO_TRACE, type Trace, traced } from "./trace.ts";

/** What calls are watched with. */
export interface WatchOptions {
  /** Counts them. */
  readonly spending: Spending;
  /** The span of their script. */
  readonly trace: Trace;
  /** Hears of a call that would have passed a limit, each time. */
  readonly onLimit: (limit: LimitReached, call: HostCall) => void;
}

/** A handler that counts calls and makes their spans, and leaves the rest to another. */
export function watchCalls(
  handler: HostCallHandler,
  { spending, trace, onLimit }: WatchOptions,
): HostCallHandler {
  const counted: HostCallHandler = (call) => {
    const limit = spending.planHostCall();
    if (limit === undefined) return handler(call);
    onLimit(limit, call);
    return Promise.resolve(refusal(limit));
  };
  if (trace === NO_TRACE) return counted;
  return (call) =>
    traced(trace, { name: "agentloop.host_call", attributes: attributesOf(call) }, async (span) => {
      const reply = await counted(call);
      span.set({ "agentloop.host_call.ok": reply.ok });
      if (!reply.ok) span.fail(reply.message);
      return reply;
    });
}

function refusal({ message }: LimitReached): HostReply {
  return {
    ok: false,
    name: "LimitError",
    message: `${message} The run ends with this script.`,
  };
}

function attributesOf({ name, sequence }: HostCall): Record<string, string | number> {
  return {
    "agentloop.host_call.name": shown(name),
    "agentloop.host_call.sequence": sequence,
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": shown(name),
  };
}
