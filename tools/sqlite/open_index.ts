/** From a path to an index that is safe to use. A file that is another program's is never changed. */
import { DatabaseSync } from "node:sqlite";
import { AgentLoopError } from "../../contracts/errors.ts";
import { storeError } from "../../stores/sqlite/failures.ts";

/** "ALTI": tells an index of tools from other databases. */
const APPLICATION_ID = 0x414c5449;
/** Changes with the tables, and with what counts as a word. */
const VERSION = 1;
/** How long to wait for another program, the thread standing still. Filling takes that program a second for some 50,000 tools. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Opens the index. The caller closes it.
 *
 * @throws {AgentLoopError} when the file cannot be opened, or is no index of this version.
 */
export function openIndex(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
    database.exec("BEGIN IMMEDIATE");
    if (isEmpty(database)) create(database);
    else recognise(database, path);
    database.exec("COMMIT");
    return database;
  } catch (error) {
    // What was begun goes with the connection.
    database?.close();
    throw storeError(error, "open the index of tools", path);
  }
}

function isEmpty(database: DatabaseSync): boolean {
  const { id, objects } = database.prepare(
    "SELECT application_id AS id, (SELECT count(*) FROM sqlite_schema) AS objects FROM pragma_application_id",
  ).get()!;
  return id === 0 && objects === 0;
}

// The words come parted, in lower case and in the singular: nothing is left for the tokenizer but to see them apart.
function create(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE sets (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE);
    CREATE VIRTUAL TABLE words USING fts5(
      name, description, tool UNINDEXED, set_id UNINDEXED,
      tokenize = "unicode61 remove_diacritics 0", prefix = '3 4 5'
    );
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${VERSION};
  `);
}

function recognise(database: DatabaseSync, path: string): void {
  const { id, version } = database.prepare(
    "SELECT application_id AS id, user_version AS version FROM pragma_application_id, pragma_user_version",
  ).get()!;
  if (id !== APPLICATION_ID) {
    throw new AgentLoopError(
      `Could not open the index of tools in ${path}: it is a database of another program. It was left as it is. Name another file.`,
      { code: "store_foreign" },
    );
  }
  if (version !== VERSION) {
    throw new AgentLoopError(
      `Could not open the index of tools in ${path}: another version of agentloop made it. Delete it, it is made again, or name another file.`,
      { code: "store_newer" },
    );
  }
}
