// Needs --allow-read and --allow-write for the folder of temporary files.
import assert from "node:assert/strict";
import { relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { AgentLoopError } from "../../contracts/errors.ts";
import { sampleStep } from "../_contract_samples.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "./migrations.ts";
import { openSqliteStore } from "./mod.ts";
import { writeSchema1 } from "../../tests/fixtures/store_schema_1.ts";
import { hasCode, StoreFolder } from "../../tests/fixtures/store_folder.ts";

Deno.test("openSqliteStore makes missing folders and the file for the user alone", {
  ignore: Deno.build.os === "windows",
}, async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/a/b/store.db`;
  await using store = openSqliteStore(path);
  await store.append(sampleStep());
  assert.equal(store.path, path);
  const modes = ["a", "a/b", "a/b/store.db", "a/b/store.db-wal", "a/b/store.db-shm"].map((name) =>
    Deno.statSync(`${folder.path}/${name}`).mode! & 0o777
  );
  assert.deepEqual(modes, [0o700, 0o700, 0o600, 0o600, 0o600]);
});

Deno.test("openSqliteStore leaves the modes of what was there as they are", {
  ignore: Deno.build.os === "windows",
}, async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  Deno.writeTextFileSync(path, "");
  Deno.chmodSync(path, 0o640);
  await using store = openSqliteStore(path);
  await store.append(sampleStep());
  assert.equal(Deno.statSync(path).mode! & 0o777, 0o640);
});

Deno.test("openSqliteStore marks the file as its own, of this schema, and in WAL mode", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await openSqliteStore(path).close();
  using database = new DatabaseSync(path, { readOnly: true });
  assert.equal(pragma(database, "application_id"), APPLICATION_ID);
  assert.equal(pragma(database, "user_version"), SCHEMA_VERSION);
  assert.equal(pragma(database, "journal_mode"), "wal");
});

Deno.test("openSqliteStore takes any name for a name, and never for a URI", async () => {
  for (const name of ["a b.db", "100%25?mode=memory#x.db", "file:x.db", "ü.db"]) {
    using folder = new StoreFolder();
    const path = `${folder.path}/${name}`;
    const store = openSqliteStore(path);
    await store.append(sampleStep());
    await store.close();
    assert.deepEqual([...folder.files().keys()], [name]);
  }
});

Deno.test("openSqliteStore tells the absolute path of a relative one", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(relative(Deno.cwd(), path));
  assert.equal(store.path, path);
  assert.deepEqual(folder.files().has("store.db"), true);
});

Deno.test("openSqliteStore refuses options that make no sense", () => {
  assert.throws(() => openSqliteStore(""), TypeError);
  assert.throws(() => openSqliteStore(undefined as unknown as string), TypeError);
  assert.throws(() => openSqliteStore(":memory:", { readOnly: true }), TypeError);
  assert.throws(() => openSqliteStore(":memory:", { lockTimeoutMs: -1 }), RangeError);
  assert.throws(() => openSqliteStore(":memory:", { lockTimeoutMs: NaN }), RangeError);
});

Deno.test("openSqliteStore brings a file of the previous schema up to date (SQL-03)", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/old.db`;
  writeSchema1(path);
  await using store = openSqliteStore(path);
  assert.deepEqual(await store.list(), [
    {
      id: "bare",
      title: "",
      createdAt: new Date(5000),
      lastUsedAt: new Date(5000),
      stepCount: 0,
      runCount: 0,
      promptTokens: 0,
      completionTokens: 0,
    },
    {
      id: "old",
      title: "first question",
      createdAt: new Date(1000),
      lastUsedAt: new Date(1600),
      status: "error",
      stepCount: 4,
      runCount: 2,
      promptTokens: 5_000_000_001,
      completionTokens: 22,
    },
  ]);
  assert.deepEqual(await store.get("old"), { id: "old", model: "m", data: '{"kept":1}' });
  const appended = await store.append(sampleStep({ sessionId: "old", content: "third" }));
  assert.equal(appended.stepIndex, 4);
  const steps = await store.lastN("old", 3);
  assert.deepEqual(steps.map((step) => step.content), ["answer", "second question", "third"]);
  assert.equal(steps[0]!.toolArgs, '{"a":1}');
});

