// Needs --allow-read and --allow-write for the folder of temporary files.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { AgentLoopError } from "../../contracts/errors.ts";
import { sampleStep, sampleSummary } from "../_contract_samples.ts";
import {
  artifactStoreContract,
  type ArtifactStoreFixture,
  callLogContract,
  type CallLogFixture,
  eventLogContract,
  type EventLogFixture,
  factStoreContract,
  type FactStoreFixture,
  grantStoreContract,
  type GrantStoreFixture,
  resultStoreContract,
  type ResultStoreFixture,
  scheduleStoreContract,
  type ScheduleStoreFixture,
  scriptJournalContract,
  type ScriptJournalFixture,
  sessionStoreContract,
  type SessionStoreFixture,
  spendLedgerContract,
  type SpendLedgerFixture,
  stepStoreContract,
} from "../contract.ts";
import { openSqliteStore, type SqliteStore } from "./mod.ts";
import { SCHEMA_VERSION } from "./migrations.ts";
import { hasCode, StoreFolder } from "../../tests/fixtures/store_folder.ts";
import { assertTasksGoWithSession } from "../_schedule_samples.ts";

type Fixture =
  & SessionStoreFixture
  & ArtifactStoreFixture
  & CallLogFixture
  & EventLogFixture
  & FactStoreFixture
  & GrantStoreFixture
  & ResultStoreFixture
  & ScheduleStoreFixture
  & ScriptJournalFixture
  & SpendLedgerFixture
  & { readonly another?: () => Fixture };

function fileFixture(): Fixture {
  const folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  return { ...handle(path, () => folder[Symbol.dispose]()), another: () => handle(path) };
}

function handle(path: string, afterwards: () => void = () => {}): Fixture {
  const store = openSqliteStore(path);
  const close = async () => {
    await store.close();
    afterwards();
  };
  return {
    steps: store,
    sessions: store,
    catalog: store,
    calls: store,
    ledger: store,
    grants: store,
    events: store.events,
    facts: store.facts,
    results: store.results,
    artifacts: store.artifacts,
    schedule: store.schedule,
    scripts: store.scripts,
    close,
  };
}

stepStoreContract("SqliteStore in a file", fileFixture, { shared: true });
sessionStoreContract("SqliteStore in a file", fileFixture, { shared: true });
callLogContract("SqliteStore in a file", fileFixture, { shared: true });
spendLedgerContract("SqliteStore in a file", fileFixture, { shared: true });
eventLogContract("SqliteStore in a file", fileFixture, { shared: true });
eventLogContract("SqliteStore in memory", () => handle(":memory:"));
artifactStoreContract("SqliteStore in a file", fileFixture, { shared: true });
factStoreContract("SqliteStore in a file", fileFixture, { shared: true });
artifactStoreContract("SqliteStore in memory", () => handle(":memory:"));
factStoreContract("SqliteStore in memory", () => handle(":memory:"));
resultStoreContract("SqliteStore in a file", fileFixture, { shared: true });
resultStoreContract("SqliteStore in memory", () => handle(":memory:"));
grantStoreContract("SqliteStore in a file", fileFixture, { shared: true });
grantStoreContract("SqliteStore in memory", () => handle(":memory:"));
scheduleStoreContract("SqliteStore in a file", fileFixture, { shared: true });
scheduleStoreContract("SqliteStore in memory", () => handle(":memory:"));
scriptJournalContract("SqliteStore in a file", fileFixture, { shared: true });
scriptJournalContract("SqliteStore in memory", () => handle(":memory:"));
spendLedgerContract("SqliteStore in memory", () => handle(":memory:"));
callLogContract("SqliteStore in memory", () => handle(":memory:"));
stepStoreContract("SqliteStore in memory", () => handle(":memory:"));
sessionStoreContract("SqliteStore in memory", () => handle(":memory:"));

Deno.test("SqliteStore takes the times of a listing from its clock", async () => {
  let time = 1000;
  await using store = openSqliteStore(":memory:", { now: () => new Date(time) });
  await store.updateData("s", "1");
  time = 2000;
  await store.updateData("s", "2");
  const [listing] = await store.list();
  assert.deepEqual([listing!.createdAt, listing!.lastUsedAt], [new Date(1000), new Date(2000)]);
});

