// Needs --allow-read and --allow-write for the folder of temporary files.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { StoreFolder } from "../../tests/fixtures/store_folder.ts";
import { sampleStep, sampleSummary } from "../_contract_samples.ts";
import { openSqliteStore, type SqliteStore } from "./mod.ts";
import { WAL_LIMIT_BYTES } from "./open_file.ts";

const CONTENT = "x".repeat(2000);

Deno.test("the log shrinks to its limit once an unfinished read of another connection ends (SQL-04)", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await appendMany(store, 10);
  {
    using reader = new DatabaseSync(path, { readOnly: true });
    const unfinished = reader.prepare("SELECT content FROM steps").iterate();
    assert.equal(unfinished.next().value?.content, CONTENT);
    await appendMany(store, 3000);
    assert.ok(logSize(path) > 2 * WAL_LIMIT_BYTES, "the read did not hold the log");
  }
  // The first append writes the log back, the second begins it anew.
  await appendMany(store, 2);
  assert.ok(logSize(path) <= WAL_LIMIT_BYTES, `${logSize(path)} bytes`);
});

Deno.test("the log stays small while nobody holds a read open (SQL-04)", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await using reader = openSqliteStore(path, { readOnly: true });
  for (let n = 0; n < 10; n++) {
    await appendMany(store, 200);
    assert.equal((await reader.lastN("session", 80)).length, 80);
    assert.ok(logSize(path) <= WAL_LIMIT_BYTES, `${logSize(path)} bytes`);
  }
});

Deno.test("closing a store empties the log although a reader is still open (SQL-04)", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  const store = openSqliteStore(path);
  await appendMany(store, 100);
  await using reader = openSqliteStore(path, { readOnly: true });
  assert.equal((await reader.list())[0]!.stepCount, 100);
  assert.ok(logSize(path) > 0);
  await store.close();
  assert.equal(logSize(path), 0);
  assert.equal((await reader.lastN("session", Infinity)).length, 100);
});

Deno.test("ordinary use leaves no statement open that would hold the log (SQL-04)", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await appendMany(store, 100);
  const uses: (() => Promise<unknown>)[] = [
    () => store.lastN("session", 5),
    () => store.list({ limit: 1 }),
    () => store.get("session"),
    () => store.exists("session"),
    () => store.updateData("session", "1"),
    () => store.configure("session", { model: "m" }),
    () => store.finalize("session", sampleSummary()),
    () => assert.rejects(store.append(sampleStep({ promptTokens: -1 }))),
    () => store.delete("session"),
  ];
  using other = new DatabaseSync(path);
  for (const use of uses) {
    await use();
    const { busy } = other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()!;
    assert.equal(busy, 0, use.toString());
    assert.equal(logSize(path), 0, use.toString());
  }
});

async function appendMany(store: SqliteStore, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await store.append(sampleStep({ content: CONTENT }));
}

function logSize(path: string): number {
  return Deno.statSync(`${path}-wal`).size;
}
