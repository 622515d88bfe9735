import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { ContextBudget } from "../contracts/compaction.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import type { CompletionRequest } from "../contracts/model.ts";
import { scriptedClient, type ScriptedStep } from "../llm/scripted.ts";
import { keepFacts, promptTokens } from "./_fact_keeper.ts";
import { block, type Fixture, fixture, type FixtureOptions } from "./_run_fixture.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";

function told(made: Fixture, type: string): Record<string, number>[] {
  return made.events.flatMap((event) =>
    event.type === type ? [event.args as Record<string, number>] : []
  );
}

function budgeted(
  replies: readonly ScriptedStep[],
  contextBudget: ContextBudget,
  options: FixtureOptions = {},
): Fixture {
  return fixture(replies, { ...options, config: { ...options.config, contextBudget } });
}

/** A script that logs a line, and so many bytes after it. */
function logging(bytes: number, line = "x"): string {
  return block(`// log\nfunction run() { log("${line}"); log("x".repeat(${bytes})); }`);
}

/** Every request of a run fits into its window together with the reply that is asked for. */
function assertFits(requests: readonly CompletionRequest[], maxTokens: number): void {
  for (const { messages, maxTokens: reply = 0 } of requests) {
    ok(promptTokens(messages) + reply <= maxTokens, `${promptTokens(messages)} + ${reply}`);
  }
}

const UNCUT = { sandbox: { limits: { logBytes: -1 } } };

Deno.test("run budget: without one, requests have neither bound nor trim", async () => {
  using made = budgeted([logging(100_000), "4"], { maxTokens: 0 }, UNCUT);
  await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent });
  deepEqual(made.llm.requests.map((request) => request.maxTokens), [undefined, undefined]);
  deepEqual(told(made, "budget_trimmed"), []);
});

Deno.test("run budget: the reserve is the bound of the reply, unless the request asks for another", async () => {
  using made = budgeted(["1", "2"], { maxTokens: 8192 });
  await made.loop.run({ sessionId: "s", message: "x" });
  await made.loop.run({ sessionId: "s", message: "x", maxTokens: 77 });
  deepEqual(made.llm.requests.map((request) => request.maxTokens), [1024, 77]);
});

