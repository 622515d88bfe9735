import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import type { Spend, SpendLedger } from "../contracts/limits.ts";
import type { LoopConfig } from "../contracts/loop.ts";
import type { HostFunction } from "../contracts/sandbox.ts";
import { scriptedClient, type ScriptedStep } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { keepFacts } from "./_fact_keeper.ts";
import { block, type Fixture, fixture, returning } from "./_run_fixture.ts";
import { createLoop } from "./create_loop.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";

const REQUEST = { sessionId: "s", message: "x" };

/** A loop whose model goes on returning numbers, at so many tokens a call. */
function counting(
  config: Partial<LoopConfig>,
  usage = { prompt: 1000, completion: 100 },
): Fixture {
  return fixture([], { model: { otherwise: (_request, call) => returning(call), usage }, config });
}

function told(made: Fixture, type: string): unknown[] {
  return made.events.filter((event) => event.type === type).map(({ args, content }) =>
    args ?? content
  );
}

Deno.test("run limits: the run ends before the call that could pass its tokens; args stay, and it is told", async () => {
  using made = counting({ limits: { totalTokens: 5000 } });
  const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
  deepEqual([result.status, result.reason, result.finalText, result.error], [
    "limit",
    "total_tokens",
    "",
    undefined,
  ]);
  // Each call takes 1100; the fifth would still fit by what is left, but not with the estimate of its prompt and a reply.
  deepEqual(result.spent, { tokens: 4400, cost: 0, hostCalls: 0 });
  equal((await made.store.get("s")).data, "3");
  match(
    String(told(made, "warning")[0]),
    /^The run may spend 5000 tokens \(totalTokens\): 4400 are spent, and the next call would take about \d+\.$/,
  );
  deepEqual(made.events.at(-1)?.type, "done");
  equal((await made.store.list())[0]?.status, "limit");
  const [last] = await made.store.lastN("s", 1);
  deepEqual([last?.stepType, last?.toolArgs], [
    "error",
    '{"code":"limit","limit":"total_tokens"}',
  ]);
});

Deno.test("run limits: a provider that tells no tokens is held to our estimate of them", async () => {
  using made = counting({ limits: { totalTokens: 5000 } }, { prompt: 0, completion: 0 });
  const result = await made.loop.run(REQUEST);
  deepEqual([result.reason, result.tokens], ["total_tokens", { prompt: 0, completion: 0 }]);
  const { tokens = 0 } = result.spent ?? {};
  ok(tokens > 3000 && tokens <= 5000, `${tokens}`);
});

Deno.test("run limits: a session that ended on a limit goes on under a new one", async () => {
  const made = counting({ limits: { totalTokens: 2500 } });
  equal((await made.loop.run(REQUEST)).status, "limit");
  const { requests } = made.llm;
  const before = requests.length;
  const more = await made.loop.run({ ...REQUEST, limits: { totalTokens: 100_000 } });
  equal(more.status, "max_iterations");
  match(requests[before]?.messages.at(-1)?.content ?? "", /The run ended without an answer/);
  equal(made.sandboxBuilder.evaluated[before]?.argsJson, `${before - 1}`);
});

Deno.test("run limits: a limit too small for one call is met before it, without a token", async () => {
  using made = counting({});
  const result = await made.loop.run({ ...REQUEST, limits: { totalTokens: 500 } });
  deepEqual([result.reason, result.spent?.tokens, made.llm.requests.length], [
    "total_tokens",
    0,
    0,
  ]);
});

Deno.test("run limits: the bound of the reply counts into a call's estimate, and none that is left is passed", async () => {
  using made = counting({ limits: { totalTokens: 5000 } });
  await made.loop.run({ ...REQUEST, maxTokens: 3000 });
  equal(made.llm.requests.length, 2);
  deepEqual(made.llm.requests.map((request) => request.maxTokens), [3000, 3000]);
  using unbounded = counting({ limits: { totalTokens: 5000 } });
  await unbounded.loop.run(REQUEST);
  for (const { maxTokens } of unbounded.llm.requests) {
    ok(maxTokens !== undefined && maxTokens < 5000);
  }
  using far = counting({ limits: { totalTokens: 100_000 }, maxIterations: 1 });
  await far.loop.run(REQUEST);
  equal(far.llm.requests[0]?.maxTokens, undefined);
});

Deno.test("run limits: cost comes from the price table, and ends the run", async () => {
  const prices = { "m": { prompt: 1000, completion: 10_000 } };
  using made = counting({ model: "m-1", prices, limits: { cost: 9 } });
  const result = await made.loop.run(REQUEST);
  deepEqual([result.status, result.reason], ["limit", "cost"]);
  // Each call costs 1 + 1; a fourth is taken for about 0.7, and 2.56 for a reply of 256 tokens.
  deepEqual(result.spent, { tokens: 3300, cost: 6, hostCalls: 0 });
});

