/** The end of a run, however it came: what the trace keeps of it, what is given back and written down, and what the caller gets. */
import type { PendingApproval } from "../contracts/approval.ts";
import { AgentLoopError, type ErrorCode } from "../contracts/errors.ts";
import type { RunEvent, RunEventBody } from "../contracts/event.ts";
import type { RunRequest, RunResult } from "../contracts/loop.ts";
import type { FinalizeSummary, RunStatus } from "../contracts/session.ts";
import { redactError } from "../redact/redact_error.ts";
import { redactJson } from "../redact/redact_json.ts";
import { within } from "./abort.ts";
import type { EventFeed } from "./event_feed.ts";
import { toAgentLoopError } from "./failure.ts";
import { LimitReached } from "./limits.ts";
import { WaitingForApproval } from "./pending.ts";
import type { MemoryFeed } from "./memory_feed.ts";
import type { Recorder } from "./recorder.ts";
import type { RunSecrets } from "./run_secrets.ts";
import type { RunTally } from "./run_state.ts";
import type { SandboxLease } from "./sandbox_lease.ts";
import type { Spending } from "./spending.ts";
import type { Trace } from "./trace.ts";
import { callTokens } from "./usage.ts";
import type { LoopParts } from "./validate.ts";

/** How a run ended. */
export interface RunEnd {
  readonly status: RunStatus;
  readonly finalText: string;
  /** The answer was asked for when nothing else was left. */
  readonly forced?: boolean;
  /** It was objected to, and is given with a warning. */
  readonly flagged?: boolean;
  /** What the run waits for. */
  readonly pending?: PendingApproval;
  /** More about the end: the code of the error, the name of the limit. */
  readonly reason?: string;
  readonly error?: AgentLoopError;
  /** Whether anything was remembered, where that was asked for. */
  readonly memoryUsed?: boolean;
}

/** What the parts of a run's life share. */
export interface RunLife {
  readonly parts: LoopParts;
  readonly request: RunRequest;
  /** The agent's name, where it has one. */
  readonly agent: string | undefined;
  readonly runId: string;
  readonly recorder: Recorder;
  readonly tally: RunTally;
  readonly spending: Spending;
  /** What may not be seen of the run. */
  readonly secrets: RunSecrets;
  readonly trace: Trace;
  readonly lease: SandboxLease;
  /** Where its messages go; absent where nothing is to be remembered. */
  readonly memory: MemoryFeed | undefined;
  /** Where its events go beside the listener; absent where nobody keeps them. */
  readonly events: EventFeed | undefined;
  readonly startedAt: Date;
}

/** Once a run has ended, its caller is not kept from hearing so by a store that does not answer. */
const SETTLE_MS = 5_000;

/** The end of a run that did not come to an answer: by a limit, or by a failure. Never rejects. */
export async function endEarly(life: RunLife, cause: unknown): Promise<RunEnd> {
  const { recorder, secrets: { redactor } } = life;
  if (cause instanceof LimitReached) {
    // No failure: what there is stays, and the session can go on under another limit.
    const { limit, message } = cause;
    await keepReason(life, { code: "limit", message, limit });
    recorder.emit({ type: "warning", content: message });
    return { status: "limit", finalText: "", reason: limit };
  }
  if (cause instanceof WaitingForApproval) {
    // What is shown of the call; the call itself is made with what was given.
    const pending = redactor === undefined
      ? cause.pending
      : redactJson({ ...cause.pending }, redactor) as unknown as PendingApproval;
    return { status: "waiting", finalText: "", reason: "approval", pending };
  }
  const raw = toAgentLoopError(cause, { doing: "go on with the run", code: "internal" });
  const error = redactor === undefined ? raw : redactError(raw, redactor);
  const { code, message } = error;
  await keepReason(life, { code, message });
  recorder.emit({ type: "error", content: message, code });
  return { status: "error", finalText: "", reason: code, error };
}

/** Keeps in the trace what ended the run, as far as the store still can. */
async function keepReason(
  { recorder }: RunLife,
  { message, ...why }: {
    readonly code: ErrorCode | "limit";
    readonly message: string;
    readonly limit?: string;
  },
): Promise<void> {
  try {
    recorder.heed(undefined);
    const toolArgs = JSON.stringify(why);
    const recorded = recorder.record({ stepType: "error", content: message, toolArgs });
    await within(SETTLE_MS, recorded, () => storeIsLate("the end of the run"));
  } catch (cause) {
    warn(recorder, cause);
  }
}

