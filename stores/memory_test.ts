import assert from "node:assert/strict";
import { sampleStep, sampleSummary } from "./_contract_samples.ts";
import {
  callLogContract,
  grantStoreContract,
  sessionStoreContract,
  spendLedgerContract,
  stepStoreContract,
} from "./contract.ts";
import { MemoryStore } from "./memory.ts";

stepStoreContract("MemoryStore", () => ({ steps: new MemoryStore() }));
callLogContract("MemoryStore", () => ({ calls: new MemoryStore() }));
grantStoreContract("MemoryStore", () => ({ grants: new MemoryStore() }));
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
