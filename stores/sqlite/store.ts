// deno-lint-ignore-file require-await -- the interfaces are asynchronous, and a bad argument is to reject, not to throw
/**
 * Sessions and steps in one SQLite file that several processes may use at once.
 * Leaves files, schema, locks and the indexes of steps to the modules beside it.
 */
import { refuseUnknown } from "../../contracts/known_names.ts";
import { resolve } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import type { ArtifactStore } from "../../contracts/artifact.ts";
import type { CallEnded, CallLog, CallRow, CallStart } from "../../contracts/call_log.ts";
import type { EventLog } from "../../contracts/event_log.ts";
import type { FactStore } from "../../contracts/fact.ts";
import type { Grant, GrantStore } from "../../contracts/grant.ts";
import type { Spend, SpendLedger } from "../../contracts/limits.ts";
import type { ResultStore } from "../../contracts/long_result.ts";
import type { ScriptJournal } from "../../contracts/script_journal.ts";
import type {
  FinalizeSummary,
  Session,
  SessionCatalog,
  SessionListing,
  SessionStore,
} from "../../contracts/session.ts";
import type { ScheduleStore } from "../../contracts/schedule.ts";
import type { NewRunStep, RunStep, StepStore } from "../../contracts/step.ts";
import { checkedAfter, checkedCallEnded, checkedCallStart } from "../call_input.ts";
import { checkedGrant, checkedRevocation } from "../grant_input.ts";
import { checkedMinute, checkedScopeKey, checkedSpend } from "../spend_input.ts";
import {
  checkedData,
  checkedListLimit,
  checkedSessionId,
  type CheckedStep,
  checkedStep,
  checkedStepLimit,
  checkedSteps,
  checkedSummary,
  optionalText,
} from "../step_input.ts";
import { SqliteArtifacts } from "./artifacts.ts";
import { completeCall, insertCall, selectCalls } from "./calls.ts";
import { deleteGrants, insertGrant, selectGrants } from "./grants.ts";
import { Connection } from "./connection.ts";
import { deleteEvents, SqliteEvents } from "./events.ts";
import { deleteTasks, SqliteSchedule } from "./schedule.ts";
import { SqliteFacts } from "./facts.ts";
import { MEMORY } from "./open_file.ts";
import { deleteResults, SqliteResults } from "./results.ts";
import { listingOf, sessionOf, toLimit } from "./rows.ts";
import { insertRun } from "./runs.ts";
import { SqliteScripts } from "./scripts.ts";
import { touchSession } from "./sessions.ts";
import { insertSpend, sumSpend } from "./spend.ts";
import { selectLastSteps, StepRows } from "./steps.ts";
import { toColumn, toOptionalColumn } from "./text_column.ts";

/** Options of {@linkcode openSqliteStore}. */
export interface SqliteStoreOptions {
  /** Opens an existing store without ever changing it or holding up a writer; what writes rejects with a TypeError. @default false */
  readonly readOnly?: boolean;
  /**
   * How long a call waits for other processes before it fails with `store_locked`. The thread stands still for at most 50 ms at a time.
   *
   * @default 30_000
   */
  readonly lockTimeoutMs?: number;
  /** The clock behind `createdAt` and `lastUsedAt` of listings. @default () => new Date() */
  readonly now?: () => Date;
}

const OPTIONS: Readonly<Record<keyof SqliteStoreOptions, true>> = {
  readOnly: true,
  lockTimeoutMs: true,
  now: true,
};

const SET_DATA = `
  INSERT INTO session_state (session_id, data) VALUES (?, ?)
    ON CONFLICT (session_id) DO UPDATE SET data = excluded.data`;

const SET_FIELDS = `
  INSERT INTO session_state (session_id, model, system_prompt, message_id) VALUES (?, ?, ?, ?)
  ON CONFLICT (session_id) DO UPDATE SET
    model = coalesce(excluded.model, model),
    system_prompt = coalesce(excluded.system_prompt, system_prompt),
    message_id = coalesce(excluded.message_id, message_id)`;