Deno.test("run limits: cost comes from the provider where the table has no price", async () => {
  using made = counting(
    { limits: { cost: 0.5 } },
    { prompt: 1000, completion: 100, cost: 0.2 } as never,
  );
  const result = await made.loop.run(REQUEST);
  deepEqual([result.reason, result.spent?.cost, result.tokens.cost], ["cost", 0.4, 0.4]);
});

Deno.test("run limits: a limit on cost that cannot be kept is told, once", async () => {
  using made = counting({ limits: { cost: 5 }, maxIterations: 3 });
  await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
  deepEqual(told(made, "warning"), [
    "The limit on cost cannot be kept: no price is known for scripted, and its provider tells none. Add it to the price table, or limit tokens.",
  ]);
});

Deno.test("run limits: what functions and compactors spend costs what they say, else what the run's model does", async () => {
  const ai: HostFunction = {
    name: "ai",
    execute: ([cost], { spend }) =>
      spend({ prompt: 1000, completion: 0, ...(typeof cost === "number" ? { cost } : {}) }),
  };
  using made = fixture([block("async function run() { await ai(7); await ai(); answer(1); }")], {
    model: { usage: { completion: 1 } },
    sandbox: { functions: [ai] },
    config: { model: "m", prices: { m: { prompt: 2000, completion: 0 } }, limits: { cost: 100 } },
  });
  deepEqual((await made.loop.run(REQUEST)).spent, { tokens: 2001, cost: 9, hostCalls: 2 });
});

/** A function that counts how often it ran. */
function counted(): HostFunction & { ran: number } {
  const made = { name: "f", ran: 0, execute: () => ++made.ran };
  return made;
}

Deno.test("run limits: host calls beyond the limit are refused over the turns of a run, and the run then ends", async () => {
  const f = counted();
  using made = fixture([
    block("async function run() { return [await f(), await f()]; }"),
    block(
      "async function run(a) { a.push(await f()); try { await f(); } catch (e) { a.push(e.name); } return a; }",
    ),
  ], { sandbox: { functions: [f] }, config: { limits: { hostCalls: 3 } } });
  const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
  deepEqual([result.status, result.reason, result.spent?.hostCalls], ["limit", "host_calls", 3]);
  deepEqual([f.ran, (await made.store.get("s")).data], [3, '[1,2,3,"LimitError"]']);
  deepEqual(told(made, "warning"), [
    "The run may spend 3 host calls (hostCalls): 3 are spent, and one more was wanted.",
  ]);
  deepEqual(told(made, "sandbox_event").at(-1), {
    kind: "host_call",
    name: "f",
    outcome: "quota",
    duration_ms: 0,
  });
});

Deno.test("run limits: an answer given in spite of a refused call is the answer", async () => {
  using made = fixture([block("async function run() { await f().catch(() => {}); answer(1); }")], {
    sandbox: { functions: [counted()] },
    config: { limits: { hostCalls: 0 } },
  });
  const { status, finalText } = await made.loop.run(REQUEST);
  deepEqual([status, finalText], ["completed", "1"]);
});

Deno.test("run limits: what functions spend counts, and with nothing left no function is called", async () => {
  const spender: HostFunction = {
    name: "ai",
    execute: (_args, { spend }) => spend({ prompt: 3000, completion: 0 }),
  };
  const f = counted();
  using made = fixture([block("async function run() { await ai(); await ai(); await f(); }")], {
    model: { usage: { completion: 1 } },
    sandbox: { functions: [spender, f] },
    config: { limits: { totalTokens: 6000 } },
  });
  const result = await made.loop.run(REQUEST);
  deepEqual([result.reason, result.spent?.tokens, f.ran], ["total_tokens", 6001, 0]);
});

Deno.test("run limits: model calls of functions that could pass a limit together are not made", async () => {
  let asked = 0;
  const both = Promise.withResolvers<void>();
  const ai: HostFunction = {
    name: "ai",
    execute: async ([maxTokens], { reserve, spend }) => {
      using _ = reserve({
        messages: [{ role: "user", content: "x".repeat(400) }],
        ...(typeof maxTokens === "number" ? { maxTokens } : {}),
      });
      if (++asked === 2) both.resolve();
      await both.promise;
      spend({ prompt: 100, completion: 500 });
      return "asked";
    },
  };
  const script = `async function run() {
    const ends = await Promise.allSettled([ai(2000), ai(2000), ai(2000)]);
    return ends.map(({ value, reason }) => value ?? reason.name);
  }`;
  using made = fixture([block(script)], {
    model: { usage: { prompt: 100, completion: 100 } },
    sandbox: { functions: [ai] },
    config: { limits: { totalTokens: 5000 } },
  });
  const result = await made.loop.run(REQUEST);
  deepEqual([result.reason, result.spent?.tokens, asked], ["total_tokens", 1400, 2]);
  equal((await made.store.get("s")).data, '["asked","asked","LimitError"]');
});

