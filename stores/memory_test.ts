import assert from "node:assert/strict";
import { MAX_FACTS } from "../contracts/fact.ts";
import { sampleStep, sampleSummary } from "./_contract_samples.ts";
import {
  artifactStoreContract,
  callLogContract,
  eventLogContract,
  factStoreContract,
  grantStoreContract,
  resultStoreContract,
  scheduleStoreContract,
  scriptJournalContract,
  sessionStoreContract,
  spendLedgerContract,
  stepStoreContract,
} from "./contract.ts";
import { MemoryStore } from "./memory.ts";
import { assertTasksGoWithSession } from "./_schedule_samples.ts";

stepStoreContract("MemoryStore", () => ({ steps: new MemoryStore() }));
artifactStoreContract("MemoryStore", () => ({ artifacts: new MemoryStore().artifacts }));
callLogContract("MemoryStore", () => ({ calls: new MemoryStore() }));
resultStoreContract("MemoryStore", () => ({ results: new MemoryStore().results }));
eventLogContract("MemoryStore", () => ({ events: new MemoryStore().events }));
factStoreContract("MemoryStore", () => ({ facts: new MemoryStore().facts }));
grantStoreContract("MemoryStore", () => ({ grants: new MemoryStore() }));
scheduleStoreContract("MemoryStore", () => ({ schedule: new MemoryStore().schedule }));
scriptJournalContract("MemoryStore", () => ({ scripts: new MemoryStore().scripts }));
spendLedgerContract("MemoryStore", () => ({ ledger: new MemoryStore() }));
sessionStoreContract("MemoryStore", () => {
  const store = new MemoryStore();
  return { sessions: store, steps: store, catalog: store };
});

Deno.test("MemoryStore takes the times of a listing from its clock", async () => {
  let time = 1000;
  const store = new MemoryStore({ now: () => new Date(time) });
  await store.updateData("s", "1");
  time = 2000;
  await store.updateData("s", "2");
  const [listing] = await store.list();
  assert.deepEqual([listing!.createdAt, listing!.lastUsedAt], [new Date(1000), new Date(2000)]);
});

Deno.test("MemoryStore refuses a total that could not be kept exactly, and keeps the old one (SQL-07)", async () => {
  const store = new MemoryStore();
  await store.finalize("s", sampleSummary({ promptTokens: Number.MAX_SAFE_INTEGER }));
  await assert.rejects(store.finalize("s", sampleSummary({ promptTokens: 1 })), RangeError);
  const [listing] = await store.list();
  assert.equal(listing!.promptTokens, Number.MAX_SAFE_INTEGER);
  assert.equal(listing!.runCount, 1);
});

Deno.test("MemoryStore gives well-formed text for a lone surrogate, as the store in a file does (PRV-04)", async () => {
  const store = new MemoryStore();
  await store.append(sampleStep({ content: "ok \uD83D end" }));
  assert.equal((await store.lastN("session", 1))[0]!.content, "ok \uFFFD end");
});

Deno.test("MemoryStore keeps no more facts of one owner than it may, and says what to do", async () => {
  const { facts } = new MemoryStore();
  for (let n = 0; n < MAX_FACTS; n++) await facts.remember({}, { text: `fact ${n}` });
  await assert.rejects(facts.remember({}, { text: "one more" }), /holds 10000 facts.*Forget some/);
  await facts.remember({}, { text: "fact 5", tags: ["again"] });
  await facts.remember({ userId: "other" }, { text: "one more" });
  assert.equal(await facts.forget({}, "1"), true);
  await facts.remember({}, { text: "one more" });
  assert.equal((await facts.recall({}, "fact 77"))[0]!.text, "fact 77");
});

Deno.test("MemoryStore deletes a session's events and long results with it, and keeps facts", async () => {
  const store = new MemoryStore();
  const event = { type: "user", content: "hi", runId: "r", sessionId: "s" } as const;
  await store.append(sampleStep({ sessionId: "s" }));
  await store.events.append("s", [{ event, sequence: 0, at: new Date(0) }], 0);
  await store.facts.remember({}, { text: "stays" });
  await store.results.keepResult({ sessionId: "s", callId: "c", text: "long" });
  await store.scripts.keep({ sessionId: "s", stepIndex: 0, claim: 0, json: "{}", calls: [] });
  assert.equal(await store.delete("s"), true);
  assert.equal(await store.results.readResult("s", "c"), undefined);
  assert.equal(await store.events.version("s"), 0);
  assert.equal(await store.scripts.kept("s"), undefined);
  assert.equal((await store.facts.recall({}, "stays")).length, 1);
});

Deno.test("MemoryStore makes the session of an artifact, and deletes its artifacts with it", async () => {
  const store = new MemoryStore();
  const file = { filename: "a.txt", title: "", type: "text/plain", content: "a" };
  const gone = await store.artifacts.save({}, { ...file, sessionId: "gone" });
  const stays = await store.artifacts.save({}, { ...file, sessionId: "stays" });
  assert.equal(await store.exists("gone"), true);
  assert.equal(await store.delete("gone"), true);
  assert.equal(await store.artifacts.read("any", gone.id), undefined);
  assert.deepEqual((await store.artifacts.list("any")).map(({ id }) => id), [stays.id]);
});

Deno.test("MemoryStore deletes a session's tasks with it, and those of no other", async () => {
  await assertTasksGoWithSession(new MemoryStore());
});