Deno.test("the schema is the same whether a file was made new or brought up to date", async () => {
  using folder = new StoreFolder();
  const [old, fresh] = [`${folder.path}/old.db`, `${folder.path}/new.db`];
  writeSchema1(old);
  await openSqliteStore(old).close();
  await openSqliteStore(fresh).close();
  assert.deepEqual(columnsOf(old), columnsOf(fresh));
});

Deno.test("openSqliteStore does not change a file of an older schema that is only to be read", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/old.db`;
  writeSchema1(path);
  const before = Deno.readFileSync(path);
  assert.throws(() => openSqliteStore(path, { readOnly: true }), hasCode("store_failed", path));
  assert.deepEqual(Deno.readFileSync(path), before);
  await openSqliteStore(path).close();
  await openSqliteStore(path, { readOnly: true }).close();
});

Deno.test("openSqliteStore creates nothing for a missing file that is only to be read (SQL-08)", () => {
  using folder = new StoreFolder();
  for (const path of [`${folder.path}/no.db`, `${folder.path}/no/folder/no.db`]) {
    assert.throws(() => openSqliteStore(path, { readOnly: true }), hasCode("store_missing", path));
  }
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
  const empty = `${folder.path}/empty.db`;
  Deno.writeTextFileSync(empty, "");
  assert.throws(() => openSqliteStore(empty, { readOnly: true }), hasCode("store_missing", empty));
  assert.deepEqual([...folder.files().keys()], ["empty.db"]);
});

Deno.test("openSqliteStore leaves a file of a newer schema untouched", () => {
  assertUntouched("store_newer", (path) => {
    using database = new DatabaseSync(path);
    database.exec(`
      PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION + 1};
      CREATE TABLE sessions (whatever); PRAGMA journal_mode = WAL;
    `);
  });
});

Deno.test("openSqliteStore leaves a newer file untouched whose version stands in its log alone", () => {
  assertUntouched("store_newer", (path) => {
    writeSchema1(path);
    leaveInLog(path, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  });
});

Deno.test("openSqliteStore leaves databases of other programs untouched", async (t) => {
  const makers: Record<string, (path: string) => void> = {
    "with tables": (path) => {
      using database = new DatabaseSync(path);
      database.exec("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')");
    },
    "in WAL mode": (path) => {
      using database = new DatabaseSync(path);
      database.exec("PRAGMA journal_mode = WAL; CREATE TABLE notes (text)");
    },
    "with a log that a killed program left": (path) => {
      using database = new DatabaseSync(path);
      database.exec("PRAGMA journal_mode = WAL; CREATE TABLE notes (text)");
      leaveInLog(path, "INSERT INTO notes VALUES ('mine')");
    },
    "with another application's mark and no table": (path) => {
      using database = new DatabaseSync(path);
      database.exec("PRAGMA application_id = 77");
    },
    "with a version of their own": (path) => {
      using database = new DatabaseSync(path);
      database.exec("PRAGMA user_version = 1");
    },
  };
  for (const [name, make] of Object.entries(makers)) {
    await t.step(name, () => assertUntouched("store_foreign", make));
  }
});

Deno.test("openSqliteStore leaves files that are no database untouched", async (t) => {
  const contents: Record<string, Uint8Array> = {
    "text": new TextEncoder().encode("Dear diary, today I learned.\n".repeat(200)),
    "two bytes": new Uint8Array([7, 7]),
    "zeros": new Uint8Array(8192),
  };
  for (const [name, bytes] of Object.entries(contents)) {
    await t.step(name, () => {
      assertUntouched("store_foreign", (path) => Deno.writeFileSync(path, bytes));
    });
  }
});

Deno.test("openSqliteStore leaves a damaged store untouched", async (t) => {
  const whole = await bytesOfStore();
  const damaged: Record<string, Uint8Array> = {
    "cut in half": whole.slice(0, whole.length / 2),
    "cut within the first page": whole.slice(0, 1000),
    "schema overwritten": whole.slice().fill(0xa5, 100, 4096),
  };
  for (const [name, bytes] of Object.entries(damaged)) {
    await t.step(name, () => {
      assertUntouched("store_corrupt", (path) => Deno.writeFileSync(path, bytes));
    });
  }
});

Deno.test("SqliteStore says so when it meets a damaged page", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  const bytes = await bytesOfStore();
  Deno.writeFileSync(path, bytes);
  // The first page of every table and index; not those that hold the schema.
  for (const page of rootPages(path)) bytes.fill(0xa5, (page - 1) * 4096, page * 4096);
  Deno.writeFileSync(path, bytes);
  const store = openSqliteStore(path);
  await assert.rejects(store.lastN("session", 10), hasCode("store_corrupt", path));
  await assert.rejects(store.append(sampleStep()), hasCode("store_corrupt", path));
  await store.close();
  assert.deepEqual(Deno.readFileSync(path), bytes);
});

Deno.test("openSqliteStore names the path when there can be no file", () => {
  using folder = new StoreFolder();
  assert.throws(() => openSqliteStore(folder.path), hasCode("store_failed", folder.path));
  const file = `${folder.path}/file`;
  Deno.writeTextFileSync(file, "text");
  for (const path of [`${file}/store.db`, `${file}/deeper/store.db`]) {
    assert.throws(() => openSqliteStore(path), hasCode("store_failed", path));
    assert.throws(() => openSqliteStore(path, { readOnly: true }), AgentLoopError);
  }
  assert.deepEqual([...folder.files().keys()], ["file"]);
});

Deno.test("openSqliteStore says what to grant when it may not touch the file", {
  permissions: { read: false, write: false },
}, () => {
  assert.throws(() => openSqliteStore("/nowhere/store.db"), (error) => {
    return error instanceof AgentLoopError && error.code === "store_failed" &&
      error.message.includes("--allow-read and --allow-write");
  });
});

function rootPages(path: string): number[] {
  using database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0").all();
  return rows.map((row) => Number(row.rootpage));
}

function assertUntouched(
  code: "store_newer" | "store_foreign" | "store_corrupt",
  make: (path: string) => void,
): void {
  for (const readOnly of [false, true]) {
    using folder = new StoreFolder();
    const path = `${folder.path}/file.db`;
    make(path);
    const before = folder.files();
    assert.throws(() => openSqliteStore(path, { readOnly }), hasCode(code, path));
    const after = folder.files();
    // SQLite's index of the log is scratch, and a reader may make it and an empty log.
    for (const [name, bytes] of after) {
      if (name.endsWith("-shm") || (name.endsWith("-wal") && bytes.length === 0)) {
        after.delete(name);
      }
    }
    before.delete("file.db-shm");
    assert.deepEqual(after, before);
  }
}

/** Runs SQL and leaves the outcome in the log, as a killed program does. */
function leaveInLog(path: string, sql: string): void {
  const copy = `${path}.copy`;
  {
    using database = new DatabaseSync(path);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; ${sql}`);
    Deno.copyFileSync(path, copy);
    Deno.copyFileSync(`${path}-wal`, `${copy}-wal`);
  }
  Deno.renameSync(copy, path);
  Deno.renameSync(`${copy}-wal`, `${path}-wal`);
}

async function bytesOfStore(): Promise<Uint8Array> {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  const store = openSqliteStore(path);
  for (let n = 0; n < 200; n++) await store.append(sampleStep({ content: "x".repeat(1000) }));
  await store.close();
  return Deno.readFileSync(path);
}

function columnsOf(path: string): unknown[] {
  using database = new DatabaseSync(path, { readOnly: true });
  return database.prepare(`
    SELECT m.type AS kind, m.name AS object, c.name AS column_name, c.type, c."notnull", c.dflt_value
      FROM sqlite_schema AS m LEFT JOIN pragma_table_info(m.name) AS c ORDER BY m.name, c.name
  `).all();
}

function pragma(database: DatabaseSync, name: string): unknown {
  return database.prepare(`PRAGMA ${name}`).get()?.[name];
}
