/** What stands before the gate: the run's own limits, and the span of each call. */
import type { TokenEstimator } from "../contracts/compaction.ts";
import type { CallContext, HostCall, HostCallHandler, HostReply } from "../contracts/sandbox.ts";
import { MESSAGE_TOKENS } from "./history.ts";
import { LimitReached } from "./limits.ts";
import { shown } from "./passage.ts";
import type { Spending } from "./spending.ts";
import { NO_TRACE, type Trace, traced } from "./trace.ts";

/** What calls are watched with. */
export interface WatchOptions {
  /** Counts them. */
  readonly spending: Spending;
  /** The span of their script. */
  readonly trace: Trace;
  /** Hears of a call that was counted, before it goes on. */
  readonly onCount?: ((call: HostCall) => void) | undefined;
  /** Hears of a call that would have passed a limit, each time. */
  readonly onLimit: (limit: LimitReached, call: HostCall) => void;
}

/** A handler that counts calls and makes their spans, and leaves the rest to another. */
export function watchCalls(
  handler: HostCallHandler,
  { spending, trace, onCount, onLimit }: WatchOptions,
): HostCallHandler {
  const counted: HostCallHandler = (call) => {
    const limit = spending.planHostCall();
    if (limit !== undefined) {
      onLimit(limit, call);
      return Promise.resolve(refusal(limit));
    }
    onCount?.(call);
    return handler(call);
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

/** Sets aside what functions spend on models; one that would pass a limit gets the error that its script is to see. */
export function watchReservations(
  { spending, estimate, onLimit }: {
    readonly spending: Spending;
    readonly estimate: TokenEstimator;
    readonly onLimit: (limit: LimitReached) => void;
  },
): CallContext["reserve"] {
  return ({ messages, maxTokens }) => {
    const sizes = messages.map(({ content }) => estimate(content) + MESSAGE_TOKENS);
    const promptTokens = sizes.reduce((sum, size) => sum + size, 0);
    try {
      return spending.reserve({ promptTokens, replyTokens: maxTokens });
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      onLimit(error);
      const { name, message } = refusal(error);
      throw Object.assign(new Error(message), { name });
    }
  };
}

function refusal({ message }: LimitReached): HostReply & { readonly ok: false } {
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