Deno.test("SqliteStore keeps its rows under snake_case names, times in milliseconds", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path, { now: () => new Date(1_767_225_700_000) });
  await store.append(sampleStep({ toolArgs: "{}", durationMs: 1.5 }));
  using database = new DatabaseSync(path);
  assert.deepEqual({ ...database.prepare("SELECT * FROM steps").get() }, {
    session_id: "session",
    step_index: 0,
    run_id: "0190a000-0000-7000-8000-000000000001",
    step_type: "user",
    content: "hello",
    tool_args: "{}",
    duration_ms: 1.5,
    prompt_tokens: 0,
    completion_tokens: 0,
    created_at: 1_767_225_600_123,
    stored_at: 1_767_225_700_000,
  });
});

Deno.test("SqliteStore keeps one row a scope and minute of what was spent, however often", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  const spend = { tokens: 1_000_000_000, cost: 0.5, hostCalls: 2 };
  for (let n = 0; n < 100; n++) {
    await store.addSpend("scope", spend, new Date(1_767_225_600_000 + n * 599));
  }
  await store.addSpend("scope", spend, new Date(1_767_225_660_000));
  using database = new DatabaseSync(path);
  assert.deepEqual(database.prepare("SELECT * FROM spend").all().map((row) => ({ ...row })), [
    { scope_key: "scope", minute: 29_453_760, tokens: 100_000_000_000, cost: 50, host_calls: 200 },
    { scope_key: "scope", minute: 29_453_761, tokens: 1_000_000_000, cost: 0.5, host_calls: 2 },
  ]);
});

Deno.test("SqliteStore keeps what was spent when a session is deleted", async () => {
  await using store = openSqliteStore(":memory:");
  await store.append(sampleStep());
  await store.addSpend("session", { tokens: 5, cost: 0, hostCalls: 0 }, new Date());
  assert.equal(await store.delete("session"), true);
  assert.equal((await store.spendSince("session", new Date(0))).tokens, 5);
});

Deno.test("SqliteStore never gives a changed number for one beyond 2^53 (SQL-07)", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await store.append(sampleStep({ sessionId: "index" }));
  await store.append(sampleStep({ sessionId: "tokens" }));
  await store.append(sampleStep({ sessionId: "total" }));
  using database = new DatabaseSync(path);
  database.exec(`
    UPDATE steps SET step_index = 9007199254740993 WHERE session_id = 'index';
    UPDATE steps SET prompt_tokens = 9007199254740993 WHERE session_id = 'tokens';
    UPDATE sessions SET prompt_tokens = 9007199254740993 WHERE session_id = 'total';
  `);
  await assert.rejects(store.lastN("index", 1), RangeError);
  await assert.rejects(store.lastN("tokens", 1), RangeError);
  await assert.rejects(store.list(), RangeError);
  await assert.rejects(store.append(sampleStep({ sessionId: "index" })), RangeError);
  await assert.rejects(store.append(sampleStep({ promptTokens: 2 ** 53 })), RangeError);
});

Deno.test("SqliteStore refuses a total that could not be read exactly, and keeps the old one (SQL-07)", async () => {
  await using store = openSqliteStore(":memory:");
  await store.finalize("s", sampleSummary({ completionTokens: Number.MAX_SAFE_INTEGER }));
  await assert.rejects(store.finalize("s", sampleSummary({ completionTokens: 1 })), RangeError);
  const [listing] = await store.list();
  assert.equal(listing!.completionTokens, Number.MAX_SAFE_INTEGER);
  assert.equal(listing!.runCount, 1);
});

Deno.test("SqliteStore replaces a lone surrogate, so that what it gives can always be sent (PRV-04)", async () => {
  await using store = openSqliteStore(":memory:");
  const returned = await store.append(sampleStep({ content: "ok \uD83D end" }));
  assert.equal(returned.content, "ok \uFFFD end");
  assert.deepEqual(await store.lastN("session", 1), [returned]);
  await store.updateData("session", JSON.stringify("\uDC00"));
  assert.equal((await store.get("session")).data, '"\\udc00"');
  await assert.rejects(store.append(sampleStep({ sessionId: "a\uD83D" })), TypeError);
});

