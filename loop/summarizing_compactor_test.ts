import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import type { CompletionRequest, Message } from "../contracts/model.ts";
import { scriptedClient, type ScriptedStep } from "../llm/scripted.ts";
import { keepFacts, promptTokens } from "./_fact_keeper.ts";
import { isScript } from "./cut_history.ts";
import { DEFAULT_COMPACT_PROMPT, DEFAULT_MERGE_PROMPT } from "./summary_prompts.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";

const SCRIPT = "```javascript\nfunction run() {}\n```";

/** So many exchanges of four messages; each result takes so many bytes and holds a fact of its own. */
function session(exchanges: number, resultBytes = 100): Message[] {
  return Array.from({ length: exchanges }, (_, n): Message[] => [
    { role: "user", content: `Question ${n}` },
    { role: "assistant", content: SCRIPT },
    { role: "user", content: `FACT ${n}.\n${"line of output\n".repeat(resultBytes / 15)}` },
    { role: "assistant", content: `Answer ${n}` },
  ]).flat();
}

function summarizer(usage = { prompt: 10, completion: 2 }) {
  return scriptedClient([], { otherwise: keepFacts, usage });
}

Deno.test("SummarizingCompactor: up to its trigger it changes nothing, and asks nobody", async () => {
  const llm = summarizer();
  const compactor = new SummarizingCompactor({ llm, trigger: 40 });
  const history = session(10);
  const result = await compactor.compact(history);
  deepEqual([result.messages, result.tokens, result.summary, llm.requests.length], [
    history,
    { prompt: 0, completion: 0 },
    undefined,
    0,
  ]);
});

Deno.test("SummarizingCompactor: above it the older part becomes a summary, the newest stays", async () => {
  const llm = summarizer();
  const compactor = new SummarizingCompactor({ llm, model: "small", trigger: 40, keep: 10 });
  const history = session(11);
  const result = await compactor.compact(history);
  equal(result.retainedFrom, 32);
  deepEqual(result.messages.slice(1), history.slice(32));
  equal(result.messages[0]?.content, `[Summary of the conversation so far]\n${result.summary}`);
  deepEqual(result.summary, Array.from({ length: 8 }, (_, n) => `FACT ${n}.`).join("\n"));
  deepEqual(result.tokens, { prompt: 10, completion: 2 });
  const [request] = llm.requests;
  deepEqual([request?.model, request?.maxTokens, request?.messages[0]?.content], [
    "small",
    4096,
    DEFAULT_COMPACT_PROMPT,
  ]);
});

Deno.test("SummarizingCompactor: keep is half the trigger at most", () => {
  equal(new SummarizingCompactor({ trigger: 10 }).keep, 5);
  deepEqual([new SummarizingCompactor().trigger, new SummarizingCompactor().keep], [60, 20]);
});

Deno.test("SummarizingCompactor: whatever is kept begins with a turn", async () => {
  const llm = summarizer();
  for (let keep = 0; keep < 20; keep++) {
    const compactor = new SummarizingCompactor({ llm, trigger: 40, keep });
    const { messages } = await compactor.compact(session(12));
    const first = messages[1];
    ok(first === undefined || first.role === "user" || isScript(first), first?.content);
    ok(!first?.content.startsWith("FACT"), first?.content);
  }
});

Deno.test("SummarizingCompactor: without a client it changes nothing, forced or not", async () => {
  const history = session(30);
  for (const force of [false, true]) {
    equal((await new SummarizingCompactor().compact(history, { force })).messages, history);
  }
});

Deno.test("SummarizingCompactor: forced, it folds at least half of what there is", async () => {
  const llm = summarizer();
  const { messages, retainedFrom } = await new SummarizingCompactor({ llm })
    .compact(session(4, 3000), { force: true });
  deepEqual([retainedFrom, messages.length], [8, 9]);
  // The last message alone is most of it.
  const history: Message[] = [...session(3), { role: "user", content: "x".repeat(50_000) }];
  equal(
    (await new SummarizingCompactor({ llm }).compact(history, { force: true })).retainedFrom,
    13,
  );
});

