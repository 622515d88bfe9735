/**
 * The schema, as the list of steps that lead to it. A new table or column is a new entry at the end of {@linkcode MIGRATIONS};
 * an entry that was released is never changed. Each runs once, inside the transaction that also raises the version.
 *
 * Tables that belong to a session refer to `sessions(session_id)` with `ON DELETE CASCADE`, so that deleting a session takes their rows along.
 */
import type { DatabaseSync } from "node:sqlite";
import { sessionTitle } from "../session_title.ts";
import { textOf, toColumn } from "./text_column.ts";

/** Marks a database file as a store of this project: "aglp" in ASCII. */
export const APPLICATION_ID = 0x61676c70;

/** Brings the schema from one version to the next. */
export type Migration = (database: DatabaseSync) => void;

/** Entry `n` brings a file of version `n` to version `n + 1`. */
export const MIGRATIONS: readonly Migration[] = [
  createTables,
  addListing,
  addCalls,
  addSpend,
  addGrants,
  addFacts,
  addEvents,
  addResults,
  addArtifacts,
  addSchedule,
  addWaitingScripts,
  countStepsByThemselves,
];

/** The version that this code reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings a file from a version to the newest one, inside the transaction of whoever calls. Sessions are other ones from then on (`incarnation`): that is how connections which were open before
 * tell that the rules have changed, with no question of their own in each append.
 */
export function migrate(
  database: DatabaseSync,
  from: number,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  for (const migration of migrations.slice(from)) migration(database);
  database.exec(`
    UPDATE sessions SET incarnation = ${NEW_INCARNATION};
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${migrations.length};
  `);
}

/** In SQL; as many bits as a number holds exactly. */
export const NEW_INCARNATION = "random() >> 11";

/**
 * Sessions, steps, ended runs. `sessions` is small and written often; what can be large is kept apart from it, since SQLite rewrites whole rows.
 * Steps are a rowid table with a unique index: appends are twice as fast as in a table clustered by (session_id, step_index), and the file a third of its size.
 * Times are milliseconds since 1970.
 */
function createTables(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE sessions (
      session_id TEXT NOT NULL PRIMARY KEY,
      created_at INTEGER NOT NULL
    );
    CREATE TABLE session_state (
      session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
      model TEXT,
      message_id TEXT,
      system_prompt TEXT,
      data TEXT
    );
    CREATE TABLE steps (
      session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
      step_index INTEGER NOT NULL,
      run_id TEXT NOT NULL,
      step_type TEXT NOT NULL,
      duration_ms NUMERIC NOT NULL,
      prompt_tokens INTEGER NOT NULL,
      completion_tokens INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      tool_args TEXT,
      content TEXT NOT NULL,
      UNIQUE (session_id, step_index)
    );
    CREATE TABLE runs (
      session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
      run_id TEXT NOT NULL,
      status TEXT NOT NULL,
      reason TEXT,
      step_count INTEGER NOT NULL,
      prompt_tokens INTEGER NOT NULL,
      completion_tokens INTEGER NOT NULL,
      duration_ms NUMERIC NOT NULL,
      data_bytes_carried INTEGER NOT NULL,
      ended_at INTEGER NOT NULL
    );
    CREATE INDEX runs_of_session ON runs (session_id);
  `);
}

/** What a listing shows, kept with the session, so that a listing need not add up runs. The count of steps was kept there too. */
function addListing(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE sessions ADD COLUMN last_used_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN step_count INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN run_count INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN prompt_tokens INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN completion_tokens INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN status TEXT;
    ALTER TABLE sessions ADD COLUMN title TEXT;
    UPDATE sessions SET
      step_count = coalesce((SELECT max(step_index) + 1 FROM steps WHERE steps.session_id = sessions.session_id), 0),
      (run_count, prompt_tokens, completion_tokens) =
        (SELECT count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0)
           FROM runs WHERE runs.session_id = sessions.session_id),
      status = (SELECT status FROM runs WHERE runs.session_id = sessions.session_id ORDER BY rowid DESC LIMIT 1),
      last_used_at = max(
        created_at,
        coalesce((SELECT created_at FROM steps WHERE steps.session_id = sessions.session_id ORDER BY step_index DESC LIMIT 1), 0),
        coalesce((SELECT max(ended_at) FROM runs WHERE runs.session_id = sessions.session_id), 0)
      );
  `);
  const firstMessages = database.prepare(`
    SELECT session_id, content FROM steps AS first WHERE step_type = 'user' AND NOT EXISTS
      (SELECT 1 FROM steps WHERE session_id = first.session_id AND step_type = 'user' AND step_index < first.step_index)
  `).all();
  const setTitle = database.prepare("UPDATE sessions SET title = ? WHERE session_id = ?");
  for (const { session_id: id, content } of firstMessages) {
    setTitle.run(toColumn(sessionTitle(textOf(content))), id ?? null);
  }
}

