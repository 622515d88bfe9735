/**
 * What is to happen later: tasks with a time, and the occurrences at which they were done. A store keeps them so that several processes share the work, and
 * no occurrence is ever begun twice. When a task is next due is computed by whoever adds or ends it; a store knows no calendar.
 */
import type { Scope } from "./scope.ts";

/** Tasks of one session that may wait at once. */
export const MAX_SESSION_TASKS = 50;
/** Bytes of UTF-8 that a task's text may have. */
export const MAX_TASK_TEXT_BYTES = 8192;
/** Bytes of UTF-8 that its title may have. */
export const MAX_TASK_TITLE_BYTES = 200;
/** Bytes of UTF-8 that its rule may have. */
export const MAX_TASK_RULE_BYTES = 500;
/** Ended occurrences of a task, and ended tasks of a session, that are kept: the newest. */
export const MAX_KEPT_ENDED = 100;

/**
 * What `proactive_create` is aimed at where all that it makes is a text for its own session. The default policy lets this pass: a model says as much in every
 * answer. Whatever else is scheduled acts or reaches somebody later, when nobody watches, and is asked about.
 */
export const OWN_MESSAGE_TARGET = "message to this session";

/** How often a task is due: at one instant, by a cron expression, or by a recurrence rule of RFC 5545. */
export type TaskKind = "once" | "cron" | "rrule";

/** What is done when it is due: its text is delivered, or a run answers it. */
export type ExecutionMode = "message" | "agent";

/** Where a task stands. How its last occurrence went is told by its outcome. */
export type TaskState = "waiting" | "ended" | "cancelled";

/** How an occurrence ended. `unknown`: its process was lost between beginning and end, so it may have been done; it is not done again. */
export type OccurrenceEnd = "done" | "failed" | "unknown";

/**
 * Where an occurrence stands: `claimed` by a worker and not begun, `started` (from here on it may have had an effect), `retrying` (it failed without an
 * effect, and waits for its next attempt), or its end.
 */
export type OccurrenceState = "claimed" | "started" | "retrying" | OccurrenceEnd;

/** A task as it is handed to a store. */
export interface NewTask {
  /** The session that it belongs to; deleting the session deletes its tasks. */
  readonly sessionId: string;
  /** The tenant. */
  readonly scope?: Scope;
  /** The user that it was made for. */
  readonly userId?: string;
  /** How often it is due. */
  readonly kind: TaskKind;
  /** The cron expression or recurrence rule; "" for `once`. */
  readonly rule: string;
  /** The time zone that the rule is meant in: a name of the IANA database. */
  readonly zone: string;
  /** The wall-clock time in the zone at which a recurrence rule begins, `2026-01-31T09:00`; left out for the other kinds. */
  readonly startsAt?: string;
  /** What is done. */
  readonly mode: ExecutionMode;
  /** What is delivered, or what the run is to answer. */
  readonly text: string;
  /** A few words for people. */
  readonly title?: string;
  /** The name of the channel that gets the outcome. */
  readonly channel: string;
  /** When it is first due. */
  readonly dueAt: Date;
}

/** How the last ended occurrence of a task went. */
export interface TaskOutcome {
  /** Its end. */
  readonly state: OccurrenceEnd;
  /** When it was due. */
  readonly dueAt: Date;
  /** When it ended. */
  readonly endedAt: Date;
  /** More about it, such as why it failed. */
  readonly detail?: string;
}

/** A task that is kept. */
export interface ScheduledTask extends Omit<NewTask, "dueAt"> {
  /** Its id, unique in all stores: 12 hexadecimal digits. */
  readonly id: string;
  /** Where it stands. */
  readonly state: TaskState;
  /** When it is next due, or was and is being done; absent once it has ended. */
  readonly nextDueAt?: Date;
  /** Attempts at the occurrence that is due; 0 before the first. */
  readonly attempts: number;
  /** When that occurrence is tried again, where it failed. */
  readonly retryAt?: Date;
  /** How the last one went; absent before the first has ended. */
  readonly lastOutcome?: TaskOutcome;
  /** When it was made. */
  readonly createdAt: Date;
}

/** One occurrence of a task. There is at most one for each instant at which the task was due. */
export interface Occurrence {
  /** The task. */
  readonly taskId: string;
  /** When it was due. */
  readonly dueAt: Date;
  /** Where it stands. */
  readonly state: OccurrenceState;
  /** How often a worker took it on, without the times at which nothing could be tried. */
  readonly attempts: number;
  /** When it was begun the last time. */
  readonly startedAt?: Date;
  /** When it ended. */
  readonly endedAt?: Date;
  /** More about it, such as why it failed. */
  readonly detail?: string;
  /** What a run answered, kept before it is delivered so that a failed delivery makes no second run. */
  readonly result?: string;
}

