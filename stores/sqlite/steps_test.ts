// Needs --allow-read and --allow-write for the folder of temporary files.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { StepType } from "../../contracts/step.ts";
import { hasCode, StoreFolder } from "../../tests/fixtures/store_folder.ts";
import { sampleStep, sampleSummary } from "../_contract_samples.ts";
import { openSqliteStore, type SqliteStore } from "./mod.ts";
import { migrate, MIGRATIONS, SCHEMA_VERSION } from "./migrations.ts";

function step(content: string, stepType: StepType = "response") {
  return sampleStep({ content, stepType });
}

/** The trace of the session, each step with its index. */
async function trace(store: SqliteStore): Promise<string> {
  const steps = await store.lastN("session", Infinity);
  return steps.map(({ stepIndex, content }) => `${stepIndex}${content}`).join(" ");
}

Deno.test("appended steps: whoever appends meanwhile, the indexes have no gap and nothing is lost", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using one = openSqliteStore(path);
  await using other = openSqliteStore(path);
  await one.append(step("a"));
  await one.append(step("b"));
  await other.appendAll([step("c"), step("d")]);
  deepEqual((await one.appendAll([step("e"), step("f")])).map((added) => added.stepIndex), [4, 5]);
  await one.append(step("g"));
  await other.append(step("h"));
  equal(await trace(one), "0a 1b 2c 3d 4e 5f 6g 7h");
});

Deno.test("appended steps: more than one statement takes, a message of the user among them", async () => {
  await using store = openSqliteStore(":memory:");
  await store.append(step("a"));
  await store.appendAll(["b", "c", "d", "e", "f", "g"].map((content) => step(content)));
  equal((await store.list())[0]!.title, "");
  await store.appendAll([step("h"), step("What is new?", "user"), step("i", "tool_call")]);
  equal((await store.list())[0]!.title, "What is new?");
  equal(await trace(store), "0a 1b 2c 3d 4e 5f 6g 7h 8What is new? 9i");
});

Deno.test("appended steps: a session that was deleted and made again begins anew", async () => {
  for (const isElsewhere of [false, true]) {
    using folder = new StoreFolder();
    const path = `${folder.path}/store.db`;
    await using store = openSqliteStore(path);
    await using other = openSqliteStore(path);
    for (const content of ["a", "b", "c"]) await store.append(step(content));
    const deleting = isElsewhere ? other : store;
    equal(await deleting.delete("session"), true);
    if (isElsewhere) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      await other.append(step("x"));
    }
    await store.append(step("y"));
    equal(await trace(store), isElsewhere ? "0x 1y" : "0y");
  }
});

Deno.test("appended steps: a session that is not there any more is made by an append", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await using other = openSqliteStore(path);
  await store.append(step("a"));
  await store.append(step("b"));
  await other.delete("session");
  await store.append(step("c"));
  equal(await trace(store), "0c");
  equal((await store.list()).length, 1);
});

Deno.test("appended steps: each marks its session as used when it is stored", async () => {
  let time = 1000;
  await using store = openSqliteStore(":memory:", { now: () => new Date(time) });
  for (const sessionId of ["a", "b", "a", "a"]) {
    await store.append(sampleStep({ sessionId, stepType: "response" }));
    time += 1000;
  }
  const listed = (await store.list()).map(({ id, createdAt, lastUsedAt, stepCount }) =>
    [id, Number(createdAt), Number(lastUsedAt), stepCount] as const
  );
  deepEqual(listed, [["a", 1000, 4000, 3], ["b", 2000, 2000, 1]]);
  await store.updateData("b", "1");
  deepEqual((await store.list()).map(({ id }) => id), ["b", "a"]);
});

Deno.test("appended steps: nothing is appended once the file was brought to a newer schema", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await store.append(step("a"));
  await store.append(step("b"));
  using other = new DatabaseSync(path);
  migrate(other, SCHEMA_VERSION, [...MIGRATIONS, () => {}]);
  await rejects(store.append(step("c")), hasCode("store_newer", path));
  await rejects(store.appendAll([step("d"), step("e")]), hasCode("store_newer", path));
  equal(await trace(store), "0a 1b");
});

Deno.test("appended steps: a lock is waited for, and what came meanwhile is appended in its order", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await store.append(step("a"));
  await store.append(step("b"));
  using other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const appended = ["c", "d", "e"].map((content) => store.append(step(content)));
  await new Promise((resolve) => setTimeout(resolve, 80));
  other.exec("COMMIT");
  deepEqual((await Promise.all(appended)).map(({ stepIndex }) => stepIndex), [2, 3, 4]);
  equal(await trace(store), "0a 1b 2c 3d 4e");
});