/** The audit log. A row without an outcome is of a call that was started and never ended. */
function addCalls(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE calls (
      call_id INTEGER PRIMARY KEY,
      session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
      run_id TEXT NOT NULL,
      turn INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      name TEXT NOT NULL,
      target TEXT,
      args TEXT NOT NULL,
      decision TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      outcome TEXT,
      duration_ms NUMERIC,
      result_bytes INTEGER,
      error TEXT
    );
    CREATE INDEX calls_of_session ON calls (session_id, call_id);
  `);
}

/**
 * What scopes spent, by the minute (whole minutes since 1970), so that the table grows with time and not with the number of calls. It belongs to
 * no session: deleting one gives nothing back.
 */
function addSpend(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE spend (
      scope_key TEXT NOT NULL,
      minute INTEGER NOT NULL,
      tokens INTEGER NOT NULL,
      cost REAL NOT NULL,
      host_calls INTEGER NOT NULL,
      PRIMARY KEY (scope_key, minute)
    ) WITHOUT ROWID;
  `);
}

/** What a person allowed a session for good. A key of "" stands for every call of the function. */
function addGrants(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE grants (
      session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      grant_key TEXT NOT NULL,
      UNIQUE (session_id, name, grant_key)
    );
  `);
}

/**
 * What is remembered beyond sessions. It belongs to no session: deleting one forgets nothing. An owner's facts are numbered by themselves, so that no id tells
 * of another's facts; `version` grows whenever one is remembered, and is the order of age.
 *
 * `fact_words` holds words that were taken apart before: the tokenizer `ascii` splits at spaces and leaves everything beyond ASCII whole. `secure-delete` takes
 * what is deleted out of the index at once.
 */
function addFacts(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE fact_owners (
      owner_id INTEGER PRIMARY KEY,
      owner_key TEXT NOT NULL UNIQUE,
      fact_count INTEGER NOT NULL,
      last_number INTEGER NOT NULL,
      last_version INTEGER NOT NULL
    );
    CREATE TABLE facts (
      fact_id INTEGER PRIMARY KEY,
      owner_id INTEGER NOT NULL REFERENCES fact_owners (owner_id),
      number INTEGER NOT NULL,
      version INTEGER NOT NULL,
      text TEXT NOT NULL,
      tags TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      UNIQUE (owner_id, number),
      UNIQUE (owner_id, version),
      UNIQUE (owner_id, text)
    );
    CREATE VIRTUAL TABLE fact_words USING fts5 (owner, words, tokenize = 'ascii', detail = 'column');
    INSERT INTO fact_words (fact_words, rank) VALUES ('secure-delete', 1);
  `);
}

/**
 * Streams of events. A stream is no session, although the loop names its streams after sessions: whatever deletes a session deletes the stream of its name too. Each event
 * is JSON text.
 */
function addEvents(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE events (
      stream_id TEXT NOT NULL,
      version INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      told_at INTEGER NOT NULL,
      event TEXT NOT NULL,
      UNIQUE (stream_id, version)
    );
  `);
}

/** Results that are too long to be told to a model whole; whatever deletes a session deletes its results too. */
function addResults(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE results (
      session_id TEXT NOT NULL,
      call_id TEXT NOT NULL,
      text TEXT NOT NULL,
      UNIQUE (session_id, call_id)
    );
  `);
}

