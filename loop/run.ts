/** One run from message to answer: prepares it, takes its turns, and sees to its end whatever happens on the way. */
import { AgentLoopError } from "../contracts/errors.ts";
import type { RunEvent } from "../contracts/event.ts";
import type { RunRequest, RunResult } from "../contracts/loop.ts";
import type { FinalizeSummary, RunStatus } from "../contracts/session.ts";
import { RunWall, within } from "./abort.ts";
import { toAgentLoopError } from "./failure.ts";
import { prepareRun } from "./prepare.ts";
import { Recorder } from "./recorder.ts";
import { createRunId } from "./run_id.ts";
import type { RunTally } from "./run_state.ts";
import { SandboxLease } from "./sandbox_lease.ts";
import { takeTurn } from "./turn.ts";
import { callTokens, NO_USAGE } from "./usage.ts";
import type { LoopParts } from "./validate.ts";

/** How a run ended. */
interface RunEnd {
  readonly status: RunStatus;
  readonly finalText: string;
  readonly error?: AgentLoopError;
}

/** What the parts of a run's life share. */
interface RunLife {
  readonly parts: LoopParts;
  readonly request: RunRequest;
  readonly runId: string;
  readonly recorder: Recorder;
  readonly tally: RunTally;
  readonly lease: SandboxLease;
  readonly startedAt: Date;
}

/**
 * Runs one checked request. Never rejects: failures of the world are the result's.
 *
 * @param listener hears of every event, in order
 */
export async function executeRun(
  { parts, request }: { readonly parts: LoopParts; readonly request: RunRequest },
  listener?: (event: RunEvent) => void,
): Promise<RunResult> {
  const startedAt = parts.now();
  const runId = createRunId(startedAt.getTime(), parts.random);
  const life: RunLife = {
    parts,
    request,
    runId,
    recorder: new Recorder({
      steps: parts.steps,
      ...(listener === undefined ? {} : { listener }),
      sessionId: request.sessionId,
      runId,
      now: parts.now,
    }),
    tally: { tokens: NO_USAGE, dataBytesCarried: 0, systemPrompt: "" },
    lease: new SandboxLease(),
    startedAt,
  };
  const end = await live(life);
  await settle(life, end);
  return report(life, end);
}

/** The run itself, within its wall. When this returns, the run's signal has ended and with it all that was done in its name. */
async function live(life: RunLife): Promise<RunEnd> {
  const { parts, request } = life;
  using wall = new RunWall({
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    timeoutMs: request.timeoutMs ?? parts.runTimeoutMs,
  });
  life.recorder.heed(wall.signal);
  try {
    const run = await prepareRun({
      ...life,
      signal: wall.signal,
      pauseWall: () => wall.pause(),
    });
    for (let turn = 1; turn <= run.maxIterations; turn++) {
      const end = await takeTurn(run, turn);
      if (end.kind === "answered") return { status: "completed", finalText: end.finalText };
    }
    return { status: "max_iterations", finalText: "" };
  } catch (cause) {
    const error = toAgentLoopError(cause, { doing: "go on with the run", code: "internal" });
    await recordFailure(life, error);
    return { status: "error", finalText: "", error };
  }
}

/** Keeps in the trace what ended the run, as far as the store still can. */
async function recordFailure({ recorder }: RunLife, error: AgentLoopError): Promise<void> {
  const { code, message } = error;
  try {
    const toolArgs = JSON.stringify({ code });
    recorder.heed(undefined);
    const recorded = recorder.record({ stepType: "error", content: message, toolArgs });
    await within(SETTLE_MS, recorded, () => storeIsLate("the end of the run"));
  } catch (cause) {
    warn(recorder, cause);
  }
  recorder.emit({ type: "error", content: message, code });
}

/** Ends what the run held: gives the sandbox back and finalizes the session. What fails here changes nothing about how the run ended. */
async function settle(life: RunLife, end: RunEnd): Promise<void> {
  const { parts, request, recorder, lease, tally } = life;
  const endings = await Promise.allSettled([
    lease.end(),
    within(
      SETTLE_MS,
      Promise.try(() => parts.sessions.finalize(request.sessionId, summaryOf(life, end))),
      () => storeIsLate("the figures of the run"),
    ),
  ]);
  const doings = ["give the sandbox back", `finalize session ${request.sessionId}`];
  endings.forEach((ending, at) => {
    if (ending.status === "fulfilled") return;
    const doing = doings[at] ?? "end the run";
    warn(recorder, toAgentLoopError(ending.reason, { doing, code: "store_failed" }));
  });
  recorder.close({
    type: "done",
    summary: {
      sessionId: request.sessionId,
      runId: life.runId,
      ...outcome(end),
      steps: recorder.stepCount,
      tokens: callTokens(tally.tokens),
      dataBytesCarried: tally.dataBytesCarried,
    },
  });
}

/** Once a run has ended, its caller is not kept from hearing so by a store that does not answer. */
const SETTLE_MS = 5_000;

function storeIsLate(what: string): AgentLoopError {
  return new AgentLoopError(`The store has not taken ${what} within ${SETTLE_MS / 1000} s.`, {
    code: "store_locked",
  });
}

function summaryOf(
  { parts, runId, recorder, tally, startedAt }: RunLife,
  end: RunEnd,
): FinalizeSummary {
  return {
    runId,
    ...outcome(end),
    promptTokens: tally.tokens.prompt,
    completionTokens: tally.tokens.completion,
    stepCount: recorder.stepCount,
    durationMs: parts.now().getTime() - startedAt.getTime(),
    dataBytesCarried: tally.dataBytesCarried,
  };
}

function report(life: RunLife, end: RunEnd): RunResult {
  const { request, runId, recorder, tally } = life;
  return {
    runId,
    sessionId: request.sessionId,
    ...outcome(end),
    finalText: end.finalText,
    ...(end.error === undefined ? {} : { error: end.error }),
    steps: recorder.stepCount,
    tokens: tally.tokens,
    systemPrompt: tally.systemPrompt,
    dataBytesCarried: tally.dataBytesCarried,
  };
}

/** Status and reason, as result, summary and store name them. */
function outcome({ status, error }: RunEnd): Pick<RunResult, "status" | "reason"> {
  return { status, ...(error === undefined ? {} : { reason: error.code }) };
}

function warn(recorder: Recorder, cause: unknown): void {
  const content = cause instanceof Error ? cause.message : String(cause);
  recorder.emit({ type: "warning", content });
}
