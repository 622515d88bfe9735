/**
 * The scheduler in a server: what is due is done here, by exactly one of the servers that share a database. A session that is being
 * answered is waited for: nothing is put between the steps of a run.
 */
import type { Channel, Delivery } from "../../contracts/channel.ts";
import type { TextRedactor } from "../../contracts/redaction.ts";
import {
  type AgentOutcome,
  type AgentRequest,
  type OccurrenceReport,
  type RunningScheduler,
  sessionChannel,
  startScheduler,
  stdoutChannel,
} from "../../ext/scheduler/mod.ts";
import { redactJson } from "../../redact/redact_json.ts";
import { describeFailure } from "../failure.ts";
import type { Output } from "../output.ts";
import { OF_A_TENANT, PASSING } from "../scheduled_run.ts";
import type { Status } from "../status.ts";
import type { Store } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";
import { formatDuration } from "../units.ts";
import { putOffWhileWaiting } from "../waiting_session.ts";
import type { MakeRun } from "./message_route.ts";
import { Refusal } from "./refusal.ts";
import { createRunRate, MAX_WINDOW_RUNS, RATE_WINDOW_MS, type RunRate } from "./run_rate.ts";
import type { SessionRuns } from "./session_runs.ts";

/** After how long a task is tried again whose session is being answered, or for whose run there was no place, in ms. It waits in the store, where it keeps no other from being done. */
const BUSY_MS = 2_000;
/** How long a session that is being answered is waited for when it is to be told what became of a task, which is told once, in ms. */
const NOTICE_WAIT_MS = 60_000;

/**
 * How long an occurrence is left to a server that no longer says that it is at it, in ms: it says so every 5 s. Another server then takes it over, and tells what is not known
 * of it.
 */
const LEASE_MS = 15_000;

/** What the scheduler of a server works with. */
export interface ServedScheduler {
  /** Keeps tasks and sessions. */
  readonly store: Store;
  /** The places for runs. */
  readonly runs: SessionRuns;
  /** Makes them. */
  readonly makeRun: MakeRun;
  /** Where the channel `stdout` writes. */
  readonly output: Output;
  /** Where is said what became of tasks. */
  readonly status: Status;
  /** Takes secrets out of what is written. */
  readonly redactor: TextRedactor;
  /** Channels beside `session` and `stdout`. */
  readonly channels: readonly Channel[];
  /** How long what is under way may take when the server is to stop, in ms. */
  readonly graceMs: number;
}

/** Begins to do what is due. The caller stops it. */
export function startServedScheduler(parts: ServedScheduler): RunningScheduler {
  const { store, output, status, redactor, graceMs } = parts;
  const rate = createRunRate();
  return startScheduler({
    schedule: store.schedule,
    graceMs,
    leaseMs: LEASE_MS,
    channels: [
      patientChannel(sessionChannel({ steps: store }), parts.runs),
      stdoutChannel({
        format: output.json ? "ndjson" : "text",
        write(line) {
          if (output.closed.aborted) throw new Error("nobody reads stdout");
          if (output.json) output.line(redactJson(JSON.parse(line), redactor));
          else output.text(`${redactor.redact(line)}\n`);
        },
      }),
      ...parts.channels,
    ],
    runAgent: (request) => answer(request, { ...parts, rate }),
    onReport: onceForEach((report) => status.line(reportText(report, redactor), toneOf(report))),
    onError: (error) => {
      const { message } = describeFailure(error);
      status.warning(oneLine(`the scheduler: ${redactor.redact(message)}`, 400));
    },
  });
}

/** Tells once that a task is put off, however often it is looked at meanwhile. */
function onceForEach(
  tell: (report: OccurrenceReport) => void,
): (report: OccurrenceReport) => void {
  const told = new Map<string, string | undefined>();
  return (report) => {
    const { occurrenceId, state, detail } = report;
    if (state !== "retrying") told.delete(occurrenceId);
    else if (told.has(occurrenceId) && told.get(occurrenceId) === detail) return;
    else told.set(occurrenceId, detail);
    tell(report);
  };
}

