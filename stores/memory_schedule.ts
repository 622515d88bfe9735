// deno-lint-ignore-file require-await -- the interface is asynchronous, and a bad argument is to reject, not to throw
/** Tasks in this process's memory. Part of `MemoryStore`; the same rules as the store in a file. */
import {
  type ClaimedOccurrence,
  type ClaimRequest,
  type Lease,
  MAX_KEPT_ENDED,
  MAX_SESSION_TASKS,
  type NewTask,
  type Occurrence,
  type OccurrenceEnding,
  type ScheduledTask,
  type ScheduleStore,
  type TaskState,
} from "../contracts/schedule.ts";
import {
  checkedClaim,
  checkedEnding,
  checkedTask,
  leaseEnd,
  newTaskId,
  tooManyTasks,
} from "./schedule_input.ts";
import { checkedListLimit, checkedSessionId } from "./step_input.ts";

interface Row extends Omit<Occurrence, "dueAt"> {
  readonly dueAt: Date;
  readonly workerId: string;
  /** When it can be claimed: the lease's end, or the next attempt. Absent once it has ended. */
  readonly wakeAt?: number;
}

interface Entry {
  readonly id: string;
  readonly task: NewTask;
  readonly createdAt: Date;
  state: TaskState;
  nextDueAt: Date | undefined;
  /** By the instant at which each was due, the oldest first. */
  readonly rows: Map<number, Row>;
}

/** Keeps tasks in memory. */
export class MemorySchedule implements ScheduleStore {
  readonly #now: () => Date;
  readonly #entries = new Map<string, Entry>();