const GET_STATE =
  "SELECT model, system_prompt, message_id, data FROM session_state WHERE session_id = ?";

/** Steps that were added since a session was marked as used tell when that was. Of others the time is not read: it stands behind what may be a long text. */
const LIST_SESSIONS = `
  SELECT session_id, title, created_at, status, run_count, prompt_tokens, completion_tokens,
      coalesce(
        (SELECT stored_at FROM steps WHERE session_id = sessions.session_id AND step_index >= last_used_step_count ORDER BY step_index DESC LIMIT 1),
        last_used_at
      ) AS used_at,
      coalesce((SELECT max(step_index) + 1 FROM steps WHERE session_id = sessions.session_id), 0) AS step_count
    FROM sessions ORDER BY used_at DESC, rowid DESC LIMIT +?`;

/**
 * Opens a store in one SQLite file; the caller owns it and closes it. Missing folders and the file are made for the user alone (modes 700 and 600).
 *
 * Appends survive the end or kill of the process; the newest of them may be lost when the machine itself fails (WAL with `synchronous = NORMAL`).
 * Needs `--allow-read` and `--allow-write` for the file's folder. The file must be on a local disk.
 * Blocks the thread while another process creates or migrates the same file.
 *
 * @param path The file, or ":memory:" for a store that ends with the object.
 * @example
 * ```ts
 * import { openSqliteStore } from "@agentloop/core/stores/sqlite";
 *
 * await using store = openSqliteStore(":memory:");
 * await store.updateData("s1", '{"rows":3}');
 * console.log((await store.list())[0]?.id); // s1
 * ```
 * @throws {TypeError} when the path is empty, or a store in memory is to be read only.
 * @throws {RangeError} when `lockTimeoutMs` is not a number of at least 0.
 * @throws {AgentLoopError} `store_missing` when it is to be read only and is not there; `store_newer`, `store_foreign`, `store_corrupt` when the file is not
 * one that this version may use, which leaves it as it is; `store_locked`; `store_failed` for the rest.
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): SqliteStore {
  return new SqliteStore(path, options);
}

/** A store in one SQLite file; see {@linkcode openSqliteStore}. Calls of one store take effect in the order they were made. */
export class SqliteStore
  implements
    SessionStore,
    StepStore,
    SessionCatalog,
    CallLog,
    SpendLedger,
    GrantStore,
    Disposable,
    AsyncDisposable {
  /** What runs made for people to open; a session's are deleted with it. */
  readonly artifacts: ArtifactStore;
  /** The events of runs; a session's are deleted with it. */
  readonly events: EventLog;
  /** Results that are too long to be told whole; a session's are deleted with it. */
  readonly results: ResultStore;
  /** What is remembered beyond sessions; stays when a session is deleted. */
  readonly facts: FactStore;
  /** What is to happen later; a session's tasks are deleted with it. */
  readonly schedule: ScheduleStore;
  /** Scripts that wait; a session's is deleted with it. */
  readonly scripts: ScriptJournal;
  readonly #connection: Connection;
  readonly #steps: StepRows;
  readonly #now: () => Date;

  /** Opens the store; the same as {@linkcode openSqliteStore}. */
  constructor(path: string, options: SqliteStoreOptions = {}) {
    refuseUnknown("openSqliteStore", options, OPTIONS);
    const { readOnly = false, lockTimeoutMs = 30_000, now = () => new Date() } = options;
    if (typeof path !== "string" || path === "") {
      throw new TypeError("The path of a store must be a non-empty string.");
    }
    if (typeof lockTimeoutMs !== "number" || !(lockTimeoutMs >= 0)) {
      throw new RangeError(`lockTimeoutMs must be a number of at least 0, not ${lockTimeoutMs}.`);
    }
    const inMemory = path === MEMORY;
    if (inMemory && readOnly) throw new TypeError("A store in memory cannot be read only.");
    this.#now = now;
    this.#connection = new Connection(inMemory ? path : resolve(path), { readOnly, lockTimeoutMs });
    this.#steps = new StepRows(this.#connection);
    this.artifacts = new SqliteArtifacts(this.#connection, now);
    this.events = new SqliteEvents(this.#connection);
    this.results = new SqliteResults(this.#connection);
    this.facts = new SqliteFacts(this.#connection, now);
    this.schedule = new SqliteSchedule(this.#connection, now);
    this.scripts = new SqliteScripts(this.#connection, now);
  }

  /** The file, as an absolute path, or ":memory:". */
  get path(): string {
    return this.#connection.path;
  }

  /** The session; for an unknown id a shell of one, which is not created. */
  async get(sessionId: string): Promise<Session> {
    const id = checkedSessionId(sessionId);
    return this.#connection.read("read a session", () => {
      return sessionOf(id, this.#statement(GET_STATE).get(toColumn(id)));
    });
  }

  /** Whether anything was written to the session. */
  async exists(sessionId: string): Promise<boolean> {
    const id = toColumn(checkedSessionId(sessionId));
    return this.#connection.read("look for a session", () => {
      return this.#statement("SELECT 1 FROM sessions WHERE session_id = ?").get(id) !== undefined;
    });
  }

  /** Replaces the session's data, creating the session if need be. */
  async updateData(sessionId: string, json: string): Promise<void> {
    const id = toColumn(checkedSessionId(sessionId));
    const data = toColumn(checkedData(json));
    return this.#connection.write("store a session's data", () => {
      this.#touch(id);
      this.#statement(SET_DATA).run(id, data);
    });
  }

  /** Keeps the figures of a run and adds them to the session's totals, creating the session if need be. */
  async finalize(sessionId: string, summary: FinalizeSummary): Promise<void> {
    const id = checkedSessionId(sessionId);
    const run = checkedSummary(summary);
    return this.#connection.write("record the end of a run", () => {
      const endedAt = this.#touch(toColumn(id));
      insertRun(this.#connection, run, { sessionId: id, endedAt });
    });
  }

  /** Appends a step, creating the session if need be, and gives it the next index. Resolves when it is in the file's log. */
  async append(step: NewRunStep): Promise<RunStep> {
    const checked = [checkedStep(step)];
    return (await this.#append("append a step", checked))[0]!;
  }

  /** Appends steps of one session, all or none, which costs little more than to append one of them. */
  async appendAll(steps: readonly NewRunStep[]): Promise<RunStep[]> {
    const checked = checkedSteps(steps);
    if (checked.length === 0) return [];
    return this.#append("append steps", checked);
  }

  /** The most recent steps, oldest first. */
  async lastN(sessionId: string, n: number): Promise<RunStep[]> {
    const id = checkedSessionId(sessionId);
    const limit = toLimit(checkedStepLimit(n));
    return this.#connection.read("read the steps of a session", () => {
      return selectLastSteps(this.#connection, id, { id: toColumn(id), limit });
    });
  }

  /** Sessions, the last used first; of those used in the same millisecond, the newest first. */
  async list(options: { readonly limit?: number } = {}): Promise<SessionListing[]> {
    const limit = toLimit(checkedListLimit(options.limit));
    return this.#connection.read("list the sessions", () => {
      return this.#statement(LIST_SESSIONS).all(limit).map(listingOf);
    });
  }

  /** Sets fields of a session, creating it if need be. */
  async configure(
    sessionId: string,
    fields: Pick<Session, "model" | "systemPrompt" | "messageId">,
  ): Promise<void> {
    const id = toColumn(checkedSessionId(sessionId));
    const model = toOptionalColumn(optionalText(fields.model, "A session's model"));
    const systemPrompt = toOptionalColumn(
      optionalText(fields.systemPrompt, "A session's systemPrompt"),
    );
    const messageId = toOptionalColumn(optionalText(fields.messageId, "A session's messageId"));
    return this.#connection.write("configure a session", () => {
      this.#touch(id);
      this.#statement(SET_FIELDS).run(id, model, systemPrompt, messageId);
    });
  }

  /** Removes a session with everything that belongs to it, its bytes in the file too; false when there was none. */
  async delete(sessionId: string): Promise<boolean> {
    const id = toColumn(checkedSessionId(sessionId));
    return this.#connection.write("delete a session", () => {
      deleteEvents(this.#connection, sessionId);
      deleteResults(this.#connection, sessionId);
      deleteTasks(this.#connection, sessionId);
      const { changes } = this.#statement("DELETE FROM sessions WHERE session_id = ?").run(id);
      return Number(changes) > 0;
    });
  }

  /** Writes the row of a call before its function runs, creating the session if need be. */
  async startCall(call: CallStart): Promise<number> {
    const checked = checkedCallStart(call);
    return this.#connection.write("write down a call", () => {
      this.#touch(toColumn(checked.sessionId));
      return insertCall(this.#connection, checked);
    });
  }

  /** Completes the row of a call. */
  async endCall(id: number, ended: CallEnded): Promise<void> {
    const checked = checkedCallEnded(ended);
    return this.#connection.write("complete the row of a call", () => {
      completeCall(this.#connection, id, checked);
    });
  }

  /** The rows of a session's calls in the order in which they were started. */
  async calls(
    sessionId: string,
    options: { readonly limit?: number; readonly runId?: string; readonly after?: number } = {},
  ): Promise<CallRow[]> {
    const id = checkedSessionId(sessionId);
    const limit = toLimit(checkedListLimit(options.limit));
    const after = checkedAfter(options.after);
    const { runId } = options;
    return this.#connection.read(
      "read the calls of a session",
      () => selectCalls(this.#connection, id, { limit, runId, after }),
    );
  }

  /** Adds what was spent to the row of the minute of `at`. */
  async addSpend(scopeKey: string, spend: Spend, at: Date): Promise<void> {
    const key = checkedScopeKey(scopeKey);
    const checked = checkedSpend(spend, at);
    return this.#connection.write("write down what was spent", () => {
      insertSpend(this.#connection, key, checked);
    });
  }

  /** What a scope has spent since a moment. The minute in which it lies counts whole. */
  async spendSince(scopeKey: string, since: Date): Promise<Spend> {
    const key = checkedScopeKey(scopeKey);
    const minute = checkedMinute(since, "The moment to count from");
    return this.#connection.read("read what was spent", () => {
      return sumSpend(this.#connection, key, minute);
    });
  }

  /** Adds a grant, creating the session if need be. */
  async grant(sessionId: string, grant: Grant): Promise<void> {
    const id = checkedSessionId(sessionId);
    const checked = checkedGrant(grant);
    return this.#connection.write("keep a grant", () => {
      this.#touch(toColumn(id));
      insertGrant(this.#connection, id, checked);
    });
  }

  /** The grants of a session in the order in which they were given. */
  async grants(sessionId: string): Promise<Grant[]> {
    const id = checkedSessionId(sessionId);
    return this.#connection.read("read the grants of a session", () => {
      return selectGrants(this.#connection, id);
    });
  }

  /** Takes grants back, by name or key, or all, and gives their number. */
  async revoke(sessionId: string, what?: string): Promise<number> {
    const id = checkedSessionId(sessionId);
    const checked = checkedRevocation(what);
    return this.#connection.write("take grants back", () => {
      return deleteGrants(this.#connection, id, checked);
    });
  }

  /** Closes the store after the calls that were made before, and empties its log unless somebody still reads. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection.close();
  }

  /** Closes at once; calls that still wait for a lock are refused. */
  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  #append(doing: string, steps: readonly CheckedStep[]): Promise<RunStep[]> {
    return this.#connection.inOrder(
      doing,
      () => this.#steps.append(steps, this.#now().getTime()),
    );
  }

  #statement(sql: string): ReturnType<Connection["statement"]> {
    return this.#connection.statement(sql);
  }

  /** Marks a session as used, making it if need be, and gives when that was, in ms since 1970. */
  #touch(id: SQLInputValue): number {
    const now = this.#now().getTime();
    touchSession(this.#connection, id, { now });
    return now;
  }
}