Deno.test("SummarizingCompactor: a wish and own prompts reach the model", async () => {
  const llm = summarizer();
  await new SummarizingCompactor({ llm, prompt: "Sum up." })
    .compact(session(5), { force: true, instruction: "keep the prices" });
  match(llm.requests[0]?.messages[0]?.content ?? "", /^Sum up\.\n\n.*keep the prices$/);
});

/** 242 KB of transcript. */
const LONG = session(110, 2150);

Deno.test("SummarizingCompactor: 242 KB take one call against a 128k window", async () => {
  const bytes = LONG.reduce((sum, { content }) => sum + content.length, 0);
  ok(bytes > 240_000 && bytes < 248_000, `${bytes}`);
  const llm = summarizer();
  const compactor = new SummarizingCompactor({ llm, keep: 0, budget: { maxTokens: 131_072 } });
  const { summary } = await compactor.compact(LONG);
  equal(llm.requests.length, 1);
  equal(summary?.split("\n").length, 110);
});

Deno.test("SummarizingCompactor: the same takes about twenty calls against a 4k window, each of which fits, and nothing is left out", async () => {
  const llm = summarizer({ prompt: 3000, completion: 100 });
  const compactor = new SummarizingCompactor({ llm, keep: 0, budget: { maxTokens: 4096 } });
  const { summary, tokens } = await compactor.compact(LONG);
  const calls = llm.requests.length;
  ok(calls >= 18 && calls <= 24, `${calls} calls`);
  for (const { messages, maxTokens } of llm.requests) {
    equal(maxTokens, 512);
    ok(promptTokens(messages) + 512 <= 4096, `${promptTokens(messages)}`);
  }
  equal(llm.requests.at(-1)?.messages[0]?.content, DEFAULT_MERGE_PROMPT);
  const shown = llm.requests.map(({ messages }) => messages[1]?.content).join("\n");
  for (let n = 0; n < 110; n++) ok(shown.includes(`FACT ${n}.`) && shown.includes(`Answer ${n}`));
  equal(summary?.split("\n").length, 110);
  deepEqual(tokens, { prompt: 3000 * calls, completion: 100 * calls });
});

Deno.test("SummarizingCompactor: only a message too large for a call is shortened", async () => {
  const llm = summarizer();
  const compactor = new SummarizingCompactor({ llm, keep: 0, budget: { maxTokens: 2048 } });
  const history: Message[] = [
    { role: "user", content: `FACT first.\n${"x".repeat(60_000)}\nFACT last.` },
    { role: "assistant", content: "FACT answered." },
  ];
  const { summary } = await compactor.compact(history, { force: true });
  equal(summary, "FACT first.\nFACT last.\nFACT answered.");
  match(llm.requests.map(({ messages }) => messages[1]?.content).join(), /bytes left out/);
});

Deno.test("SummarizingCompactor: partial summaries as large as a call are folded all the same", async () => {
  let left = 40;
  const llm = scriptedClient([], {
    otherwise: () => left-- > 0 ? "y".repeat(20_000) : "short",
  });
  const compactor = new SummarizingCompactor({ llm, keep: 0, budget: { maxTokens: 4096 } });
  equal((await compactor.compact(LONG)).summary, "short");
  for (const { messages } of llm.requests) ok(promptTokens(messages) + 512 <= 4096);
});

Deno.test("SummarizingCompactor: a summary no shorter than what it replaces is refused, its tokens told", async () => {
  const llm = scriptedClient(["z".repeat(5000)], { usage: { prompt: 40, completion: 9 } });
  const compact = new SummarizingCompactor({ llm }).compact(session(5), { force: true });
  await rejects(compact, (error: AgentLoopError) => {
    match(error.message, /is \d+ bytes and would stand for \d+: it is not shorter/);
    deepEqual(error.tokens, { prompt: 40, completion: 9 });
    return true;
  });
});