Deno.test("SqliteStore leaves no trace of a deleted session in its files", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  const secret = "the-launch-code-is-swordfish";
  await using keeper = openSqliteStore(path);
  await keeper.updateData("kept", "1");
  const store = openSqliteStore(path);
  for (let n = 0; n < 50; n++) {
    await store.append(sampleStep({ content: `${secret} ${"x".repeat(n * 100)}` }));
  }
  await store.updateData("session", JSON.stringify(secret.repeat(1000)));
  await store.configure("session", { systemPrompt: secret });
  const told = { type: "user", content: secret, runId: "r", sessionId: "session" } as const;
  await store.events.append("session", [{ event: told, sequence: 0, at: new Date() }], 0);
  await store.results.keepResult({
    sessionId: "session",
    callId: "c",
    text: `${secret} ${"y".repeat(90_000)} ${secret}`,
  });
  const page = { sessionId: "session", filename: "page.txt", title: secret, type: "text/plain" };
  await store.artifacts.save({}, { ...page, content: secret.repeat(1000) });
  const calls = [{ position: 0, json: secret }];
  const script = { sessionId: "session", stepIndex: 1, claim: 0, json: secret, calls };
  await store.scripts.keep(script);
  await store.close();
  assert.ok(folder.contains(secret), "the secret was never in the file");
  assert.equal(await keeper.delete("session"), true);
  await keeper.close();
  assert.equal(folder.contains(secret), false);
});

Deno.test("SqliteStore leaves no trace of a script that it forgot in its files", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using keeper = openSqliteStore(path);
  const secret = "Swordfish-9";
  const calls = [{ position: 0, json: secret.repeat(9000) }];
  const store = openSqliteStore(path);
  const script = { sessionId: "session", stepIndex: 1, claim: 0, json: secret, calls };
  await store.scripts.keep(script);
  await store.close();
  assert.ok(folder.contains(secret), "the secret was never in the file");
  await keeper.scripts.drop(script);
  await keeper.close();
  assert.equal(folder.contains(secret), false);
});

Deno.test("SqliteStore leaves no trace of a forgotten fact in its files, neither of its text nor of its words", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using keeper = openSqliteStore(path);
  await keeper.facts.remember({}, { text: "this one stays" });
  const store = openSqliteStore(path);
  const text = "The launch code is Swordfish";
  const { id } = await store.facts.remember({ userId: "ada" }, { text, tags: ["Marlin"] });
  await store.facts.remember({ userId: "ada" }, { text, tags: ["Barracuda"] });
  await store.close();
  for (const word of ["Swordfish", "Barracuda", "swordfish", "barracuda"]) {
    assert.ok(folder.contains(word), `${word} was never in the file`);
  }
  assert.equal(await keeper.facts.forget({ userId: "ada" }, id), true);
  await keeper.close();
  for (const word of ["wordfish", "arracuda", "arlin"]) assert.equal(folder.contains(word), false);
  assert.ok(folder.contains("this one stays"));
});

Deno.test("SqliteStore deletes the artifacts of a session with it, and no others", async () => {
  await using store = openSqliteStore(":memory:");
  const file = { filename: "a.txt", title: "", type: "text/plain", content: "a" };
  const gone = await store.artifacts.save({}, { ...file, sessionId: "gone" });
  const stays = await store.artifacts.save({}, { ...file, sessionId: "stays" });
  assert.equal(await store.exists("gone"), true);
  assert.equal(await store.delete("gone"), true);
  assert.equal(await store.artifacts.read("any", gone.id), undefined);
  assert.deepEqual((await store.artifacts.list("any")).map(({ id }) => id), [stays.id]);
});

