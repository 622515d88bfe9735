/** What came of a run, read out of its kept events alone. Pure. */
import type { ErrorCode } from "../contracts/errors.ts";
import type { CallTokens, RunEvent } from "../contracts/event.ts";
import type { EventRecord } from "../contracts/event_log.ts";
import type { RunResult } from "../contracts/loop.ts";

/** The part of a run's result that its events hold. */
export interface RebuiltResult extends
  Pick<
    RunResult,
    | "runId"
    | "sessionId"
    | "status"
    | "reason"
    | "finalText"
    | "forced"
    | "flagged"
    | "pending"
    | "steps"
    | "toolCalls"
    | "durationMs"
    | "dataBytesCarried"
  > {
  /** Tokens of every model call of the run. */
  readonly tokens: CallTokens;
  /** What failed, when the status is `error`. */
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/**
 * Rebuilds the result of one run from the events of its stream, whichever other runs wrote to it too. Undefined while the run has not ended, or when it is not there.
 * What no event holds is left out: the system prompt, what was spent beside tokens, whether anything was remembered.
 *
 * @param events the stream, or a part of it that holds the run
 * @param runId the run; the one that ended last when left out
 */
export function rebuildResult(
  events: readonly EventRecord[],
  runId?: string,
): RebuiltResult | undefined {
  const wanted = runId ?? events.findLast(({ event }) => event.type === "done")?.event.runId;
  const own = events.filter(({ event }) => event.runId === wanted);
  // An event that was kept twice counts once.
  const bySequence = new Map(own.map(({ sequence, event }) => [sequence, event]));
  const told = [...bySequence].sort(([a], [b]) => a - b).map(([, event]) => event);
  const summary = lastOf(told, "done")?.summary;
  if (summary === undefined) return undefined;
  const { status, reason, sessionId, steps, toolCalls, durationMs, tokens, dataBytesCarried } =
    summary;
  const answer = status === "completed" ? lastOf(told, "response") : undefined;
  const pending = status === "waiting" ? lastOf(told, "approval_pending")?.approval : undefined;
  const failure = status === "error" ? lastOf(told, "error") : undefined;
  return {
    runId: summary.runId,
    sessionId,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(pending === undefined ? {} : { pending }),
    finalText: answer?.content ?? "",
    ...(answer?.forced === undefined ? {} : { forced: answer.forced }),
    ...(answer?.flagged === undefined ? {} : { flagged: answer.flagged }),
    ...(failure === undefined ? {} : { error: { code: failure.code, message: failure.content } }),
    steps,
    toolCalls,
    durationMs,
    tokens,
    dataBytesCarried,
  };
}

function lastOf<Type extends RunEvent["type"]>(
  events: readonly RunEvent[],
  type: Type,
): Extract<RunEvent, { readonly type: Type }> | undefined {
  return events.findLast((event): event is Extract<RunEvent, { readonly type: Type }> =>
    event.type === type
  );
}
