/**
 * Tasks in the store's file. Part of `SqliteStore`, whose connection it uses. Each step of an occurrence is one transaction that looks at who holds it, so that of several
 * processes exactly one goes on.
 */
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
} from "../../contracts/schedule.ts";
import {
  checkedClaim,
  checkedEnding,
  checkedTask,
  leaseEnd,
  newTaskId,
  tooManyTasks,
} from "../schedule_input.ts";
import { checkedListLimit, checkedSessionId } from "../step_input.ts";
import type { Connection } from "./connection.ts";
import { OCCURRENCE, occurrenceOf, TASK, taskOf } from "./schedule_rows.ts";
import { toColumn, toOptionalColumn } from "./text_column.ts";

const INSERT = `
  INSERT INTO tasks (task_id, session_id, workspace_id, project_id, user_id, kind, rule, zone, starts_at, mode, text, title, channel,
      state, next_due_at, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`;
const COUNT = "SELECT count(*) FROM tasks WHERE session_id = ? AND state = 'waiting'";
const PRUNE_TASKS = `
  DELETE FROM tasks WHERE session_id = ? AND state <> 'waiting' AND task_number <= (
    SELECT task_number FROM tasks WHERE session_id = ? AND state <> 'waiting'
      ORDER BY task_number DESC LIMIT 1 OFFSET ${MAX_KEPT_ENDED - 1})`;
const BY_ID = `${TASK} WHERE task_id = ?`;
const LIST = `
  ${TASK} WHERE (session_id = ? OR ?) AND (tasks.state = 'waiting' OR ?)
    ORDER BY tasks.state <> 'waiting', CASE tasks.state WHEN 'waiting' THEN next_due_at ELSE -tasks.task_number END, tasks.task_number LIMIT +?`;
// An occurrence that has not begun is taken back; one that has goes on, and its end ends the task.
const TAKE_BACK = `
  DELETE FROM occurrences WHERE state IN ('claimed', 'retrying')
    AND (task_number, due_at) = (SELECT task_number, next_due_at FROM tasks WHERE task_id = ?)`;
const CANCEL = `
  UPDATE tasks SET state = 'cancelled', next_due_at = CASE WHEN EXISTS
      (SELECT 1 FROM occurrences AS o WHERE o.task_number = tasks.task_number AND due_at = next_due_at) THEN next_due_at END
    WHERE task_id = ? AND state = 'waiting'`;
const OCCURRENCES = `
  ${OCCURRENCE} JOIN tasks AS t USING (task_number) WHERE t.task_id = ? ORDER BY due_at DESC`;
const NO_OPEN = `NOT EXISTS
  (SELECT 1 FROM occurrences AS o WHERE o.task_number = tasks.task_number AND due_at = next_due_at)`;
const NEXT_WAKE = `
  SELECT min(at) FROM (
    SELECT min(next_due_at) AS at FROM tasks WHERE next_due_at IS NOT NULL AND ${NO_OPEN}
    UNION ALL SELECT min(wake_at) FROM occurrences WHERE wake_at IS NOT NULL)`;
const CLAIMABLE = `
  SELECT task_number, next_due_at, at FROM (
    SELECT task_number, next_due_at, next_due_at AS at, mode FROM tasks WHERE next_due_at <= ?1 AND ${NO_OPEN}
    UNION ALL
    SELECT task_number, due_at, wake_at, mode FROM occurrences JOIN tasks USING (task_number)
      WHERE wake_at <= CASE occurrences.state WHEN 'retrying' THEN ?1 ELSE ?2 END
        AND (occurrences.state = 'retrying' OR worker_id <> ?3))
  WHERE mode = ?4 OR mode = ?5 ORDER BY at, task_number LIMIT 1`;
const TAKE = `
  INSERT INTO occurrences (task_number, due_at, state, attempts, worker_id, wake_at) VALUES (?, ?, 'claimed', 1, ?, ?)
    ON CONFLICT DO UPDATE SET state = CASE state WHEN 'started' THEN 'started' ELSE 'claimed' END, attempts = attempts + 1,
      worker_id = excluded.worker_id, wake_at = excluded.wake_at`;
const ONE =
  `${OCCURRENCE} JOIN tasks AS t USING (task_number) WHERE task_number = ? AND due_at = ?`;
const TASK_BY_NUMBER = `${TASK} WHERE tasks.task_number = ?`;
/** What one worker holds: parameters 1 to 4 are task, instant, worker, attempts. */
const HELD = `
  task_number = (SELECT task_number FROM tasks WHERE task_id = ?1 AND next_due_at = ?2) AND due_at = ?2
    AND worker_id = ?3 AND attempts = ?4 AND state IN ('claimed', 'started')`;