Deno.test("SqliteStore leaves no trace of a removed artifact in its files", async () => {
  using folder = new StoreFolder();
  await using keeper = openSqliteStore(`${folder.path}/store.db`);
  const store = openSqliteStore(`${folder.path}/store.db`);
  const { id } = await store.artifacts.save({}, {
    sessionId: "s",
    filename: "a.txt",
    title: "Swordfish",
    type: "text/plain",
    content: "Barracuda".repeat(1000),
  });
  await store.close();
  for (const word of ["Swordfish", "Barracuda"]) assert.ok(folder.contains(word), word);
  assert.equal(await keeper.artifacts.remove({}, id), true);
  await keeper.close();
  for (const word of ["Swordfish", "Barracuda"]) assert.equal(folder.contains(word), false, word);
});

Deno.test("SqliteStore keeps no more facts of one owner than it may, and says what to do", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  const { id } = await store.facts.remember({}, { text: "first" });
  using database = new DatabaseSync(path);
  database.exec("UPDATE fact_owners SET fact_count = 10000");
  await assert.rejects(
    store.facts.remember({}, { text: "more" }),
    /holds 10000 facts.*Forget some/,
  );
  await store.facts.remember({}, { text: "first", tags: ["again"] });
  await store.facts.remember({ userId: "other" }, { text: "more" });
  assert.equal(await store.facts.forget({}, id), true);
  await store.facts.remember({}, { text: "more" });
});

Deno.test("SqliteStore keeps facts when a session is deleted, and their index whole", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await store.append(sampleStep());
  for (let n = 0; n < 300; n++) {
    const { id } = await store.facts.remember({ userId: `u${n % 3}` }, { text: `fact ${n} tea` });
    if (n % 2 === 0) await store.facts.forget({ userId: `u${n % 3}` }, id);
  }
  await store.delete("session");
  assert.equal((await store.facts.recall({ userId: "u1" }, "tea", { limit: 100 })).length, 50);
  using database = new DatabaseSync(path);
  database.exec("INSERT INTO fact_words (fact_words, rank) VALUES ('integrity-check', 1)");
  assert.equal(database.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok");
});

Deno.test("SqliteStore finishes the calls that were made before it is closed, and refuses later ones", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  const store = openSqliteStore(path);
  const appends = Array.from({ length: 20 }, () => store.append(sampleStep()));
  await store.close();
  assert.deepEqual((await Promise.all(appends)).map((step) => step.stepIndex).at(-1), 19);
  await store.close();
  await assert.rejects(store.append(sampleStep()), TypeError);
  await assert.rejects(store.list(), TypeError);
});

Deno.test("SqliteStore refuses the calls that still wait when it is disposed of at once", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  let pending: Promise<unknown>;
  using other = new DatabaseSync(path);
  {
    using store = openSqliteStore(path);
    other.exec("BEGIN IMMEDIATE");
    // The first waits for the lock, the second for the first.
    pending = Promise.all([
      assert.rejects(store.append(sampleStep()), TypeError),
      assert.rejects(store.append(sampleStep()), TypeError),
    ]);
  }
  other.exec("COMMIT");
  await pending;
  await using again = openSqliteStore(path);
  assert.deepEqual(await again.lastN(sampleStep().sessionId, 9), []);
});

Deno.test("SqliteStore keeps what was given before it is disposed of at once, where nothing was in the way", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  let appended: Promise<unknown>;
  {
    using store = openSqliteStore(path);
    appended = store.append(sampleStep());
  }
  await appended;
  await using again = openSqliteStore(path);
  assert.equal((await again.lastN(sampleStep().sessionId, 9)).length, 1);
});

Deno.test("SqliteStore waits for another writer without holding up the thread", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  using other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const order: string[] = [];
  const appends = Array.from({ length: 8 }, async (_, n) => {
    await store.append(sampleStep({ content: `${n}` }));
    order.push(`${n}`);
  });
  setTimeout(() => {
    order.push("released");
    other.exec("COMMIT");
  }, 120);
  await Promise.all(appends);
  assert.deepEqual(order, ["released", "0", "1", "2", "3", "4", "5", "6", "7"]);
  const steps = await store.lastN("session", Infinity);
  assert.deepEqual(steps.map((step) => step.content), order.slice(1));
});

