/** A file as the previous version of the schema left it, for the tests of the way up from there. */
import { DatabaseSync } from "node:sqlite";

/** What the first version of the schema created, and some rows of it. Fixed for good: it is what such files hold. */
const SCHEMA_1 = `
  PRAGMA application_id = 1634167920;
  PRAGMA user_version = 1;
  CREATE TABLE sessions (session_id TEXT NOT NULL PRIMARY KEY, created_at INTEGER NOT NULL);
  CREATE TABLE session_state (
    session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
    model TEXT, message_id TEXT, system_prompt TEXT, data TEXT
  );
  CREATE TABLE steps (
    session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    step_index INTEGER NOT NULL, run_id TEXT NOT NULL, step_type TEXT NOT NULL,
    duration_ms NUMERIC NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    created_at INTEGER NOT NULL, tool_args TEXT, content TEXT NOT NULL,
    UNIQUE (session_id, step_index)
  );
  CREATE TABLE runs (
    session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    run_id TEXT NOT NULL, status TEXT NOT NULL, reason TEXT, step_count INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, duration_ms NUMERIC NOT NULL,
    data_bytes_carried INTEGER NOT NULL, ended_at INTEGER NOT NULL
  );
  CREATE INDEX runs_of_session ON runs (session_id);
  INSERT INTO sessions VALUES ('old', 1000), ('bare', 5000);
  INSERT INTO session_state VALUES ('old', 'm', NULL, NULL, '{"kept":1}');
  INSERT INTO steps VALUES
    ('old', 0, 'r1', 'summary', 0, 0, 0, 1100, NULL, 'not the title'),
    ('old', 1, 'r1', 'user', 0, 0, 0, 1200, NULL, 'first question' || char(10) || 'more'),
    ('old', 2, 'r1', 'response', 5, 7, 8, 1300, '{"a":1}', 'answer'),
    ('old', 3, 'r2', 'user', 0, 0, 0, 1400, NULL, 'second question');
  INSERT INTO runs VALUES
    ('old', 'r1', 'completed', NULL, 3, 5000000000, 20, 900, 0, 1500),
    ('old', 'r2', 'error', 'timeout', 1, 1, 2, 300, -4, 1600);
`;

/** Writes such a file, in WAL mode as that version left it. */
export function writeSchema1(path: string): void {
  using database = new DatabaseSync(path);
  database.exec(`BEGIN; ${SCHEMA_1} COMMIT; PRAGMA journal_mode = WAL;`);
}