Deno.test("run limits: what a call had set aside is free again once it was made", async () => {
  const ai: HostFunction = {
    name: "ai",
    execute: (_args, { reserve, spend }) => {
      using _ = reserve({ messages: [], maxTokens: 3000 });
      spend({ prompt: 10, completion: 10 });
    },
  };
  const script = "async function run() { for (let i = 0; i < 9; i++) await ai(); answer('all'); }";
  using made = fixture([block(script)], {
    sandbox: { functions: [ai] },
    config: { limits: { totalTokens: 5000 } },
  });
  const { finalText, spent } = await made.loop.run(REQUEST);
  deepEqual([finalText, spent?.hostCalls], ["all", 9]);
});

Deno.test("run limits: what a compaction spends counts, and one that could pass a limit is not made", async () => {
  const summarizer = scriptedClient([], {
    otherwise: keepFacts,
    usage: { prompt: 3000, completion: 0 },
  });
  const compactor = new SummarizingCompactor({ llm: summarizer, trigger: 2, keep: 0 });
  using made = fixture([`FACT. ${"a".repeat(8000)}`, "b", "c", "d"], {
    model: { usage: { completion: 1 } },
    config: { compactor },
  });
  for (let n = 0; n < 2; n++) await made.loop.run(REQUEST);
  const short = await made.loop.run({ ...REQUEST, limits: { totalTokens: 1500 } });
  deepEqual([short.reason, summarizer.requests.length], ["total_tokens", 0]);
  const enough = await made.loop.run({ ...REQUEST, limits: { totalTokens: 9000 } });
  deepEqual([enough.status, enough.spent?.tokens, summarizer.requests.length], [
    "completed",
    3001,
    1,
  ]);
  using rest = made.llm;
  await made.loop.run(REQUEST);
  ok(rest.remaining === 0);
});

Deno.test("run limits: what would be carried beyond the bound is not, args stay, and the run ends; half of it is told", async () => {
  using made = fixture([
    returning("a".repeat(60)),
    returning("b".repeat(70)),
    returning("c".repeat(200)),
  ], {
    config: { limits: { argsBytes: 100 } },
  });
  const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
  deepEqual([result.status, result.reason], ["limit", "args_bytes"]);
  equal((await made.store.get("s")).data, JSON.stringify("b".repeat(70)));
  match(String(told(made, "warning")[0]), /is 62 bytes, more than half of the 100/);
  equal(told(made, "warning").length, 2);
  const results = (await made.store.lastN("s", Infinity))
    .filter((step) => step.stepType === "execute_js_result");
  match(results.at(-1)?.content ?? "", /^failed: what run returned is 202 bytes .* may carry 100/);
});

Deno.test("run limits: a session that carries more than a run may ends before any call, and goes on under another limit", async () => {
  const store = new MemoryStore();
  await store.updateData("s", JSON.stringify("a".repeat(100)));
  using made = fixture(["4"], { store, config: { limits: { argsBytes: 50 } } });
  equal((await made.loop.run(REQUEST)).reason, "args_bytes");
  equal((await made.loop.run({ ...REQUEST, limits: { argsBytes: 1000 } })).finalText, "4");
});

/** A ledger in memory. */
function ledgerOf(
  spends: { key: string; spend: Spend; at: Date }[] = [],
): SpendLedger & { spends: typeof spends } {
  return {
    spends,
    addSpend: (key, spend, at) => Promise.resolve(void spends.push({ key, spend, at })),
    spendSince: (key, since) =>
      Promise.resolve(
        spends.filter((one) => one.key === key && one.at >= since).reduce(
          (sum, { spend }) => ({
            tokens: sum.tokens + spend.tokens,
            cost: sum.cost + spend.cost,
            hostCalls: sum.hostCalls + spend.hostCalls,
          }),
          { tokens: 0, cost: 0, hostCalls: 0 },
        ),
      ),
  };
}