/** A channel into sessions that leaves those alone which are being answered. */
function patientChannel(channel: Channel, runs: SessionRuns): Channel {
  return {
    ...channel,
    async deliver(message, options) {
      try {
        const { kind, sessionId } = message;
        const attempt = () => runs.hold(sessionId);
        using _held = kind === "notice"
          ? await whenFree(attempt, { runs, sessionId, signal: options.signal })
          : attempt();
        return await channel.deliver(message, options);
      } catch (error) {
        if (error instanceof Refusal) return notFree(error);
        throw error;
      }
    },
  };
}

/** Tries until the session is free, or too much time has passed; then what the attempt throws is let through. */
async function whenFree<T>(
  attempt: () => T,
  { runs, sessionId, signal }: {
    readonly runs: SessionRuns;
    readonly sessionId: string;
    readonly signal: AbortSignal;
  },
): Promise<T> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), NOTICE_WAIT_MS);
  const end = AbortSignal.any([signal, patience.signal]);
  try {
    for (;;) {
      await runs.whenFree(sessionId, end);
      try {
        return attempt();
      } catch (error) {
        // Whoever waited too was faster.
        const isBusy = error instanceof Refusal && error.code === "busy";
        if (!isBusy || end.aborted) throw error;
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

async function answer(
  { sessionId, message, scope, signal }: AgentRequest,
  { runs, makeRun, store, rate }: ServedScheduler & { readonly rate: RunRate },
): Promise<AgentOutcome> {
  if (scope !== undefined) return OF_A_TENANT;
  try {
    using place = runs.take(sessionId);
    const putOff = await putOffWhileWaiting(store, sessionId);
    if (putOff !== undefined) return putOff;
    const waitMs = rate.take(sessionId);
    if (waitMs !== undefined) return tooMany(sessionId, waitMs);
    const result = await makeRun({
      sessionId,
      message,
      signal: AbortSignal.any([place.signal, signal]),
      onEvent() {},
    });
    return outcomeOf(result);
  } catch (error) {
    if (error instanceof Refusal) return notFree(error);
    throw error;
  }
}

/** What becomes of a task whose session had too many runs of late. */
function tooMany(sessionId: string, retryAfterMs: number): AgentOutcome {
  const window = formatDuration(RATE_WINDOW_MS);
  return {
    ok: false,
    reason: `there were ${MAX_WINDOW_RUNS} scheduled runs of session ${
      oneLine(sessionId, 60)
    } within ${window}; it waits for its turn`,
    retry: true,
    busy: true,
    retryAfterMs,
  };
}

/** What becomes of a task for which there is no place now. */
function notFree({ message }: Refusal): Delivery & { readonly ok: false } {
  return { ok: false, reason: message, retry: true, busy: true, retryAfterMs: BUSY_MS };
}

/** What a result line says of a run; the fields are those of `resultLine`. */
function outcomeOf(result: Awaited<ReturnType<MakeRun>>): AgentOutcome {
  if (result.status === "completed") return { ok: true, text: String(result.text) };
  const { error, reason, spent } = result as unknown as {
    readonly error: { readonly type: string; readonly message: string } | null;
    readonly reason: string | null;
    readonly spent: { readonly host_calls: number };
  };
  const isPassing = reason === "aborted" || PASSING.some((code) => code === error?.type);
  return {
    ok: false,
    reason: error?.message ?? `the run ended with ${result.status}`,
    // A run that called something may have had an effect, and is not made again.
    retry: isPassing && spent.host_calls === 0,
  };
}

function reportText({ task, state, detail }: OccurrenceReport, redactor: TextRedactor): string {
  const name = task.title ?? task.id;
  const why = detail === undefined ? "" : `: ${detail}`;
  return oneLine(redactor.redact(`scheduled ${name}: ${state}${why}`), 300);
}

function toneOf({ state }: OccurrenceReport): "dim" | "warning" {
  return state === "done" ? "dim" : "warning";
}