const START = `
  UPDATE occurrences SET state = 'started', started_at = ?5, wake_at = ?6 WHERE ${HELD} AND state = 'claimed'
    AND EXISTS (SELECT 1 FROM tasks WHERE task_id = ?1 AND tasks.state = 'waiting')`;
const RENEW = `UPDATE occurrences SET wake_at = ?5 WHERE ${HELD}`;
const KEEP = `UPDATE occurrences SET result = ?5 WHERE ${HELD}`;
const RETRY = `
  UPDATE occurrences SET state = 'retrying', detail = ?5, wake_at = ?6, attempts = attempts - ?7 WHERE ${HELD}
    AND EXISTS (SELECT 1 FROM tasks WHERE task_id = ?1 AND tasks.state = 'waiting')`;
const END = `
  UPDATE occurrences SET state = ?5, detail = ?6, ended_at = ?7, wake_at = NULL WHERE ${HELD} RETURNING task_number`;
const ADVANCE = `
  UPDATE tasks SET next_due_at = CASE state WHEN 'waiting' THEN ?1 END,
      state = CASE WHEN state = 'waiting' AND ?1 IS NULL THEN 'ended' ELSE state END
    WHERE task_number = ?2`;
const PRUNE_OCCURRENCES = `
  DELETE FROM occurrences WHERE task_number = ?1 AND due_at <= (
    SELECT due_at FROM occurrences WHERE task_number = ?1 ORDER BY due_at DESC LIMIT 1 OFFSET ${MAX_KEPT_ENDED})`;

/** Keeps tasks in a store's file. */
export class SqliteSchedule implements ScheduleStore {
  readonly #connection: Connection;
  readonly #now: () => Date;

  /** Uses a connection that somebody else owns. */
  constructor(connection: Connection, now: () => Date) {
    this.#connection = connection;
    this.#now = now;
  }

