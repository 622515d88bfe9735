/**
 * From a path to a connection that is safe to use: the file is made or recognised, brought to this schema and set to WAL.
 * Leaves statements and transactions to `connection.ts`. A file that is not ours, or newer than this code, is never changed.
 *
 * The file is looked at through SQLite alone. Opening it in any other way would, on closing, drop every lock that this process holds on it.
 */
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { AgentLoopError } from "../../contracts/errors.ts";
import { sqliteFailure, storeError } from "./failures.ts";
import { APPLICATION_ID, migrate, SCHEMA_VERSION } from "./migrations.ts";

/** How long one attempt waits inside SQLite for a lock at most, the thread standing still. */
const ATTEMPT_LOCK_MS = 50;

/** The path that stands for a database in memory. */
export const MEMORY = ":memory:";

/** What the write-ahead log is cut back to once no reader needs the rest of it. */
export const WAL_LIMIT_BYTES = 8 * 1024 * 1024;

/** How a file is to be opened. */
export interface OpenFileOptions {
  /** Neither create nor change anything. */
  readonly readOnly: boolean;
  /** How long to wait for other processes. */
  readonly lockTimeoutMs: number;
}

interface Identity {
  readonly applicationId: number;
  readonly version: number;
  readonly objects: number;
}

/** Opens a store's file, or a database in memory for ":memory:". The caller closes what it gets. Errors are ready for people. */
export function openFile(path: string, options: OpenFileOptions): DatabaseSync {
  const deadline = performance.now() + options.lockTimeoutMs;
  const timeout = Math.min(ATTEMPT_LOCK_MS, options.lockTimeoutMs);
  try {
    if (path !== MEMORY) checkPath(path, options.readOnly);
    for (;;) {
      try {
        return options.readOnly ? openToRead(path, timeout) : openToWrite(path, timeout);
      } catch (error) {
        if (sqliteFailure(error) !== "locked" || performance.now() >= deadline) throw error;
      }
      // The switch to WAL fails at once when somebody else is at it: SQLite does not wait there.
      pauseThread(1 + Math.random() * 20);
    }
  } catch (error) {
    throw storeError(error, "open the store", path);
  }
}

function checkPath(path: string, readOnly: boolean): void {
  const found = statOf(path);
  if (found?.isDirectory) {
    throw new AgentLoopError(
      `Could not open the store in ${path}: it is a folder. Name a file in it.`,
      {
        code: "store_failed",
      },
    );
  }
  if (readOnly && (found === undefined || found.size === 0)) {
    throw new AgentLoopError(
      `Could not open the store in ${path}: there is none. Check the path, or open it for writing to create it.`,
      { code: "store_missing" },
    );
  }
  if (found === undefined) makeFolder(path);
}

function makeFolder(path: string): void {
  const folder = dirname(path);
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (sqliteFailure(error) === "permission") throw error;
    throw new AgentLoopError(
      `Could not open the store in ${path}: its folder cannot be made (${
        error instanceof Error ? error.message : String(error)
      }). Name another file.`,
      { code: "store_failed", cause: error },
    );
  }
}

function openToRead(path: string, timeout: number): DatabaseSync {
  return guarded(
    new DatabaseSync(path, { readOnly: true, timeout }),
    (database) => {
      const { version } = recognise(database, path);
      if (version < SCHEMA_VERSION) {
        throw new AgentLoopError(
          `Could not open the store in ${path}: it is of schema ${version}, and reading needs ${SCHEMA_VERSION}. Open it once for writing to bring it up to date.`,
          { code: "store_failed" },
        );
      }
    },
  );
}

function openToWrite(path: string, timeout: number): DatabaseSync {
  const inMemory = path === MEMORY;
  const isNew = !inMemory && statOf(path) === undefined;
  // A log that waits to be written back would be written back by the last one to close, foreign file or not: look first as a reader.
  if (!inMemory && !isNew && hasPendingLog(path)) lookAsReader(path, timeout);
  return guarded(new DatabaseSync(path, { timeout }), (database) => {
    if (isNew && Deno.build.os !== "windows") Deno.chmodSync(path, 0o600);
    const { version } = recognise(database, path);
    database.exec(`
      PRAGMA synchronous = NORMAL;
      PRAGMA secure_delete = ON;
      PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES};
    `);
    if (version < SCHEMA_VERSION) bringUpToDate(database, path);
    if (!inMemory) switchToWal(database, path);
  });
}

function lookAsReader(path: string, timeout: number): void {
  try {
    guarded(new DatabaseSync(path, { readOnly: true, timeout }), (database) => {
      recognise(database, path);
    }).close();
  } catch (error) {
    // A transaction that was cut off has to be rolled back first, which a reader cannot: that is the writer's part.
    const failure = sqliteFailure(error);
    if (failure !== "read_only" && failure !== "cannot_open") throw error;
  }
}

/** Tells whose file it is; throws when it is not one that this code may use. */
function recognise(database: DatabaseSync, path: string): Identity {
  database.exec("BEGIN");
  const identity = readIdentity(database);
  database.exec("COMMIT");
  const { applicationId, version, objects } = identity;
  const isEmpty = applicationId === 0 && version === 0 && objects === 0;
  if (!isEmpty && applicationId !== APPLICATION_ID) {
    throw new AgentLoopError(
      `Could not open the store in ${path}: it is a database of another program. It was left as it is. Name another file.`,
      { code: "store_foreign" },
    );
  }
  if (version > SCHEMA_VERSION) throw newerStore(path, version);
  return identity;
}

function readIdentity(database: DatabaseSync): Identity {
  const row = database.prepare(`
    SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) AS objects
      FROM pragma_application_id, pragma_user_version
  `).get();
  return {
    applicationId: Number(row?.application_id),
    version: Number(row?.user_version),
    objects: Number(row?.objects),
  };
}

/** The error for a file whose schema this code does not know yet. */
export function newerStore(path: string, version: number): AgentLoopError {
  return new AgentLoopError(
    `Could not use the store in ${path}: it is of schema ${version}, made by a newer version of agentloop; this one knows up to ${SCHEMA_VERSION}. It was left as it is. Update agentloop, or name another file.`,
    { code: "store_newer" },
  );
}

/** Runs what is missing. Several processes may come here at once: the one that gets the lock does the work, the others find it done. */
function bringUpToDate(database: DatabaseSync, path: string): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    const { version } = readIdentity(database);
    if (version > SCHEMA_VERSION) throw newerStore(path, version);
    if (version < SCHEMA_VERSION) migrate(database, version);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function switchToWal(database: DatabaseSync, path: string): void {
  if (journalMode(database, "PRAGMA journal_mode") === "wal") return;
  if (journalMode(database, "PRAGMA journal_mode = WAL") === "wal") return;
  throw new AgentLoopError(
    `Could not open the store in ${path}: its file system cannot hold a write-ahead log. Name a file on a local disk.`,
    { code: "store_failed" },
  );
}

function journalMode(database: DatabaseSync, pragma: string): unknown {
  return database.prepare(pragma).get()?.journal_mode;
}

function guarded(database: DatabaseSync, prepare: (database: DatabaseSync) => void): DatabaseSync {
  try {
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function hasPendingLog(path: string): boolean {
  return ["-wal", "-journal"].some((suffix) => {
    // Permission may have been given for the file alone; nobody is asked for more.
    const beside = { name: "read", path: path + suffix } as const;
    if (Deno.permissions.querySync(beside).state !== "granted") return true;
    return (statOf(path + suffix)?.size ?? 0) > 0;
  });
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function pauseThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