Deno.test("SqliteStore says that the database is locked when the wait is over", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path, { lockTimeoutMs: 5 });
  using other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  await assert.rejects(store.append(sampleStep()), hasCode("store_locked", path));
  other.exec("COMMIT");
  assert.equal((await store.append(sampleStep())).stepIndex, 0);
});

Deno.test("SqliteStore lets others have their turn between calls that have waited too long", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path, { lockTimeoutMs: 300 });
  using other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  const failedAt: number[] = [];
  const calls = Array.from(
    { length: 5 },
    () => store.append(sampleStep()).catch(() => failedAt.push(turns)),
  );
  await Promise.all(calls);
  clearInterval(turning);
  assert.equal(new Set(failedAt).size, calls.length);
});

Deno.test("SqliteStore takes a call that is made in the middle of another as the next", async () => {
  let inner: Promise<unknown> | undefined;
  await using store = openSqliteStore(":memory:", {
    now() {
      inner ??= store.append(sampleStep({ content: "inner" }));
      return new Date();
    },
  });
  await store.append(sampleStep({ content: "outer" }));
  await inner;
  const steps = await store.lastN("session", 9);
  assert.deepEqual(steps.map(({ content }) => content), ["outer", "inner"]);
});

Deno.test("SqliteStore keeps nothing of a write that fails halfway", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await store.append(sampleStep());
  using other = new DatabaseSync(path);
  other.exec(`
    CREATE TRIGGER refuse BEFORE INSERT ON steps BEGIN SELECT raise(ABORT, 'not now'); END;
  `);
  await assert.rejects(store.append(sampleStep({ content: "lost" })), (error) => {
    return error instanceof AgentLoopError && error.code === "store_failed" &&
      error.message.includes("not now") && !error.message.includes("lost");
  });
  other.exec("DROP TRIGGER refuse");
  assert.equal((await store.append(sampleStep())).stepIndex, 1);
  assert.equal((await store.list())[0]!.stepCount, 2);
});

Deno.test("SqliteStore stops writing once the file was brought to a newer schema", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using store = openSqliteStore(path);
  await store.append(sampleStep());
  using other = new DatabaseSync(path);
  other.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  await assert.rejects(store.append(sampleStep()), hasCode("store_newer", path));
  assert.equal((await store.lastN("session", Infinity)).length, 1);
});

Deno.test("SqliteStore that was opened to read only reads, and refuses to write", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await using writer = openSqliteStore(path);
  await writer.append(sampleStep());
  await using reader = openSqliteStore(path, { readOnly: true });
  assert.equal((await reader.lastN("session", 1)).length, 1);
  assert.equal(await reader.exists("session"), true);
  assert.equal((await reader.spendSince("scope", new Date(0))).tokens, 0);
  const writes: ((store: SqliteStore) => Promise<unknown>)[] = [
    (store) => store.append(sampleStep()),
    (store) => store.updateData("session", "1"),
    (store) => store.finalize("session", sampleSummary()),
    (store) => store.configure("session", { model: "m" }),
    (store) => store.delete("session"),
    (store) =>
      store.artifacts.save({}, {
        sessionId: "session",
        filename: "f",
        title: "",
        type: "text/plain",
        content: "",
      }),
    (store) => store.artifacts.remove("any", "x"),
    (store) => store.facts.remember({}, { text: "fact" }),
    (store) => store.facts.forget({}, "1"),
    (store) => store.events.append("session", [], 0),
    (store) => store.events.deleteStream("session"),
    (store) => store.results.keepResult({ sessionId: "session", callId: "c", text: "x" }),
    (store) => store.results.deleteResults("session"),
    (store) => store.addSpend("scope", { tokens: 1, cost: 0, hostCalls: 0 }, new Date()),
  ];
  for (const write of writes) await assert.rejects(write(reader), /read only/);
  await writer.append(sampleStep());
  assert.equal((await reader.list())[0]!.stepCount, 2);
});

Deno.test("SqliteStore deletes a session's tasks with it, and those of no other", async () => {
  await using store = openSqliteStore(":memory:");
  await assertTasksGoWithSession(store);
});