  /** Begins with none. */
  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Keeps a task. */
  async add(given: NewTask): Promise<ScheduledTask> {
    const task = checkedTask(given);
    const own = [...this.#entries.values()].filter(ofSession(task.sessionId));
    if (own.filter(isWaiting).length >= MAX_SESSION_TASKS) throw tooManyTasks();
    const old = own.filter((entry) => !isWaiting(entry)).slice(0, 1 - MAX_KEPT_ENDED);
    for (const { id } of old) this.#entries.delete(id);
    const entry: Entry = {
      id: newTaskId(),
      task,
      createdAt: new Date(this.#now()),
      state: "waiting",
      nextDueAt: task.dueAt,
      rows: new Map(),
    };
    this.#entries.set(entry.id, entry);
    return shown(entry);
  }

  /** The task of this id. */
  async get(taskId: string): Promise<ScheduledTask | undefined> {
    const entry = this.#entries.get(taskId);
    return entry && shown(entry);
  }

  /** Tasks, those that wait first. */
  async list(
    options: {
      readonly sessionId?: string;
      readonly waitingOnly?: boolean;
      readonly limit?: number;
    } = {},
  ): Promise<ScheduledTask[]> {
    const { sessionId, waitingOnly = false } = options;
    const limit = checkedListLimit(options.limit);
    const all = [...this.#entries.values()]
      .filter(sessionId === undefined ? () => true : ofSession(checkedSessionId(sessionId)));
    const waiting = all.filter(isWaiting)
      .sort((a, b) => Number(a.nextDueAt) - Number(b.nextDueAt));
    const over = waitingOnly ? [] : all.filter((entry) => !isWaiting(entry)).reverse();
    return [...waiting, ...over].slice(0, limit).map(shown);
  }

  /** Ends a task for good. */
  async cancel(taskId: string): Promise<boolean> {
    const entry = this.#entries.get(taskId);
    if (entry === undefined || !isWaiting(entry)) return false;
    const open = openRow(entry);
    if (open !== undefined && open.state !== "started") {
      entry.rows.delete(open.dueAt.getTime());
      entry.nextDueAt = undefined;
    }
    if (open === undefined) entry.nextDueAt = undefined;
    entry.state = "cancelled";
    return true;
  }

  /** The occurrences of a task, the newest first. */
  async occurrences(taskId: string): Promise<Occurrence[]> {
    const entry = this.#entries.get(taskId);
    return entry === undefined ? [] : [...entry.rows.values()].reverse().map(shownRow);
  }

  /** When there is something to claim next. */
  async nextWakeAt(): Promise<Date | undefined> {
    const times = [...this.#entries.values()].map(wakeTime);
    const next = times.reduce((least, time) => Math.min(least, time), Infinity);
    return next === Infinity ? undefined : new Date(next);
  }

  /** Takes on an occurrence. */
  async claim(request: ClaimRequest): Promise<ClaimedOccurrence | undefined> {
    const { workerId, now, dueBy, modes } = checkedClaim(request);
    const entry = [...this.#entries.values()]
      .filter((entry) => {
        const open = openRow(entry);
        const by = open === undefined ? dueBy : open.state === "retrying" ? dueBy : now;
        return modes.includes(entry.task.mode) && wakeTime(entry) <= by.getTime() &&
          !(open !== undefined && open.state !== "retrying" && open.workerId === workerId);
      })
      .sort((a, b) => wakeTime(a) - wakeTime(b))[0];
    const dueAt = entry?.nextDueAt;
    if (entry === undefined || dueAt === undefined) return undefined;
    const open = openRow(entry);
    const interrupted = open?.state === "started";
    const row: Row = {
      ...open,
      taskId: entry.id,
      dueAt,
      state: interrupted ? "started" : "claimed",
      attempts: (open?.attempts ?? 0) + 1,
      workerId,
      wakeAt: leaseEnd(request),
    };
    entry.rows.set(dueAt.getTime(), row);
    return { workerId, task: shown(entry), occurrence: shownRow(row), interrupted };
  }

  /** Marks an occurrence as begun. */
  async start(claim: ClaimedOccurrence, lease: Lease): Promise<boolean> {
    const wakeAt = leaseEnd(lease);
    const held = this.#held(claim);
    if (held?.row.state !== "claimed" || held.entry.state !== "waiting") return false;
    return put(held, { state: "started", startedAt: new Date(lease.now), wakeAt });
  }

  /** Renews a lease. */
  async renew(claim: ClaimedOccurrence, lease: Lease): Promise<boolean> {
    const wakeAt = leaseEnd(lease);
    const held = this.#held(claim);
    return held !== undefined && put(held, { wakeAt });
  }

  /** Keeps what a run answered. */
  async keepResult(claim: ClaimedOccurrence, result: string): Promise<boolean> {
    const held = this.#held(claim);
    return held !== undefined && put(held, { result: result.toWellFormed() });
  }

  /** Ends an occurrence, or puts it off. */
  async finish(claim: ClaimedOccurrence, given: OccurrenceEnding): Promise<boolean> {
    const ending = checkedEnding(given, claim.occurrence.dueAt);
    const held = this.#held(claim);
    if (held === undefined) return false;
    const { entry, row } = held;
    const { wakeAt: _wake, detail: _old, ...rest } = row;
    if (ending.state === "retrying" && isWaiting(entry)) {
      const { state, detail, retryAt, uncounted } = ending;
      const attempts = row.attempts - (uncounted ? 1 : 0);
      return put(held, { state, detail, attempts, wakeAt: retryAt.getTime() });
    }
    const { detail, now } = ending;
    const state = ending.state === "retrying" ? "failed" : ending.state;
    entry.rows.set(row.dueAt.getTime(), {
      ...rest,
      state,
      endedAt: now,
      ...(detail === undefined ? {} : { detail }),
    });
    const next = ending.state === "retrying" ? undefined : ending.next;
    entry.nextDueAt = isWaiting(entry) ? next : undefined;
    if (isWaiting(entry) && next === undefined) entry.state = "ended";
    const old = [...entry.rows.keys()].slice(0, -MAX_KEPT_ENDED);
    for (const key of old) entry.rows.delete(key);
    return true;
  }

  /** Deletes the tasks of a session. */
  deleteSession(sessionId: string): void {
    for (const entry of [...this.#entries.values()].filter(ofSession(sessionId))) {
      this.#entries.delete(entry.id);
    }
  }

  #held({ workerId, occurrence }: ClaimedOccurrence): Held | undefined {
    const entry = this.#entries.get(occurrence.taskId);
    const row = entry && openRow(entry);
    if (row === undefined || row.dueAt.getTime() !== occurrence.dueAt.getTime()) return undefined;
    if (row.workerId !== workerId || row.attempts !== occurrence.attempts) return undefined;
    return row.state === "retrying" ? undefined : { entry: entry as Entry, row };
  }
}

interface Held {
  readonly entry: Entry;
  readonly row: Row;
}

function put({ entry, row }: Held, change: Partial<Row>): true {
  entry.rows.set(row.dueAt.getTime(), { ...row, ...change });
  return true;
}

function ofSession(sessionId: string): (entry: Entry) => boolean {
  return ({ task }) => task.sessionId === sessionId;
}

function isWaiting({ state }: Entry): boolean {
  return state === "waiting";
}

/** The occurrence that is going on. */
function openRow({ nextDueAt, rows }: Entry): Row | undefined {
  return nextDueAt && rows.get(nextDueAt.getTime());
}

function wakeTime(entry: Entry): number {
  return openRow(entry)?.wakeAt ?? entry.nextDueAt?.getTime() ?? Infinity;
}

function shown(entry: Entry): ScheduledTask {
  const { dueAt: _, scope, ...task } = entry.task;
  const open = openRow(entry);
  const last = [...entry.rows.values()].findLast((row) => row.endedAt !== undefined);
  return {
    ...task,
    ...(scope === undefined ? {} : { scope: { ...scope } }),
    id: entry.id,
    state: entry.state,
    ...(entry.nextDueAt === undefined ? {} : { nextDueAt: new Date(entry.nextDueAt) }),
    attempts: open?.attempts ?? 0,
    ...(open?.state === "retrying" ? { retryAt: new Date(open.wakeAt as number) } : {}),
    ...(last === undefined ? {} : {
      lastOutcome: {
        state: last.state as "done" | "failed" | "unknown",
        dueAt: new Date(last.dueAt),
        endedAt: new Date(last.endedAt as Date),
        ...(last.detail === undefined ? {} : { detail: last.detail }),
      },
    }),
    createdAt: new Date(entry.createdAt),
  };
}

function shownRow({ workerId: _worker, wakeAt: _wake, ...row }: Row): Occurrence {
  return {
    ...row,
    dueAt: new Date(row.dueAt),
    ...(row.startedAt === undefined ? {} : { startedAt: new Date(row.startedAt) }),
    ...(row.endedAt === undefined ? {} : { endedAt: new Date(row.endedAt) }),
  };
}