/**
 * Artifacts, each with its kept versions. They go with their session. `save_id` grows with each save and is the order of age; the content stands last in its row, so
 * that listings do not read it.
 */
function addArtifacts(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE artifacts (
      artifact_key INTEGER PRIMARY KEY,
      artifact_id TEXT NOT NULL UNIQUE,
      session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
      owner_key TEXT NOT NULL,
      filename TEXT NOT NULL,
      newest_version INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      UNIQUE (session_id, owner_key, filename)
    );
    CREATE INDEX artifacts_of_owner ON artifacts (owner_key);
    CREATE TABLE artifact_versions (
      save_id INTEGER PRIMARY KEY AUTOINCREMENT,
      artifact_key INTEGER NOT NULL REFERENCES artifacts (artifact_key) ON DELETE CASCADE,
      version INTEGER NOT NULL,
      title TEXT NOT NULL,
      type TEXT NOT NULL,
      byte_count INTEGER NOT NULL,
      saved_at INTEGER NOT NULL,
      content TEXT NOT NULL,
      UNIQUE (artifact_key, version)
    );
  `);
}

/**
 * Tasks and their occurrences. A session's id is no reference: a task may be there before its session is; whatever deletes a session deletes its tasks too. The occurrence of
 * a task at its `next_due_at` is the one that is going on; the key of an occurrence is what keeps anything from being done twice.
 */
function addSchedule(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE tasks (
      task_number INTEGER PRIMARY KEY,
      task_id TEXT NOT NULL UNIQUE,
      session_id TEXT NOT NULL,
      workspace_id TEXT,
      project_id TEXT,
      user_id TEXT,
      kind TEXT NOT NULL,
      rule TEXT NOT NULL,
      zone TEXT NOT NULL,
      starts_at TEXT,
      mode TEXT NOT NULL,
      text TEXT NOT NULL,
      title TEXT,
      channel TEXT NOT NULL,
      state TEXT NOT NULL,
      next_due_at INTEGER,
      created_at INTEGER NOT NULL
    );
    CREATE INDEX tasks_of_session ON tasks (session_id, task_number);
    CREATE INDEX tasks_due ON tasks (next_due_at) WHERE next_due_at IS NOT NULL;
    CREATE TABLE occurrences (
      task_number INTEGER NOT NULL REFERENCES tasks (task_number) ON DELETE CASCADE,
      due_at INTEGER NOT NULL,
      state TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      worker_id TEXT NOT NULL,
      wake_at INTEGER,
      started_at INTEGER,
      ended_at INTEGER,
      detail TEXT,
      result TEXT,
      PRIMARY KEY (task_number, due_at)
    ) WITHOUT ROWID;
    CREATE INDEX occurrences_open ON occurrences (wake_at) WHERE wake_at IS NOT NULL;
  `);
}
/**
 * Scripts that wait, one a session, and their calls. They are whole, as session data is. Calls are rows of their own, since one is written twice while a script goes on, and
 * SQLite rewrites whole rows; they go with their script.
 */
function addWaitingScripts(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE waiting_scripts (
      session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
      step_index INTEGER NOT NULL,
      claim INTEGER NOT NULL,
      script TEXT NOT NULL
    );
    CREATE TABLE waiting_calls (
      session_id TEXT NOT NULL REFERENCES waiting_scripts (session_id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      call TEXT NOT NULL,
      UNIQUE (session_id, position)
    );
  `);
}

/**
 * How many steps a session has their index tells, and when the newest were stored stands with them: an append writes nothing but steps. The column stands last, behind what may
 * be a long text, so the session keeps how many steps it had when it was last marked as used: only those that came later are asked when they did. Times do not tell what came
 * later, since clocks are set back.
 *
 * `incarnation` is a random number for each session that is made from now on: one that was deleted and made again is another one, also within a millisecond.
 */
function countStepsByThemselves(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE steps ADD COLUMN stored_at INTEGER;
    ALTER TABLE sessions RENAME COLUMN step_count TO last_used_step_count;
    ALTER TABLE sessions ADD COLUMN incarnation INTEGER NOT NULL DEFAULT 0;
  `);
}
