/**
 * One connection to a store's file: statements that are prepared once, calls in the order they were made, and transactions that wait for other processes.
 * Knows nothing of sessions. Owned by whoever opened it.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { sqliteFailure, storeError } from "./failures.ts";
import { SCHEMA_VERSION } from "./migrations.ts";
import { newerStore, openFile, type OpenFileOptions } from "./open_file.ts";

/** A connection to a store's file. */
export class Connection implements Disposable, AsyncDisposable {
  /** The file, as an absolute path, or ":memory:". */
  readonly path: string;
  readonly #options: OpenFileOptions;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #last: Promise<unknown> = Promise.resolve();
  /** Calls that are being done, wait, or are tried again. */
  #underWay = 0;
  /** Whether the last attempt met a lock. */
  #isLocked = false;
  #isOpen = true;

  /** Opens the file; blocks while another process creates or migrates it. */
  constructor(path: string, options: OpenFileOptions) {
    this.path = path;
    this.#options = options;
    this.#database = openFile(path, options);
  }

  /** The statement for this SQL, prepared when first asked for and kept. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** All rows of a query, each as the array of its columns. The query is prepared when first asked for and kept. */
  rows(sql: string, ...values: SQLInputValue[]): SQLOutputValue[][] {
    // The runtime has this method, its type declarations do not yet.
    const statement = this.statement(sql) as StatementSync & {
      setReturnArrays(enabled: boolean): void;
    };
    statement.setReturnArrays(true);
    return statement.all(...values) as unknown as SQLOutputValue[][];
  }

  /** Runs one reading statement after all calls before it. `work` may run again. */
  read<T>(doing: string, work: () => T): Promise<T> {
    return this.inOrder(doing, work);
  }

  /**
   * Runs a transaction after all calls before it: what `work` did is kept as a whole or not at all. `work` runs again when another process held the lock.
   *
   * @throws {TypeError} when the store was opened to read only.
   */
  write<T>(doing: string, work: () => T): Promise<T> {
    return this.inOrder(doing, () => this.transaction(work));
  }

  /**
   * Does something after all calls before it: a statement by itself, or a transaction. It is done again when another process held the lock. Where nobody waits and no lock is
   * in the way, which is nearly always, it is done at once.
   */
  async inOrder<T>(doing: string, work: () => T): Promise<T> {
    const task = { work, deadline: performance.now() + this.#options.lockTimeoutMs };
    const isFirst = this.#underWay++ === 0;
    try {
      const done = isFirst ? this.#attempt(doing, task) : undefined;
      if (done !== undefined) return done.value;
      const result = this.#last.then(() => this.#attempts(doing, task));
      this.#last = result.then(ignore, ignore);
      return await result;
    } finally {
      this.#underWay--;
    }
  }

  /**
   * A transaction at once, for what is done in order.
   *
   * @throws {TypeError} when the store was opened to read only.
   */
  transaction<T>(work: () => T): T {
    if (this.#options.readOnly) {
      throw new TypeError(`The store in ${this.path} was opened to read only.`);
    }
    this.statement("BEGIN IMMEDIATE").run();
    try {
      // Another process may have brought the file to a schema whose rules this code does not keep.
      const version = this.#version();
      if (version > SCHEMA_VERSION) throw newerStore(this.path, version);
      const value = work();
      this.statement("COMMIT").run();
      return value;
    } catch (error) {
      if (this.#database.isTransaction) this.statement("ROLLBACK").run();
      throw error;
    }
  }

  /** Closes after the calls that were made before. Further calls are refused. */
  async close(): Promise<void> {
    await this.#last;
    this[Symbol.dispose]();
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Closes at once; calls that still wait are refused. */
  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (!this.#options.readOnly) this.#emptyLog();
    this.#statements.clear();
    this.#database.close();
  }

  async #attempts<T>(doing: string, task: Task<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      // An attempt that meets a lock holds the thread: then everything else has its turn before the next one, whichever call that is of.
      // SQLite's own waits grow to 100 ms, which starves a writer among several busy ones: come back soon, and at no fixed beat.
      if (this.#isLocked) await delay(Math.random() * Math.min(attempt, 20));
      const done = this.#attempt(doing, task);
      if (done !== undefined) return done.value;
    }
  }

  /** Does it, unless somebody else holds the lock. */
  #attempt<T>(doing: string, { work, deadline }: Task<T>): { readonly value: T } | undefined {
    if (!this.#isOpen) throw new TypeError(`The store in ${this.path} is closed.`);
    this.#isLocked = false;
    try {
      return { value: work() };
    } catch (error) {
      this.#isLocked = sqliteFailure(error) === "locked";
      if (this.#isLocked && performance.now() < deadline) return undefined;
      throw this.#failure(error, doing);
    }
  }

  #version(): number {
    return Number(this.statement("PRAGMA user_version").get()?.user_version);
  }

  #failure(error: unknown, doing: string): Error {
    const failure = storeError(error, doing, this.path);
    if (failure === error || sqliteFailure(error) !== "other") return failure;
    try {
      // A statement may not suit the tables of a schema that another process brought the file to.
      const version = this.#version();
      return version > SCHEMA_VERSION ? newerStore(this.path, version) : failure;
    } catch {
      return failure;
    }
  }

  #emptyLog(): void {
    try {
      this.#database.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Somebody still reads: the last one to close empties it.
    }
  }
}

interface Task<T> {
  readonly work: () => T;
  /** Until then a lock is waited for. */
  readonly deadline: number;
}

function ignore(): void {}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
