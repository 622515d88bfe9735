/**
 * Several real processes on one store. Needs --allow-read and --allow-write for the folder of temporary files, --allow-read for the sources, and --allow-run for the runtime itself.
 * The processes stay alive over the rounds of a test: so many rounds cost little, and no start-up time keeps the calls apart.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { RunStep } from "../../contracts/step.ts";
import { SCHEMA_VERSION } from "../../stores/sqlite/migrations.ts";
import { openSqliteStore } from "../../stores/sqlite/mod.ts";
import { rebuildResult } from "../../loop/rebuild_result.ts";
import { StoreFolder } from "../fixtures/store_folder.ts";
import type { ToldRun, ToldVersion } from "../fixtures/store_process.ts";
import { StoreProcess } from "../fixtures/store_processes.ts";
import { writeSchema1 } from "../fixtures/store_schema_1.ts";

const ROUNDS = 30;

Deno.test("8 processes that open a missing file at once all succeed (SQL-03)", async () => {
  await openAtOnce(() => {});
});

Deno.test("8 processes that open a file of the previous schema at once all succeed (SQL-03)", async () => {
  await openAtOnce(writeSchema1);
});

async function openAtOnce(make: (path: string) => void): Promise<void> {
  using folder = new StoreFolder();
  await using stack = new AsyncDisposableStack();
  const processes = await startProcesses(8, folder, stack);
  for (let round = 0; round < ROUNDS; round++) {
    const path = `${folder.path}/round-${round}.db`;
    make(path);
    const indexes = await Promise.all(
      processes.map((process) =>
        process.ask<number[]>({ do: "append", path, sessionId: "s", count: 1 })
      ),
    );
    assert.deepEqual(indexes.flat().toSorted(), [0, 1, 2, 3, 4, 5, 6, 7], `round ${round}`);
    assert.deepEqual(checkFile(path), { version: SCHEMA_VERSION, integrity: "ok" });
    await using store = openSqliteStore(path);
    assert.equal((await store.list()).find(({ id }) => id === "s")!.stepCount, 8);
  }
}

Deno.test("processes that append to one session at once lose, double and reorder nothing", async () => {
  using folder = new StoreFolder();
  await using stack = new AsyncDisposableStack();
  const path = `${folder.path}/store.db`;
  const processes = await startProcesses(4, folder, stack);
  const count = 250;
  const answers = await Promise.all(
    processes.map((process) =>
      process.ask<number[]>({ do: "append", path, sessionId: "s", count })
    ),
  );
  await using store = openSqliteStore(path);
  const steps = await store.lastN("s", Infinity);
  assert.deepEqual(steps.map((step) => step.stepIndex), Array.from(steps.keys()));
  assert.equal(steps.length, 4 * count);
  const byProcess = Object.values(Object.groupBy(steps, (step) => step.runId)) as RunStep[][];
  for (const own of byProcess) {
    assert.deepEqual(own.map(numberOf), Array.from({ length: count }, (_, n) => n));
  }
  const told = new Set(answers.map((indexes) => indexes.join()));
  const kept = new Set(byProcess.map((own) => own.map((step) => step.stepIndex).join()));
  assert.deepEqual(kept, told);
});

Deno.test("processes that add to what one scope has spent at once lose nothing", async () => {
  using folder = new StoreFolder();
  await using stack = new AsyncDisposableStack();
  const path = `${folder.path}/store.db`;
  const processes = await startProcesses(4, folder, stack);
  const count = 200;
  await Promise.all(
    processes.map((process) => process.ask({ do: "spend", path, scopeKey: "scope", count })),
  );
  await using store = openSqliteStore(path);
  assert.deepEqual(await store.spendSince("scope", new Date(0)), {
    tokens: 4 * count * (count - 1) / 2,
    cost: 4 * count * 0.25,
    hostCalls: 4 * count,
  });
});

Deno.test("processes whose runs write to one event stream at once lose, double and reorder no event, and each result can be rebuilt", async () => {
  using folder = new StoreFolder();
  await using stack = new AsyncDisposableStack();
  const path = `${folder.path}/store.db`;
  const processes = await startProcesses(4, folder, stack);
  const count = 12;
  const told = (await Promise.all(
    processes.map((process) => process.ask<ToldRun[]>({ do: "run", path, sessionId: "s", count })),
  )).flat();
  await using store = openSqliteStore(path);
  const stream = await store.events.read("s");
  assert.deepEqual(stream.map(({ version }) => version), stream.map((_, index) => index + 1));
  assert.equal(told.length, 4 * count);
  for (const { runId, finalText, steps, conflicts } of told) {
    const own = stream.filter(({ event }) => event.runId === runId);
    assert.deepEqual(own.map(({ sequence }) => sequence), Array.from(own.keys()));
    // The user's message, the turn, the answer and the end; a conflict is told once.
    const types = own.map(({ event }) => event.type).filter((type) => type !== "warning");
    assert.deepEqual(types, ["user", "turn_start", "response", "done"]);
    assert.ok(own.length - types.length <= conflicts && conflicts <= 1, `${conflicts}`);
    const rebuilt = rebuildResult(stream, runId);
    assert.deepEqual([rebuilt?.finalText, rebuilt?.steps, rebuilt?.status], [
      finalText,
      steps,
      "completed",
    ]);
  }
  assert.equal(await store.delete("s"), true);
  assert.equal(await store.events.version("s"), 0);
});

Deno.test("a process that is killed while its runs go on leaves a stream without a gap, which others append to", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  let versions = 0;
  for (let round = 0; round < 3; round++) {
    await using process = new StoreProcess(folder.path);
    await process.tell({ do: "run", path, sessionId: "s", count: 100_000 });
    const enough = versions + 40;
    while ((versions = await store.events.version("s")) < enough) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await process.kill();
    const stream = await store.events.read("s");
    assert.deepEqual(stream.map(({ version }) => version), stream.map((_, index) => index + 1));
    const runs = Object.values(Object.groupBy(stream, ({ event }) => event.runId));
    for (const own of runs as (typeof stream)[]) {
      assert.deepEqual(own.map(({ sequence }) => sequence), Array.from(own.keys()));
      const result = rebuildResult(own);
      const ended = own.some(({ event }) => event.type === "done");
      assert.equal(result?.status, ended ? "completed" : undefined);
    }
    versions = stream.length;
  }
  assert.deepEqual(checkFile(path), { version: SCHEMA_VERSION, integrity: "ok" });
});

Deno.test("processes that remember facts of one memory at once lose none, and give each an id of its own", async () => {
  using folder = new StoreFolder();
  await using stack = new AsyncDisposableStack();
  const path = `${folder.path}/store.db`;
  const processes = await startProcesses(4, folder, stack);
  const count = 60;
  const ids = await Promise.all(
    processes.map((process) => process.ask<string[]>({ do: "remember", path, count })),
  );
  assert.equal(new Set(ids.flat()).size, 4 * count);
  await using store = openSqliteStore(path);
  for (const n of [0, count - 1]) {
    const found = await store.facts.recall({}, `${n}`, { limit: 100 });
    assert.equal(found.filter(({ text }) => text.startsWith(`fact ${n} of`)).length, 4);
  }
  assert.deepEqual(checkFile(path), { version: SCHEMA_VERSION, integrity: "ok" });
});

Deno.test("processes that save one artifact at once make one version each time, and lose none", async () => {
  using folder = new StoreFolder();
  await using stack = new AsyncDisposableStack();
  const path = `${folder.path}/store.db`;
  const processes = await startProcesses(4, folder, stack);
  const count = 5;
  const told = (await Promise.all(
    processes.map((process) => process.ask<ToldVersion[]>({ do: "save_artifact", path, count })),
  )).flat();
  assert.equal(new Set(told.map(({ id }) => id)).size, 1);
  assert.deepEqual(
    told.map(({ version }) => version).sort((a, b) => a - b),
    Array.from({ length: 4 * count }, (_, n) => n + 1),
  );
  await using store = openSqliteStore(path);
  for (const { id, version, content } of told) {
    assert.equal((await store.artifacts.read({}, id, { version }))?.content, content);
  }
  assert.deepEqual(checkFile(path), { version: SCHEMA_VERSION, integrity: "ok" });
});

Deno.test("a process that is killed while it appends leaves every step that it had reported", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  let expected = 0;
  for (let round = 0; round < 4; round++) {
    await using process = new StoreProcess(folder.path);
    await process.tell({ do: "append_forever", path, sessionId: "s" });
    for (let n = 0; n < 150; n++) assert.equal(await process.nextAnswer<number>(), expected++);
    expected += (await process.kill()).length;
    assert.deepEqual(checkFile(path), { version: SCHEMA_VERSION, integrity: "ok" });
    await using store = openSqliteStore(path);
    const steps = await store.lastN("s", Infinity);
    // One more may be there: kept, but killed before it was reported.
    assert.ok(expected <= steps.length && steps.length <= expected + 1, `${steps.length}`);
    assert.deepEqual(steps.map((step) => step.stepIndex), Array.from(steps.keys()));
    expected = steps.length;
  }
});

Deno.test("3 processes that only read never hold up the writer, and see what it wrote (SQL-08)", async () => {
  using folder = new StoreFolder();
  await using stack = new AsyncDisposableStack();
  const path = `${folder.path}/store.db`;
  // With no time to wait, a lock that a reader holds would make an append fail.
  await using writer = openSqliteStore(path, { lockTimeoutMs: 0 });
  const readers = await startProcesses(3, folder, stack);
  for (let written = 1; written <= 100; written++) {
    const listings = readers.map((reader) =>
      reader.ask<Record<string, number>>({ do: "list", path })
    );
    await writer.append({
      sessionId: "s",
      runId: "r",
      stepType: "response",
      content: "x".repeat(500),
      createdAt: new Date(),
    });
    for (const { s = 0 } of await Promise.all(listings)) {
      assert.ok(s === written || s === written - 1, `${s} of ${written}`);
    }
  }
  for (const reader of readers) {
    assert.deepEqual(await reader.ask({ do: "list", path }), { s: 100 });
  }
  using database = new DatabaseSync(path, { readOnly: true });
  assert.equal(database.prepare("PRAGMA journal_mode").get()?.journal_mode, "wal");
});

/** Processes that are up: each has opened a store of its own once. */
async function startProcesses(
  count: number,
  folder: StoreFolder,
  stack: AsyncDisposableStack,
): Promise<StoreProcess[]> {
  const processes = Array.from(
    { length: count },
    () => stack.use(new StoreProcess(folder.path)),
  );
  await Promise.all(
    processes.map((process, n) =>
      process.ask({ do: "append", path: `${folder.path}/own-${n}.db`, sessionId: "s", count: 1 })
    ),
  );
  return processes;
}

function checkFile(path: string): { readonly version: unknown; readonly integrity: unknown } {
  using database = new DatabaseSync(path);
  return {
    version: database.prepare("PRAGMA user_version").get()?.user_version,
    integrity: database.prepare("PRAGMA integrity_check").get()?.integrity_check,
  };
}

function numberOf(step: RunStep): number {
  return Number(step.content.split(" ")[0]);
}
