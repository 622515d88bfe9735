// Needs --allow-read and --allow-write for the folder of temporary files.
import { deepEqual } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { StoreFolder } from "../../tests/fixtures/store_folder.ts";
import { sampleStep } from "../_contract_samples.ts";
import { APPLICATION_ID, MIGRATIONS } from "./migrations.ts";
import { openSqliteStore, type SqliteStore } from "./mod.ts";

/** Writes a file of an earlier schema, as a store of that time left it. */
function writeEarlier(path: string, version: number, rows: string): void {
  using database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; BEGIN");
  for (const migrate of MIGRATIONS.slice(0, version)) migrate(database);
  database.exec(`
    ${rows}
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${version};
    COMMIT;
  `);
}

/** Three steps of a session: the last holds a NUL, and a long text stands before it. */
function stepsOf(id: string): string {
  return ["'hello'", "printf('%.9000c', 'x')", "CAST('nul' || char(0) || '!' AS BLOB)"]
    .map((content, index) => `
      INSERT INTO steps (session_id, step_index, run_id, step_type, duration_ms, prompt_tokens, completion_tokens, created_at, content)
        VALUES (${id}, ${index}, 'r', 'response', 0, 0, 0, 5, ${content});`)
    .join("");
}

async function usesOf(store: SqliteStore): Promise<readonly unknown[]> {
  return (await store.list()).map(({ id, lastUsedAt, stepCount }) => [
    id,
    Number(lastUsedAt),
    stepCount,
  ]);
}

Deno.test("migrations: sessions of a file that counted steps with their session stay as they were, and go on", async () => {
  const withNul = "CAST('n' || char(0) AS BLOB)";
  for (let version = 2; version <= 11; version++) {
    using folder = new StoreFolder();
    const path = `${folder.path}/store.db`;
    writeEarlier(
      path,
      version,
      `INSERT INTO sessions (session_id, created_at, last_used_at, step_count)
         VALUES ('a', 100, 300, 3), (${withNul}, 100, 400, 3), ('bare', 100, 350, 0);
       ${stepsOf("'a'")} ${stepsOf(withNul)}`,
    );
    let time = 500;
    await using store = openSqliteStore(path, { now: () => new Date(time++) });
    deepEqual(await usesOf(store), [["n\0", 400, 3], ["bare", 350, 0], ["a", 300, 3]]);
    deepEqual((await store.lastN("n\0", 1))[0]!.content, "nul\0!");
    for (const sessionId of ["a", "n\0", "bare", "a"]) {
      await store.append(sampleStep({ sessionId, stepType: "response" }));
    }
    deepEqual(await usesOf(store), [["a", 503, 5], ["bare", 502, 1], ["n\0", 501, 4]]);
  }
});