Deno.test("appended steps: a lock that lasts too long is told, and nothing was appended", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path, { lockTimeoutMs: 20 });
  await store.append(step("a"));
  await store.append(step("b"));
  using other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  await rejects(store.append(step("c")), hasCode("store_locked", path));
  await rejects(store.appendAll([step("d"), step("e", "user")]), hasCode("store_locked", path));
  other.exec("ROLLBACK");
  for (const content of ["f", "g"]) await store.append(step(content));
  equal(await trace(store), "0a 1b 2f 3g");
});

Deno.test("appended steps: a failed append leaves nothing, and the next one has the index", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await store.append(step("a"));
  using other = new DatabaseSync(path);
  other.exec(`
    CREATE TRIGGER refuse BEFORE INSERT ON steps WHEN NEW.content = 'bad' BEGIN SELECT raise(ABORT, 'not now'); END;
  `);
  await rejects(store.appendAll([step("b"), step("bad")]), hasCode("store_failed", path));
  await store.append(step("c"));
  equal(await trace(store), "0a 1c");
});

Deno.test("appended steps: a session that was made again in the same millisecond begins anew, too", async () => {
  const made: readonly ((store: SqliteStore) => Promise<unknown>)[] = [
    (store) => store.append(step("x")),
    (store) => store.appendAll(["x", "x", "x", "x", "x"].map((content) => step(content))),
    (store) => store.updateData("session", "1"),
  ];
  for (const [index, make] of made.entries()) {
    using folder = new StoreFolder();
    const path = `${folder.path}/store.db`;
    // A clock that stands still, or was set back.
    const now = () => new Date(1000);
    await using store = openSqliteStore(path, { now });
    await using other = openSqliteStore(path, { now });
    for (const content of ["a", "b", "c"]) await store.append(step(content));
    await other.delete("session");
    await make(other);
    await store.append(step("y"));
    equal(await trace(store), ["0x 1y", "0x 1x 2x 3x 4x 5y", "0y"][index]);
  }
});

Deno.test("appended steps: an open store tells a newer schema that has no such columns any more", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await store.append(step("a"));
  await store.append(step("b"));
  using other = new DatabaseSync(path);
  other.exec(`
    ALTER TABLE steps RENAME COLUMN stored_at TO kept_at;
    ALTER TABLE sessions RENAME COLUMN title TO name;
    PRAGMA user_version = ${SCHEMA_VERSION + 1};
  `);
  await rejects(store.append(step("c")), hasCode("store_newer", path));
  await rejects(store.append(step("d", "user")), hasCode("store_newer", path));
  await rejects(store.list(), hasCode("store_newer", path));
});

Deno.test("appended steps: the last use is the last one, whichever way the clock was set", async () => {
  let time = 5000;
  await using store = openSqliteStore(":memory:", { now: () => new Date(time) });
  const lastUsedAt = async () => Number((await store.list())[0]!.lastUsedAt);
  const uses: readonly (() => Promise<unknown>)[] = [
    () => store.append(step("a", "user")),
    () => store.append(step("b")),
    () => store.updateData("session", "1"),
    () => store.append(step("c")),
    () => store.appendAll(["d", "e", "f", "g", "h"].map((content) => step(content))),
    () => store.finalize("session", sampleSummary()),
    () =>
      store.scripts.keep({ sessionId: "session", stepIndex: 0, claim: 0, json: "1", calls: [] }),
    () => store.append(step("i")),
  ];
  for (const use of [...uses, ...uses.toReversed()]) {
    time -= 100;
    await use();
    equal(await lastUsedAt(), time);
  }
});

Deno.test("appended steps: the clock is asked once an append", async () => {
  let time = 0;
  await using store = openSqliteStore(":memory:", { now: () => new Date(time += 1000) });
  for (const use of [1, 2, 3]) {
    await store.append(step("a", use === 3 ? "user" : "response"));
    equal(Number((await store.list())[0]!.lastUsedAt), use * 1000);
  }
});

Deno.test("appended steps: ids and texts with NUL, and more sessions than are remembered", async () => {
  await using store = openSqliteStore(":memory:");
  const ids = Array.from({ length: 1_100 }, (_, n) => `s\0${n}`);
  for (const round of [0, 1, 2]) {
    for (const sessionId of ids) {
      const added = await store.append(
        sampleStep({ sessionId, stepType: "response", content: `\0${round}` }),
      );
      equal(added.stepIndex, round);
    }
  }
  deepEqual((await store.lastN("s\0" + 7, 2)).map(({ content }) => content), ["\0" + 1, "\0" + 2]);
});