Deno.test("run limits: the runs of a scope share its limits over a period, and other scopes do not", async () => {
  const ledger = ledgerOf();
  let now = Date.UTC(2026, 0, 1);
  using made = counting({
    ledger,
    scopeLimits: { periodMs: 3_600_000, totalTokens: 5000 },
    maxIterations: 2,
    now: () => new Date(now),
  });
  const scope = { workspaceId: "w" };
  const ended = async (own = scope) => {
    const { status, reason } = await made.loop.run({ ...REQUEST, scope: own });
    return reason ?? status;
  };
  equal(await ended(), "max_iterations");
  equal(await ended(), "max_iterations");
  equal(await ended(), "scope_total_tokens");
  equal(await ended({ workspaceId: "other" }), "max_iterations");
  now += 3_600_001;
  equal(await ended(), "max_iterations");
  deepEqual([...new Set(ledger.spends.map(({ key }) => key))], ['["w"]', '["other"]']);
});

Deno.test("run limits: host calls of a scope are counted over its runs", async () => {
  const ledger = ledgerOf();
  const f = counted();
  const calling: ScriptedStep = block("async function run() { await f(); await f(); answer(1); }");
  using made = fixture([calling, calling], {
    sandbox: { functions: [f] },
    config: { ledger, scopeLimits: { periodMs: 1000, hostCalls: 3 } },
  });
  equal((await made.loop.run(REQUEST)).status, "completed");
  equal((await made.loop.run(REQUEST)).reason, "scope_host_calls");
  equal(f.ran, 3);
});

Deno.test("run limits: everything that a run spent is in the ledger when it has ended, also when it failed", async () => {
  const ledger = ledgerOf();
  using made = fixture([
    { text: block("async function run() { await f(); }"), usage: { prompt: 10, completion: 1 } },
    { error: new Error("down") },
  ], { sandbox: { functions: [counted()] }, config: { ledger } });
  const { status, spent } = await made.loop.run(REQUEST);
  equal(status, "error");
  const total = await ledger.spendSince("[]", new Date(0));
  deepEqual([total, spent], [{ tokens: 11, cost: 0, hostCalls: 1 }, total]);
});

Deno.test("run limits: a ledger that fails ends the run before it spends, and a late failure costs a warning", async () => {
  const broken = { ...ledgerOf(), spendSince: () => Promise.reject(new Error("disk full")) };
  const scopeLimits = { periodMs: 1000, totalTokens: 10_000 };
  using made = fixture([], { config: { ledger: broken, scopeLimits } });
  const result = await made.loop.run(REQUEST);
  deepEqual([result.reason, result.error?.message], [
    "store_failed",
    "Could not read what the scope spent: disk full",
  ]);
  const late = { ...ledgerOf(), addSpend: () => Promise.reject(new Error("disk full")) };
  using ended = fixture([{ text: "4", usage: { prompt: 1, completion: 1 } }], {
    config: { ledger: late },
  });
  equal((await ended.loop.run({ ...REQUEST, onEvent: ended.onEvent })).finalText, "4");
  deepEqual(told(ended, "warning"), ["Could not write down what the run spent: disk full"]);
});

Deno.test("run limits: what callers may not hand in", () => {
  const { loop: _loop, ...made } = counting({});
  const config = {
    llm: made.llm,
    sessions: made.store,
    steps: made.store,
    sandboxBuilder: made.sandboxBuilder,
  };
  const wrong: [Partial<LoopConfig>, RegExp][] = [
    [{ limits: { totalTokens: -1 } }, /limits\.totalTokens must be at least 0, got -1/],
    [{ limits: { cost: NaN } }, /limits\.cost must be at least 0, got NaN/],
    [{ limits: { hostCalls: "3" as never } }, /limits\.hostCalls must be a number, got string/],
    [{ limits: 5 as never }, /limits must be an object, got number/],
    [{ scopeLimits: { periodMs: 1000 } }, /scopeLimits need a ledger/],
    [{ scopeLimits: { periodMs: 0 }, ledger: ledgerOf() }, /periodMs must be the length/],
    [{ ledger: {} as never }, /ledger lacks the methods addSpend and spendSince/],
    [{ prices: { m: { prompt: -1, completion: 1 } } }, /prices: prompt of m must be at least 0/],
    [{ prices: { m: {} as never } }, /prices: m needs a number for prompt/],
    [{ contextBudget: { maxTokens: -1 } }, /contextBudget\.maxTokens must be a whole number/],
    [{ contextBudget: { maxTokens: 10, reserve: 0 } }, /contextBudget\.reserve/],
    [{ compactor: {} as never }, /compactor lacks the method compact/],
    [{ redactor: {} as never }, /redactor lacks the methods redact and stream/],
    [{ tracer: {} as never }, /tracer lacks the method start/],
  ];
  for (const [parts, message] of wrong) throws(() => createLoop({ ...config, ...parts }), message);
});