/** An occurrence that a worker holds, until its lease ends. Hand it back as it came. */
export interface ClaimedOccurrence {
  /** The worker that holds it. */
  readonly workerId: string;
  /** The task, as it stands. */
  readonly task: ScheduledTask;
  /** The occurrence, as it stands. */
  readonly occurrence: Occurrence;
  /** Another worker had begun it and was lost: it may have been done. It must be ended as `unknown`, never begun. */
  readonly interrupted: boolean;
}

/** What a worker asks for. */
export interface ClaimRequest {
  /** Names the worker; no two that are alive may have the same name. */
  readonly workerId: string;
  /** The time. */
  readonly now: Date;
  /** How long the occurrence is the worker's unless it renews, in ms. */
  readonly leaseMs: number;
  /** What was due by then is meant. @default now */
  readonly dueBy?: Date;
  /** Tasks of these modes only. @default both */
  readonly modes?: readonly ExecutionMode[];
}

/** A lease from now on. */
export type Lease = Pick<ClaimRequest, "now" | "leaseMs">;

/** How a worker ends an occurrence. */
export type OccurrenceEnding =
  | {
    /** The time. */
    readonly now: Date;
    /** How it ended. */
    readonly state: OccurrenceEnd;
    /** More about it. */
    readonly detail?: string;
    /** When the task is due next, later than this occurrence; absent: never again. */
    readonly next?: Date;
  }
  | {
    /** The time. */
    readonly now: Date;
    /** It failed without an effect, or could not be begun, and is tried again. */
    readonly state: "retrying";
    /** Why it failed. */
    readonly detail: string;
    /** When it is tried again. */
    readonly retryAt: Date;
    /** Nothing was tried, since what it needs is busy: the attempt is taken back. @default false */
    readonly uncounted?: boolean;
  };

/**
 * Keeps tasks and occurrences. Held to `scheduleStoreContract` in `@agentloop/core/testing`.
 *
 * Every method is one step that other processes see as a whole or not at all.
 */
export interface ScheduleStore {
  /**
   * Keeps a task.
   *
   * @throws {TypeError} when a field is missing or of the wrong type, or a text is empty.
   * @throws {RangeError} when a text is too long, or the session has {@linkcode MAX_SESSION_TASKS} tasks that wait.
   */
  add(task: NewTask): Promise<ScheduledTask>;
  /** The task of this id. */
  get(taskId: string): Promise<ScheduledTask | undefined>;
  /** Tasks: those that wait, the next due first, then ended and cancelled ones, the newest first. */
  list(options?: {
    /** Tasks of this session only. @default all */
    readonly sessionId?: string;
    /** Waiting tasks only. @default false */
    readonly waitingOnly?: boolean;
    /** Tasks at most. @default all */
    readonly limit?: number;
  }): Promise<ScheduledTask[]>;
  /** Ends a task for good; false when there is none of this id that waits. An occurrence that has begun goes on. */
  cancel(taskId: string): Promise<boolean>;
  /** The occurrences of a task, the newest first. */
  occurrences(taskId: string): Promise<Occurrence[]>;
  /** When there is something to claim next: an instant that may have passed; absent when there is nothing. */
  nextWakeAt(): Promise<Date | undefined>;
  /**
   * Takes on an occurrence that is due, is to be tried again, or whose worker's lease ended; nothing when there is none. Never one that this worker holds.
   *
   * @throws {RangeError} when the lease is no positive number.
   */
  claim(request: ClaimRequest): Promise<ClaimedOccurrence | undefined>;
  /** Marks an occurrence as begun, and renews its lease. False when it is not the worker's any more, or the task was cancelled: then it must not be begun. */
  start(claim: ClaimedOccurrence, lease: Lease): Promise<boolean>;
  /** Renews the lease. False when the occurrence is not the worker's any more. */
  renew(claim: ClaimedOccurrence, lease: Lease): Promise<boolean>;
  /** Keeps what a run answered. False when the occurrence is not the worker's any more. */
  keepResult(claim: ClaimedOccurrence, result: string): Promise<boolean>;
  /**
   * Ends an occurrence, or puts it off. False when it is not the worker's any more: then nothing changed.
   *
   * @throws {RangeError} when `next` is not later than the occurrence.
   */
  finish(claim: ClaimedOccurrence, ending: OccurrenceEnding): Promise<boolean>;
}

/** Names one occurrence for good, also to whoever gets it: `3f2a…@2026-01-31T09:00:00.000Z`. */
export function occurrenceId({ taskId, dueAt }: Pick<Occurrence, "taskId" | "dueAt">): string {
  return `${taskId}@${dueAt.toISOString()}`;
}