/**
 * Ends what the run held: gives the sandbox back, finalizes the session, writes down what was spent, ends the span. What fails here changes
 * nothing about how the run ended.
 */
export async function settle(life: RunLife, end: RunEnd): Promise<void> {
  const { parts, request, recorder, lease, tally, spending } = life;
  tally.durationMs = parts.now().getTime() - life.startedAt.getTime();
  const endings = await Promise.allSettled([
    lease.end(),
    within(
      SETTLE_MS,
      Promise.try(() => parts.sessions.finalize(request.sessionId, summaryOf(life, end))),
      () => storeIsLate("the figures of the run"),
    ),
    within(SETTLE_MS, spending.save(), () => storeIsLate("what the run spent")),
  ]);
  const doings = [
    "give the sandbox back",
    `finalize session ${request.sessionId}`,
    "write down what the run spent",
  ];
  endings.forEach((ending, at) => {
    if (ending.status === "fulfilled") return;
    const doing = doings[at] ?? "end the run";
    warn(recorder, toAgentLoopError(ending.reason, { doing, code: "store_failed" }));
  });
  endTrace(life, end);
  const done: RunEventBody = {
    type: "done",
    summary: {
      sessionId: request.sessionId,
      runId: life.runId,
      ...outcome(end),
      steps: recorder.stepCount,
      toolCalls: spending.total.hostCalls,
      durationMs: tally.durationMs,
      tokens: callTokens(spending.usage),
      dataBytesCarried: tally.dataBytesCarried,
    },
  };
  await keepEvents(life, { ...done, runId: life.runId, sessionId: request.sessionId });
  recorder.close(done);
}

/** Has the rest of the events kept, the last among them: what is told as the end is then kept. */
async function keepEvents({ events, recorder }: RunLife, done: RunEvent): Promise<void> {
  if (events === undefined) return;
  try {
    const late = () => storeIsLate("all events of the run");
    const left = await within(SETTLE_MS, events.finish(done), late);
    if (left === 0) return;
    recorder.emit({ type: "warning", content: `${left} events of the run could not be kept.` });
  } catch (cause) {
    warn(recorder, cause);
  }
}

/** What the caller gets. */
export function report(life: RunLife, end: RunEnd): RunResult {
  const { request, runId, recorder, tally, spending } = life;
  return {
    runId,
    sessionId: request.sessionId,
    ...outcome(end),
    finalText: end.finalText,
    ...(end.pending === undefined ? {} : { pending: end.pending }),
    ...(end.forced === undefined ? {} : { forced: end.forced }),
    ...(end.flagged === undefined ? {} : { flagged: end.flagged }),
    ...(end.error === undefined ? {} : { error: end.error }),
    ...(end.memoryUsed === undefined ? {} : { memoryUsed: end.memoryUsed }),
    steps: recorder.stepCount,
    tokens: spending.usage,
    toolCalls: spending.total.hostCalls,
    durationMs: tally.durationMs,
    spent: spending.total,
    systemPrompt: tally.systemPrompt,
    dataBytesCarried: tally.dataBytesCarried,
  };
}

function summaryOf(life: RunLife, end: RunEnd): FinalizeSummary {
  const { runId, recorder, tally, spending } = life;
  return {
    runId,
    ...outcome(end),
    promptTokens: spending.usage.prompt,
    completionTokens: spending.usage.completion,
    stepCount: recorder.stepCount,
    durationMs: tally.durationMs,
    dataBytesCarried: tally.dataBytesCarried,
  };
}

function endTrace({ trace, recorder, spending }: RunLife, { status, reason, error }: RunEnd): void {
  trace.set({
    "agentloop.run.status": status,
    "agentloop.run.reason": reason,
    "agentloop.run.steps": recorder.stepCount,
    "gen_ai.usage.input_tokens": spending.usage.prompt,
    "gen_ai.usage.output_tokens": spending.usage.completion,
  });
  if (error !== undefined) trace.fail(error.message);
  trace.end();
}

/** Status and reason, as result, summary and store name them. */
function outcome({ status, reason }: RunEnd): Pick<RunResult, "status" | "reason"> {
  return { status, ...(reason === undefined ? {} : { reason }) };
}

function storeIsLate(what: string): AgentLoopError {
  return new AgentLoopError(`The store has not taken ${what} within ${SETTLE_MS / 1000} s.`, {
    code: "store_locked",
  });
}

function warn(recorder: Recorder, cause: unknown): void {
  const content = cause instanceof Error ? cause.message : String(cause);
  recorder.emit({ type: "warning", content });
}
