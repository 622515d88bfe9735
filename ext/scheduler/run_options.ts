/** What running due tasks needs, what it tells, and its defaults. */
import type { Channel } from "../../contracts/channel.ts";
import type {
  ExecutionMode,
  OccurrenceEnd,
  ScheduledTask,
  ScheduleStore,
} from "../../contracts/schedule.ts";
import type { Scope } from "../../contracts/scope.ts";

/** A run that a task asks for. */
export interface AgentRequest {
  /** Names the occurrence for good: the same whenever this is asked again. */
  readonly occurrenceId: string;
  /** The session that the run extends. */
  readonly sessionId: string;
  /** The tenant. */
  readonly scope?: Scope;
  /** The user that the task was made for. */
  readonly userId?: string;
  /** What the run is to answer: the task's text, with what is due and when. */
  readonly message: string;
  /** The task. */
  readonly task: ScheduledTask;
  /** Ends when the run is to be given up. */
  readonly signal: AbortSignal;
}

/** How a run went. */
export type AgentOutcome =
  | {
    readonly ok: true;
    /** What it answered. */
    readonly text: string;
  }
  | {
    readonly ok: false;
    /** Why there is no answer, in a sentence. */
    readonly reason: string;
    /** Nothing was done yet, and another attempt may help: the model could not be reached, say. */
    readonly retry: boolean;
    /** How long to wait before it, in ms. */
    readonly retryAfterMs?: number;
    /**
     * The session is not free, since it is being answered or waits for a person's word: with `retry`, this is no attempt, and there are as many as it takes.
     *
     * @default false
     */
    readonly busy?: boolean;
  };

/** Makes a run. What it throws counts as a failure that is not tried again. */
export type RunAgent = (request: AgentRequest) => Promise<AgentOutcome>;

/** What became of an occurrence. */
export interface OccurrenceReport {
  /** Names the occurrence. */
  readonly occurrenceId: string;
  /** The task, as it was. */
  readonly task: ScheduledTask;
  /** How it went. */
  readonly state: OccurrenceEnd | "retrying";
  /** More about it, such as why it failed. */
  readonly detail?: string;
  /** When it was due. */
  readonly dueAt: Date;
  /** How much later it was begun, in ms. */
  readonly lateMs: number;
  /** Further times that were missed, and are left out. */
  readonly missed: number;
  /** When it is tried again. */
  readonly retryAt?: Date;
  /** When the task is due next. */
  readonly next?: Date;
}

/** Waits, for tests with a clock of their own. */
export interface SchedulerTimers {
  /** Calls once, after at least so many ms. */
  set(callback: () => void, ms: number): unknown;
  /** Takes a call back. */
  clear(timer: unknown): void;
}

/** Options of {@linkcode runDue}. */
export interface RunDueOptions {
  /** Keeps the tasks. */
  readonly schedule: ScheduleStore;
  /** Where outcomes go, by their names. A task of a channel that is not among them fails. */
  readonly channels: readonly Channel[];
  /** Makes the runs of tasks in agent mode. @default such tasks are left to another process */
  readonly runAgent?: RunAgent;
  /** Told of each occurrence once it is over or put off. When it throws, the throw is ignored. */
  readonly onReport?: (report: OccurrenceReport) => void;
  /** Ends what is going on: no new occurrence is begun, and those under way are given up. */
  readonly signal?: AbortSignal;
  /** Names this worker; no two alive may have the same name. @default a random one */
  readonly workerId?: string;
  /** Occurrences at once. @default 4 */
  readonly concurrency?: number;
  /** Runs at once, among them. @default 1 */
  readonly agentConcurrency?: number;
  /** Time between the beginnings of two occurrences, in ms. @default 250 */
  readonly staggerMs?: number;
  /** Attempts at an occurrence, the first among them. @default 5 */
  readonly maxAttempts?: number;
  /** Time before the second attempt, in ms; it doubles with each, to an hour at most. @default 30_000 */
  readonly retryDelayMs?: number;
  /** How long an occurrence is another worker's to take after this one was lost, in ms. @default 60_000 */
  readonly leaseMs?: number;
  /** The clock. @default () => new Date() */
  readonly now?: () => Date;
  /** Waits. @default those of the runtime */
  readonly timers?: SchedulerTimers;
}