  /** Keeps a task. */
  // deno-lint-ignore require-await -- a bad argument is to reject, not to throw
  async add(given: NewTask): Promise<ScheduledTask> {
    const task = checkedTask(given);
    const sessionId = toColumn(task.sessionId);
    return this.#connection.write("add a task", () => {
      if (Number(this.#connection.rows(COUNT, sessionId)[0]?.[0]) >= MAX_SESSION_TASKS) {
        throw tooManyTasks();
      }
      this.#connection.statement(PRUNE_TASKS).run(sessionId, sessionId);
      const id = newTaskId();
      this.#connection.statement(INSERT).run(
        id,
        sessionId,
        toOptionalColumn(task.scope?.workspaceId),
        toOptionalColumn(task.scope?.projectId),
        toOptionalColumn(task.userId),
        task.kind,
        toColumn(task.rule),
        toColumn(task.zone),
        toOptionalColumn(task.startsAt),
        task.mode,
        toColumn(task.text),
        toOptionalColumn(task.title),
        toColumn(task.channel),
        task.dueAt.getTime(),
        this.#now().getTime(),
      );
      return taskOf(this.#connection.rows(BY_ID, id)[0] ?? []);
    });
  }

  /** The task of this id. */
  get(taskId: string): Promise<ScheduledTask | undefined> {
    return this.#connection.read("read a task", () => {
      const row = this.#connection.rows(BY_ID, toColumn(String(taskId)))[0];
      return row && taskOf(row);
    });
  }

  /** Tasks, those that wait first. */
  // deno-lint-ignore require-await -- see add
  async list(
    options: {
      readonly sessionId?: string;
      readonly waitingOnly?: boolean;
      readonly limit?: number;
    } = {},
  ): Promise<ScheduledTask[]> {
    const { waitingOnly = false } = options;
    const session = options.sessionId === undefined ? "" : checkedSessionId(options.sessionId);
    const all = options.sessionId === undefined ? 1 : 0;
    const limit = Math.min(checkedListLimit(options.limit), Number.MAX_SAFE_INTEGER);
    return this.#connection.read(
      "list tasks",
      () =>
        this.#connection.rows(LIST, toColumn(session), all, waitingOnly ? 0 : 1, limit).map(taskOf),
    );
  }

  /** Ends a task for good. */
  cancel(taskId: string): Promise<boolean> {
    const id = toColumn(String(taskId));
    return this.#connection.write("cancel a task", () => {
      this.#connection.statement(TAKE_BACK).run(id);
      return Number(this.#connection.statement(CANCEL).run(id).changes) > 0;
    });
  }

  /** The occurrences of a task, the newest first. */
  occurrences(taskId: string): Promise<Occurrence[]> {
    return this.#connection.read(
      "read the occurrences of a task",
      () => this.#connection.rows(OCCURRENCES, toColumn(String(taskId))).map(occurrenceOf),
    );
  }

  /** When there is something to claim next. */
  nextWakeAt(): Promise<Date | undefined> {
    return this.#connection.read("look for the next task", () => {
      const at = this.#connection.rows(NEXT_WAKE)[0]?.[0];
      return at === null || at === undefined ? undefined : new Date(Number(at));
    });
  }

  /** Takes on an occurrence. */
  async claim(request: ClaimRequest): Promise<ClaimedOccurrence | undefined> {
    const { workerId, now, dueBy, modes } = checkedClaim(request);
    const until = leaseEnd(request);
    const [first = "", second = first] = modes;
    const asked = [dueBy.getTime(), now.getTime(), toColumn(workerId), first, second] as const;
    // A worker that finds nothing takes no lock.
    const find = () => this.#connection.rows(CLAIMABLE, ...asked)[0];
    if (await this.#connection.read("look for what is due", find) === undefined) return undefined;
    return this.#connection.write("claim an occurrence", () => {
      const found = find();
      if (found === undefined) return undefined;
      const [number, due] = [Number(found[0]), Number(found[1])];
      this.#connection.statement(TAKE).run(number, due, toColumn(workerId), until);
      const occurrence = occurrenceOf(this.#connection.rows(ONE, number, due)[0] ?? []);
      const task = taskOf(this.#connection.rows(TASK_BY_NUMBER, number)[0] ?? []);
      return { workerId, task, occurrence, interrupted: occurrence.state === "started" };
    });
  }

  /** Marks an occurrence as begun. */
  // deno-lint-ignore require-await -- see add
  async start(claim: ClaimedOccurrence, lease: Lease): Promise<boolean> {
    const until = leaseEnd(lease);
    return this.#change(START, claim, [lease.now.getTime(), until]);
  }

  /** Renews a lease. */
  // deno-lint-ignore require-await -- see add
  async renew(claim: ClaimedOccurrence, lease: Lease): Promise<boolean> {
    return this.#change(RENEW, claim, [leaseEnd(lease)]);
  }

  /** Keeps what a run answered. */
  // deno-lint-ignore require-await -- see add
  async keepResult(claim: ClaimedOccurrence, result: string): Promise<boolean> {
    return this.#change(KEEP, claim, [toColumn(result.toWellFormed())]);
  }

  /** Ends an occurrence, or puts it off. */
  // deno-lint-ignore require-await -- see add
  async finish(claim: ClaimedOccurrence, given: OccurrenceEnding): Promise<boolean> {
    const ending = checkedEnding(given, claim.occurrence.dueAt);
    const held = heldBy(claim);
    return this.#connection.write("end an occurrence", () => {
      const detail = toOptionalColumn(ending.detail);
      if (ending.state === "retrying") {
        const wakeAt = ending.retryAt.getTime();
        const back = ending.uncounted ? 1 : 0;
        const put = this.#connection.statement(RETRY).run(...held, detail, wakeAt, back);
        if (put.changes) return true;
      }
      const state = ending.state === "retrying" ? "failed" : ending.state;
      const row = this.#connection.statement(END).get(...held, state, detail, ending.now.getTime());
      if (row === undefined) return false;
      const number = Number(row.task_number);
      const next = ending.state === "retrying" ? undefined : ending.next;
      this.#connection.statement(ADVANCE).run(next?.getTime() ?? null, number);
      this.#connection.statement(PRUNE_OCCURRENCES).run(number);
      return true;
    });
  }

  #change(
    sql: string,
    claim: ClaimedOccurrence,
    values: readonly (number | string | Uint8Array)[],
  ): Promise<boolean> {
    const held = heldBy(claim);
    return this.#connection.write("change an occurrence", () => {
      return Number(this.#connection.statement(sql).run(...held, ...values).changes) > 0;
    });
  }
}

/** Deletes the tasks of a session inside the transaction of whoever calls. */
export function deleteTasks(connection: Connection, sessionId: string): void {
  connection.statement("DELETE FROM tasks WHERE session_id = ?").run(toColumn(sessionId));
}

function heldBy({ workerId, occurrence }: ClaimedOccurrence) {
  const { taskId, dueAt, attempts } = occurrence;
  return [toColumn(taskId), dueAt.getTime(), toColumn(workerId), attempts] as const;
}