Deno.test("SummarizingCompactor: whatever fails, the tokens up to it are told", async () => {
  const usage = { prompt: 100, completion: 10 };
  const overloaded = new AgentLoopError("busy", {
    code: "model_overloaded",
    tokens: { prompt: 5, completion: 0 },
  });
  const cases: [ScriptedStep, string, number][] = [
    [{ error: overloaded }, "model_overloaded", 105],
    ["<think>hm</think>", "model_empty", 200],
    [{ text: "x", finishReason: "content_filter" }, "model_rejected", 200],
    [{ error: new Error("broken") }, "internal", 100],
  ];
  for (const [reply, code, prompt] of cases) {
    const llm = scriptedClient([keepFacts, reply], { usage });
    const compactor = new SummarizingCompactor({ llm, keep: 0, budget: { maxTokens: 4096 } });
    await rejects(compactor.compact(LONG), (error: AgentLoopError) => {
      deepEqual([error.code, error.tokens?.prompt], [code, prompt]);
      return true;
    });
  }
});

Deno.test("SummarizingCompactor: reasoning is no part of a summary", async () => {
  const llm = scriptedClient(["<think>long\nthoughts</think>\nFACT."]);
  const { summary } = await new SummarizingCompactor({ llm }).compact(session(5), { force: true });
  equal(summary, "FACT.");
});

Deno.test("SummarizingCompactor: a window smaller than it was said to be is met with smaller parts, once", async () => {
  const overflow = new AgentLoopError("too long", {
    code: "model_context_overflow",
    contextWindow: 4096,
  });
  const fits = (request: CompletionRequest) => {
    if (promptTokens(request.messages) + (request.maxTokens ?? 0) > 4096) throw overflow;
    return keepFacts(request);
  };
  const llm = scriptedClient([], { otherwise: fits });
  const { summary } = await new SummarizingCompactor({ llm, keep: 0 }).compact(LONG);
  equal(summary?.split("\n").length, 110);
  const never = scriptedClient([], { otherwise: { error: overflow } });
  const { requests } = never;
  await rejects(new SummarizingCompactor({ llm: never }).compact(LONG), /too long/);
  equal(requests.length, 2);
});

Deno.test("SummarizingCompactor: an abort ends it at once", async () => {
  const controller = new AbortController();
  const llm = scriptedClient([{ until: new Promise(() => {}) }]);
  const compact = new SummarizingCompactor({ llm }).compact(LONG, { signal: controller.signal });
  controller.abort(new AgentLoopError("gone", { code: "aborted" }));
  await rejects(compact, /gone/);
});

Deno.test("SummarizingCompactor: another with some options changed", () => {
  const llm = summarizer();
  const compactor = new SummarizingCompactor({ llm, trigger: 40, keep: 4 });
  const other = compactor.with({ trigger: 6, budget: { maxTokens: 4096 } });
  deepEqual([compactor.trigger, other.trigger, other.keep, other.budget.maxTokens], [
    40,
    6,
    3,
    4096,
  ]);
});

Deno.test("SummarizingCompactor: what callers may not hand in", () => {
  throws(() => new SummarizingCompactor({ trigger: 1 }), RangeError);
  throws(() => new SummarizingCompactor({ keep: -1 }), RangeError);
  throws(() => new SummarizingCompactor({ budget: { maxTokens: 1.5 } }), RangeError);
  throws(() => new SummarizingCompactor({ llm: {} as never }), /lacks the method complete/);
  throws(() => new SummarizingCompactor({ prompt: 4 as never }), TypeError);
  throws(
    () => new SummarizingCompactor({ treshold: 9 } as never),
    /^TypeError: SummarizingCompactor: there is no option treshold; there are llm, model, trigger, /,
  );
  throws(
    () => new SummarizingCompactor({ complete: () => {} } as never),
    /^TypeError: SummarizingCompactor: a client is given as \{ llm: client \}/,
  );
});