/** Options whose defaults are filled in. */
export type FilledRunOptions =
  & Required<Omit<RunDueOptions, "runAgent">>
  & Pick<RunDueOptions, "runAgent">;

/** The options of {@linkcode RunDueOptions}, by name. */
export const RUN_OPTIONS: Readonly<Record<keyof RunDueOptions, true>> = {
  schedule: true,
  channels: true,
  runAgent: true,
  onReport: true,
  signal: true,
  workerId: true,
  concurrency: true,
  agentConcurrency: true,
  staggerMs: true,
  maxAttempts: true,
  retryDelayMs: true,
  leaseMs: true,
  now: true,
  timers: true,
};

/**
 * Fills in the defaults.
 *
 * @throws {TypeError} when the store, a channel or `runAgent` is none.
 * @throws {RangeError} when a number is out of range.
 */
export function filledRunOptions(options: RunDueOptions): FilledRunOptions {
  checkParts(options);
  const filled: FilledRunOptions = {
    schedule: options.schedule,
    channels: options.channels,
    ...(options.runAgent === undefined ? {} : { runAgent: options.runAgent }),
    onReport: options.onReport ?? (() => {}),
    signal: options.signal ?? new AbortController().signal,
    workerId: options.workerId ?? crypto.randomUUID(),
    concurrency: options.concurrency ?? 4,
    agentConcurrency: options.agentConcurrency ?? 1,
    staggerMs: options.staggerMs ?? 250,
    maxAttempts: options.maxAttempts ?? 5,
    retryDelayMs: options.retryDelayMs ?? 30_000,
    leaseMs: options.leaseMs ?? 60_000,
    now: options.now ?? (() => new Date()),
    timers: options.timers ?? RUNTIME_TIMERS,
  };
  for (const name of ["concurrency", "agentConcurrency", "maxAttempts", "leaseMs"] as const) {
    if (filled[name] >= 1) continue;
    throw new RangeError(`${name} must be a number of at least 1, not ${filled[name]}`);
  }
  for (const name of ["staggerMs", "retryDelayMs"] as const) {
    if (filled[name] >= 0) continue;
    throw new RangeError(`${name} must be a number of at least 0, not ${filled[name]}`);
  }
  return filled;
}

/** What is wrong with a part would else show when a task is due, hours later. */
function checkParts({ schedule, channels, runAgent }: RunDueOptions): void {
  for (const method of ["claim", "finish", "nextWakeAt"] as const) {
    if (typeof schedule?.[method] === "function") continue;
    throw new TypeError(`schedule must be a schedule store; it lacks ${method}`);
  }
  if (!Array.isArray(channels)) throw new TypeError("channels must be a list of channels");
  for (const [at, channel] of channels.entries()) {
    if (typeof channel?.deliver === "function" && typeof channel.name === "string") continue;
    throw new TypeError(`channels[${at}] must be a channel, such as sessionChannel({ steps })`);
  }
  if (runAgent !== undefined && typeof runAgent !== "function") {
    throw new TypeError("runAgent must be a function that makes a run");
  }
}

/** The modes that a process with these options does. */
export function modesOf({ runAgent }: Pick<RunDueOptions, "runAgent">): readonly ExecutionMode[] {
  return runAgent === undefined ? ["message"] : ["message", "agent"];
}

/** The timers of the runtime. */
export const RUNTIME_TIMERS: SchedulerTimers = {
  set: (callback, ms) => setTimeout(callback, ms),
  clear: (timer) => clearTimeout(timer as number),
};

/** Resolves after a time, or when a signal ends. */
export function pause(
  ms: number,
  { timers, signal }: { readonly timers: SchedulerTimers; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      timers.clear(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = timers.set(end, ms);
    signal.addEventListener("abort", end);
  });
}