Deno.test("run budget: a run's own old turns are left out when they no longer fit; its message and newest turn stay", async () => {
  const turns = Array.from({ length: 20 }, (_, n) => logging(4000, `turn ${n}`));
  using made = budgeted([...turns, "the end"], { maxTokens: 8192 });
  const { status } = await made.loop.run({
    sessionId: "s",
    message: "Count on.",
    onEvent: made.onEvent,
    maxIterations: 30,
  });
  equal(status, "completed");
  assertFits(made.llm.requests, 8192);
  made.llm.requests.slice(1).forEach(({ messages }, at) => {
    match(messages[1]?.content ?? "", /^Count on\./);
    match(messages.at(-1)?.content ?? "", new RegExp(`^log:\nturn ${at}\n`));
    match(messages.at(-2)?.content ?? "", /^```javascript/);
  });
  const trims = told(made, "budget_trimmed");
  // A trim leaves room for the next turns: not every one of them needs another.
  ok(trims.length >= 2 && trims.length <= 10, `${trims.length} trims`);
  for (const { messages_dropped, estimated_tokens, allowance } of trims) {
    ok((messages_dropped ?? 0) >= 2);
    deepEqual(allowance, 7168);
    ok((estimated_tokens ?? Infinity) <= 7168 * 0.75, `${estimated_tokens}`);
  }
  const last = made.llm.requests.at(-1)?.messages[1]?.content ?? "";
  match(last, /^Count on\.\n\n\[\d+ earlier turns are left out here to fit the context window\./);
});

Deno.test("run budget: between trims each request shares with the one before it all but the last exchange", async () => {
  const turns = Array.from({ length: 40 }, (_, n) => logging(2000, `turn ${n}`));
  using made = budgeted([...turns, "the end"], { maxTokens: 8192 });
  await made.loop.run({ sessionId: "s", message: "Go.", maxIterations: 50, onEvent: made.onEvent });
  let moved = 0;
  made.llm.requests.slice(1).forEach((request, at) => {
    const old = made.llm.requests[at]?.messages.map(({ content }) => content) ?? [];
    const now = request.messages.map(({ content }) => content);
    const shared = old.findIndex((text, index) => text !== now[index]);
    if (shared >= 0 && shared < old.length - 2) moved++;
  });
  equal(moved, told(made, "budget_trimmed").length);
  ok(moved > 0 && moved <= 10, `${moved} of 40`);
});

Deno.test("run budget: over many runs the same turns are left out, so that the prompt's beginning stays", async () => {
  const answer = `It is ${"so ".repeat(300)}.`;
  using made = fixture([], {
    model: { otherwise: (_request, call) => `${call}: ${answer}` },
    config: { contextBudget: { maxTokens: 4096 }, historyWindow: 1000 },
  });
  for (let n = 0; n < 60; n++) await made.loop.run({ sessionId: "s", message: `Message ${n}` });
  assertFits(made.llm.requests, 4096);
  const beginnings = made.llm.requests.slice(20).map(({ messages }) => messages[1]?.content);
  ok(new Set(beginnings).size <= beginnings.length / 2, `${new Set(beginnings).size} beginnings`);
});

Deno.test("run budget: an estimator of the caller's own is what counts", async () => {
  const estimate = (text: string) => text.length;
  using made = budgeted([logging(100), logging(100), logging(100), "4"], {
    maxTokens: 5000,
    reserve: 500,
    estimate,
  });
  await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent });
  for (const { messages } of made.llm.requests) {
    ok(messages.reduce((sum, { content }) => sum + estimate(content), 0) <= 4500);
  }
});

Deno.test("run budget: what calls are found to take corrects the estimate", async () => {
  const turns = Array.from({ length: 12 }, (_, n) => logging(4000, `turn ${n}`));
  const counted: ScriptedStep[] = [...turns, "the end"].map((text) => (request) => ({
    text,
    usage: { prompt: Math.ceil(promptTokens(request.messages) * 1.5), completion: 1 },
  }));
  using made = budgeted(counted, { maxTokens: 8192 });
  const { status } = await made.loop.run({ sessionId: "s", message: "x" });
  equal(status, "completed");
  for (const { messages } of made.llm.requests.slice(1)) {
    ok(promptTokens(messages) * 1.5 <= 7168 * 1.01, `${promptTokens(messages)}`);
  }
});

Deno.test("run budget: the next run knows what the runs before found out about the estimate", async () => {
  const answer = `So: ${"text ".repeat(200)}`;
  const counted: ScriptedStep = ({ messages }) => ({
    text: answer,
    usage: { prompt: Math.ceil(promptTokens(messages) * 1.6), completion: 1 },
  });
  using made = fixture([], {
    model: { otherwise: counted },
    config: { contextBudget: { maxTokens: 4096 }, historyWindow: 500 },
  });
  for (let n = 0; n < 30; n++) await made.loop.run({ sessionId: "s", message: `Message ${n}` });
  for (const { messages } of made.llm.requests) {
    ok(promptTokens(messages) * 1.6 + 512 <= 4096, `${promptTokens(messages)}`);
  }
});

Deno.test("HIS-05: one message that is too large is an error that names it, and nothing is sent", async () => {
  using made = budgeted([], { maxTokens: 8192 });
  const { status, reason, error } = await made.loop.run({
    sessionId: "s",
    message: "x".repeat(300_000),
  });
  deepEqual([status, reason], ["error", "model_context_overflow"]);
  match(
    error?.message ?? "",
    /window of 8192 tokens\. About \d+ tokens cannot be left out, and a request may take 7168: \d+ too many\. Most of it is the user's message, with about 75004 tokens\. Shorten it/,
  );
});

Deno.test("HIS-05: each part that can be too large is named", async () => {
  using prompt = budgeted([], { maxTokens: 2000 });
  const first = await prompt.loop.run({ sessionId: "s", message: "x", context: "c".repeat(9000) });
  match(first.error?.message ?? "", /Most of it is the system prompt/);
  using result = budgeted([logging(60_000)], { maxTokens: 8192 }, UNCUT);
  const second = await result.loop.run({ sessionId: "s", message: "x" });
  match(second.error?.message ?? "", /Most of it is the result of the newest script, .* logBytes/);
  using script = budgeted([block(`function run() { /* ${"c".repeat(40_000)} */ }`)], {
    maxTokens: 8192,
  });
  const third = await script.loop.run({ sessionId: "s", message: "x" });
  match(third.error?.message ?? "", /Most of it is the newest script, .* shorter scripts/);
});

Deno.test("HIS-05: a provider that finds too long what cannot be shortened is asked once, and the part is named", async () => {
  const error = new AgentLoopError("maximum context length", { code: "model_context_overflow" });
  using made = fixture([{ error }]);
  const result = await made.loop.run({ sessionId: "s", message: "x".repeat(300_000) });
  match(result.error?.message ?? "", /The provider says so.* Most of it is the user's message/);
  equal(result.error?.cause, error);
  equal(made.llm.requests.length, 1);
});

Deno.test("HIS-03: what compaction cannot make fit is an error before any call, not a loop", async () => {
  const summarizer = scriptedClient([], { otherwise: "Notes." });
  const compactor = new SummarizingCompactor({ llm: summarizer, trigger: 4, keep: 2 });
  const config = { compactor, contextBudget: { maxTokens: 1000 } };
  using made = fixture([], { config });
  for (let n = 0; n < 3; n++) {
    const { reason } = await made.loop.run({ sessionId: "s", message: "x".repeat(2600) });
    equal(reason, "model_context_overflow");
  }
  deepEqual([made.llm.requests.length, summarizer.requests.length], [0, 0]);
});

Deno.test("HIS-03: a summarizer whose notes free too little is asked a few times, not before every call", async () => {
  const summarizer = scriptedClient([], { otherwise: `Notes. ${"n".repeat(6000)}` });
  const compactor = new SummarizingCompactor({ llm: summarizer });
  const turns = Array.from({ length: 30 }, (_, n) => logging(3000, `turn ${n}`));
  using made = budgeted([...turns, "the end"], { maxTokens: 8192 }, { config: { compactor } });
  const { status } = await made.loop.run({ sessionId: "s", message: "x", maxIterations: 40 });
  equal(status, "completed");
  assertFits(made.llm.requests, 8192);
  ok(summarizer.requests.length <= 15, `${summarizer.requests.length} for 30 turns`);
});

Deno.test("HIS-03: a summarizer that fails is asked once in a run", async () => {
  const summarizer = scriptedClient([], { otherwise: { error: new Error("down") } });
  const compactor = new SummarizingCompactor({ llm: summarizer });
  const turns = Array.from({ length: 20 }, (_, n) => logging(3000, `turn ${n}`));
  using made = budgeted([...turns, "the end"], { maxTokens: 8192 }, { config: { compactor } });
  await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent, maxIterations: 30 });
  equal(summarizer.requests.length, 1);
  equal(made.events.filter((event) => event.type === "warning").length, 1);
  ok(told(made, "budget_trimmed").length > 0);
});

Deno.test("HIS-04: twelve steps of 20 kB in one turn of a 64k window are compacted between the steps, and nothing exceeds the window", async () => {
  const summarizer = scriptedClient([], { otherwise: keepFacts });
  const compactor = new SummarizingCompactor({ llm: summarizer });
  const turns = Array.from({ length: 12 }, (_, n) => logging(20_000, `FACT ${n}.`));
  using made = budgeted([...turns, "the end"], { maxTokens: 64_000 }, {
    ...UNCUT,
    config: { compactor },
  });
  const { status } = await made.loop.run({
    sessionId: "s",
    message: "Twelve steps.",
    onEvent: made.onEvent,
  });
  equal(status, "completed");
  assertFits(made.llm.requests, 64_000);
  deepEqual([told(made, "compacted").length, told(made, "budget_trimmed").length], [1, 0]);
  const last = made.llm.requests.at(-1)?.messages ?? [];
  match(last[1]?.content ?? "", /^\[Summary of the conversation so far\]\nFACT 0\./);
  match(last[1]?.content ?? "", /\n\nTwelve steps\.$/);
  const sent = last.map(({ content }) => content).join("\n");
  for (let n = 0; n < 12; n++) ok(sent.includes(`FACT ${n}.`), `${n}`);
});

Deno.test("HIS-04: the next run begins with the bytes with which the compacted run ended", async () => {
  const summarizer = scriptedClient([], { otherwise: keepFacts });
  const compactor = new SummarizingCompactor({ llm: summarizer });
  const turns = Array.from({ length: 8 }, (_, n) => logging(6000, `FACT ${n}.`));
  using made = budgeted([...turns, "the end", "more"], { maxTokens: 8192 }, {
    config: { compactor },
  });
  await made.loop.run({ sessionId: "s", message: "Eight steps.", onEvent: made.onEvent });
  ok(told(made, "compacted").length > 0);
  await made.loop.run({ sessionId: "s", message: "And now?", onEvent: made.onEvent });
  const [ended, next] = made.llm.requests.slice(-2).map(({ messages }) => messages);
  deepEqual(next?.slice(0, ended?.length), ended);
});

/** A session with a history of some length, in a loop whose provider then finds requests too long that take more than so many tokens. */
async function overflowing(
  actualWindow: number,
  { config = {}, contextWindow }: {
    readonly config?: FixtureOptions["config"];
    readonly contextWindow?: number;
  } = {},
): Promise<Fixture> {
  const reply: ScriptedStep = ({ messages }) => {
    if (promptTokens(messages) <= actualWindow) return `Answer. ${"a".repeat(2000)}`;
    throw new AgentLoopError("too long", {
      code: "model_context_overflow",
      ...(contextWindow === undefined ? {} : { contextWindow }),
    });
  };
  const made = fixture([], { model: { otherwise: reply }, ...(config ? { config } : {}) });
  for (let n = 0; n < 20; n++) await made.loop.run({ sessionId: "s", message: `FACT ${n}.` });
  return made;
}

Deno.test("HIS-08: a provider's overflow is answered by one trim, never by the same request; the named window is learnt", async () => {
  const made = await overflowing(4096, { contextWindow: 4096 });
  const before = made.llm.requests.length;
  const { status } = await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent });
  equal(status, "completed");
  const [first, second] = made.llm.requests.slice(before);
  equal(made.llm.requests.length, before + 2);
  ok(promptTokens(second?.messages ?? []) < promptTokens(first?.messages ?? []));
  deepEqual([first?.maxTokens, second?.maxTokens], [undefined, 512]);
  deepEqual([told(made, "budget_trimmed").length, told(made, "budget_trimmed")[0]?.allowance], [
    1,
    3584,
  ]);
  match(String(made.events.find((event) => event.type === "warning")?.content), /too long/);
});

Deno.test("HIS-08: with a compactor the overflow is answered by one compaction", async () => {
  const summarizer = scriptedClient([], { otherwise: keepFacts });
  const compactor = new SummarizingCompactor({ llm: summarizer, trigger: 100 });
  const made = await overflowing(4096, { contextWindow: 4096, config: { compactor } });
  const asked = summarizer.requests.length;
  const { status } = await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent });
  equal(status, "completed");
  // The session was compacted on the way here too; each time once.
  ok(summarizer.requests.length - asked <= 1 && summarizer.requests.length >= 1);
  const sent = made.llm.requests.at(-1)?.messages.map(({ content }) => content).join("\n") ?? "";
  for (let n = 0; n < 20; n++) ok(sent.includes(`FACT ${n}.`), `${n}`);
});

Deno.test("HIS-08: an overflow that names no window halves the request; a second one ends the run", async () => {
  const made = await overflowing(5000);
  const before = made.llm.requests.length;
  equal((await made.loop.run({ sessionId: "s", message: "x" })).status, "completed");
  equal(made.llm.requests.length, before + 2);
  const hopeless = await overflowing(600);
  const after = hopeless.llm.requests.length;
  const { reason } = await hopeless.loop.run({ sessionId: "s", message: "x".repeat(4000) });
  equal(reason, "model_context_overflow");
  ok(hopeless.llm.requests.length - after <= 2);
});

Deno.test("HIS-08: an ordinary rejection is no overflow: nothing is compacted or sent again", async () => {
  const summarizer = scriptedClient([]);
  const compactor = new SummarizingCompactor({ llm: summarizer });
  const error = new AgentLoopError("model 'qwen' not found; available context: default", {
    code: "model_rejected",
  });
  using made = fixture(["1", { error }], { config: { compactor } });
  await made.loop.run({ sessionId: "s", message: "x" });
  equal((await made.loop.run({ sessionId: "s", message: "x" })).reason, "model_rejected");
  equal(summarizer.requests.length, 0);
});
