/** The memory through the whole engine: scripted models, real guests, a real file. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import type { ApprovalRequest } from "../../../contracts/approval.ts";
import type { FactStore } from "../../../contracts/fact.ts";
import type { RunRequest } from "../../../contracts/loop.ts";
import { memoryCapability } from "../../../ext/memory/mod.ts";
import { secretCapability } from "../../../ext/secrets/mod.ts";
import { DefaultPolicy } from "../../../loop/policy.ts";
import { Redactor } from "../../../redact/redactor.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { openSqliteStore } from "../../../stores/sqlite/mod.ts";
import { StoreFolder } from "../../fixtures/store_folder.ts";
import { callsOf, runScripts } from "../../packs/script_loop.ts";

/** What the calls of one script give. */
function calls(
  facts: FactStore,
  script: readonly string[],
  request: Partial<RunRequest> = {},
): ReturnType<typeof callsOf> {
  return callsOf(memoryCapability({ facts }), script, { request });
}

Deno.test("memory: what one session remembers, a later program on the same file recalls and forgets", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  {
    await using store = openSqliteStore(path, { now: () => new Date("2026-01-31T10:00:00Z") });
    const told = await calls(store.facts, [
      'remember("Ada drinks green tea", { tags: ["taste"] })',
      'remember("Ada lives in Oslo")',
    ]);
    deepEqual(told, ["1", "2"]);
  }
  await using store = openSqliteStore(path);
  const told = await calls(store.facts, [
    'recall("what does Ada drink?", { limit: 1 })',
    'recall("tea")[0].text',
    'recall("").length',
    'forget("1")',
    'forget("1")',
    'recall("tea")',
  ]);
  deepEqual(told, [
    [{ id: "1", text: "Ada drinks green tea", tags: ["taste"], on: "2026-01-31" }],
    "Ada drinks green tea",
    2,
    true,
    false,
    [],
  ]);
});

Deno.test("memory: facts of one user or workspace are not found by another, nor forgotten", async () => {
  await using store = openSqliteStore(":memory:");
  const owners: readonly Partial<RunRequest>[] = [
    {},
    { userId: "ada" },
    { scope: { workspaceId: "acme" }, userId: "ada" },
    { scope: { workspaceId: "acme" }, userId: "bob" },
  ];
  for (const owner of owners) {
    deepEqual(await calls(store.facts, ['recall("secret")', 'forget("1")'], owner), [[], false]);
    await calls(store.facts, ['remember("a secret word")'], owner);
    equal((await calls(store.facts, ['recall("secret").length'], owner))[0], 1);
  }
});

Deno.test("memory: secrets that the run knows are taken out before a fact is kept", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  const [told, learned] = ["key-0123456789", "tok-9876543210"];
  {
    await using store = openSqliteStore(path);
    await runScripts([
      `function run() {
        const learned = secret("TOKEN");
        remember("the keys are ${told} and " + learned, { tags: [learned] });
      }`,
    ], {
      capabilities: [
        memoryCapability({ facts: store.facts }),
        secretCapability({ names: ["TOKEN"], get: () => learned }),
      ],
      config: { redactor: Redactor.fromSecrets({ KEY: told }) },
    });
    const [fact] = await store.facts.recall({}, "keys");
    equal(fact?.text, "the keys are [redacted] and [redacted]");
    deepEqual(fact?.tags, ["[redacted]"]);
  }
  ok(folder.contains("the keys are"));
  ok(!folder.contains(told) && !folder.contains(learned) && !folder.contains("9876543210"));
});

Deno.test("memory: the default policy lets scripts recall, and has a person asked before they remember or forget", async () => {
  const { facts } = new MemoryStore();
  const asked: ApprovalRequest[] = [];
  const run = (source: string) =>
    runScripts([source], {
      capabilities: [memoryCapability({ facts })],
      config: {
        policy: new DefaultPolicy(),
        approve: (request) => {
          asked.push(request);
          return request.name === "forget"
            ? { decision: "deny", reason: "keep it" }
            : { decision: "approve" };
        },
      },
    });
  await run('function run() { remember("tea"); return recall("tea"); }');
  const { observations } = await run('function run() { forget("1"); }');
  deepEqual(asked.map(({ name, target, preview }) => ({ name, target, preview })), [
    { name: "remember", target: undefined, preview: "Keeps for later sessions: tea" },
    { name: "forget", target: "1", preview: undefined },
  ]);
  match(observations[0] ?? "", /keep it/);
  equal((await facts.recall({}, "")).length, 1);
});

Deno.test("memory: a call that does not fit is an error that says how, and the script goes on", async () => {
  const { facts } = new MemoryStore();
  const told = await calls(facts, [
    "remember()",
    'remember("")',
    'remember("x".repeat(5000))',
    'remember("x", "y")',
    'remember("x", { tags: "y" })',
    'remember("x", { tags: [1] })',
    'recall("x", { limit: 1000 })',
    'recall("x", { limit: "9" })',
    "recall(5)",
    "forget()",
    "recall()",
  ]);
  deepEqual(told, [
    "threw remember(text, { tags }): text must be a text",
    "threw A fact's text must not be empty.",
    "threw A fact's text may have 4096 bytes, this one has 5000. Shorten it.",
    "threw remember: the second argument must be an object of options",
    "threw remember: tags must be a list of texts",
    "threw remember: each of the tags must be a text",
    "threw The limit of recalled facts must be a whole number from 1 to 100, not 1000.",
    "threw recall: limit must be a number",
    "threw recall(query, { limit }): query must be a text",
    "threw forget(id): id must be a text",
    [],
  ]);
});

Deno.test("memory: a capability without a store is refused at once", () => {
  throws(() => memoryCapability({} as never), /memoryCapability: facts must be a fact store/);
  throws(() => memoryCapability(undefined as never), TypeError);
});
