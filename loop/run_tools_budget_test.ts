import assert from "node:assert/strict";
import type { ContextBudget } from "../contracts/compaction.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import type { CompletionRequest } from "../contracts/model.ts";
import type { CallableTool } from "../contracts/tool.ts";
import { scriptedClient, type ScriptedReply, type ScriptedStep } from "../llm/scripted.ts";
import { keepFacts } from "./_fact_keeper.ts";
import { type Fixture, fixture, type FixtureOptions } from "./_run_fixture.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";
import { estimateTokens } from "./tokens.ts";

/** A tool that gives a line, and so many bytes after it. */
function sized(name = "look"): CallableTool {
  return {
    declaration: { name, description: "looks", parameters: { type: "object" } },
    hostFunction: {
      name,
      execute: ([args]) => {
        const { line, bytes } = args as { line: string; bytes: number };
        return `${line}\n${"x".repeat(bytes)}`;
      },
    },
    safe: false,
  };
}

function look(n: number, bytes: number, said = ""): ScriptedReply {
  return {
    text: said,
    toolCalls: [{ id: `c${n}`, name: "look", arguments: { line: `FACT ${n}.`, bytes } }],
  };
}

function toolLoop(
  replies: readonly ScriptedStep[],
  contextBudget: ContextBudget | undefined,
  { config, ...options }: FixtureOptions = {},
): Fixture {
  return fixture(replies, {
    ...options,
    config: {
      protocol: "tools",
      tools: { callable: () => [sized()] },
      ...(contextBudget && { contextBudget }),
      ...config,
    },
  });
}

/** Tokens of a request, calls and declarations among them, as a model with our estimate would count them. */
function tokensOf({ messages, tools = [] }: CompletionRequest): number {
  const said = messages.reduce(
    (sum, { content, toolCalls = [] }) =>
      sum + estimateTokens(content) +
      toolCalls.reduce((of, call) => of + estimateTokens(call.name + call.argumentsJson), 0),
    0,
  );
  return said + estimateTokens(JSON.stringify(tools));
}

function assertFits(requests: readonly CompletionRequest[], maxTokens: number): void {
  for (const request of requests) {
    const tokens = tokensOf(request) + (request.maxTokens ?? 0);
    assert.ok(tokens <= maxTokens, `${tokens} of ${maxTokens}`);
  }
}

function told(made: Fixture, type: string): Record<string, number>[] {
  return made.events.flatMap((event) =>
    event.type === type ? [event.args as Record<string, number>] : []
  );
}

Deno.test("HIS-03 with tools: what compaction cannot make fit is an error before any call, not a loop", async () => {
  const summarizer = scriptedClient([], { otherwise: "Notes." });
  const compactor = new SummarizingCompactor({ llm: summarizer, trigger: 4, keep: 2 });
  using made = toolLoop([], { maxTokens: 1000 }, { config: { compactor } });
  for (let n = 0; n < 3; n++) {
    const { reason } = await made.loop.run({ sessionId: "s", message: "x".repeat(4_000) });
    assert.equal(reason, "model_context_overflow");
  }
  assert.ok(made.llm.requests.length + summarizer.requests.length < 5);
});

Deno.test("HIS-03 with tools: a summarizer whose notes free too little is asked a few times, not before every call", async () => {
  const summarizer = scriptedClient([], { otherwise: `Notes. ${"n".repeat(6000)}` });
  const compactor = new SummarizingCompactor({ llm: summarizer });
  const turns = Array.from({ length: 30 }, (_, n) => look(n, 3000));
  using made = toolLoop([...turns, "the end"], { maxTokens: 8192 }, { config: { compactor } });
  const { status } = await made.loop.run({ sessionId: "s", message: "x", maxIterations: 40 });
  assert.equal(status, "completed");
  assertFits(made.llm.requests, 8192);
  assert.ok(summarizer.requests.length <= 15, `${summarizer.requests.length} for 30 turns`);
});

Deno.test("HIS-04 with tools: twelve calls of 20 kB in one turn of a 64k window are compacted between them, and nothing exceeds the window", async () => {
  const summarizer = scriptedClient([], { otherwise: keepFacts });
  const compactor = new SummarizingCompactor({ llm: summarizer });
  const turns = Array.from({ length: 20 }, (_, n) => look(n, 20_000));
  using made = toolLoop([...turns, "the end"], { maxTokens: 64_000 }, { config: { compactor } });
  const { onEvent } = made;
  const request = { sessionId: "s", message: "Twelve steps.", onEvent, maxIterations: 30 };
  const { status } = await made.loop.run(request);
  assert.equal(status, "completed");
  assertFits(made.llm.requests, 64_000);
  assert.deepEqual([told(made, "compacted").length, told(made, "budget_trimmed").length], [1, 0]);
  const last = made.llm.requests.at(-1)!.messages;
  const sent = last.map(({ content }) => content).join("\n");
  for (let n = 0; n < 20; n++) assert.ok(sent.includes(`FACT ${n}.`), `${n}`);
  assert.ok(last.some(({ content }) => content.includes("Twelve steps.")));
});

Deno.test("HIS-04 with tools: without a compactor old calls are left out together with their results, and the next run begins as this one ended", async () => {
  const turns = Array.from({ length: 20 }, (_, n) => look(n, 4000, `Step ${n}`));
  using made = toolLoop([...turns, "the end", "more"], { maxTokens: 8192 });
  const { onEvent } = made;
  await made.loop.run({ sessionId: "s", message: "Go.", onEvent, maxIterations: 30 });
  assertFits(made.llm.requests, 8192);
  const trims = told(made, "budget_trimmed").length;
  assert.ok(trims >= 2 && trims <= 10, `${trims} trims`);
  await made.loop.run({ sessionId: "s", message: "And now?" });
  const [ended, next] = made.llm.requests.slice(-2).map(({ messages }) => messages);
  assert.deepEqual(next?.slice(0, ended?.length), ended);
});

Deno.test("HIS-04 with tools: calls whose arguments are long count, and are folded", async () => {
  const summarizer = scriptedClient([], { otherwise: "Files were written." });
  const compactor = new SummarizingCompactor({ llm: summarizer });
  const turns = Array.from({ length: 12 }, (_, n) => ({
    toolCalls: [{
      id: `w${n}`,
      name: "look",
      arguments: { line: "ok", bytes: 1, text: "y".repeat(6000) },
    }],
  }));
  using made = toolLoop([...turns, "the end"], { maxTokens: 8192 }, { config: { compactor } });
  const { onEvent, events } = made;
  const { status } = await made.loop.run({
    sessionId: "s",
    message: "Write.",
    onEvent,
    maxIterations: 20,
  });
  assert.equal(status, "completed");
  assertFits(made.llm.requests, 8192);
  assert.ok(told(made, "compacted").length >= 1);
  assert.deepEqual(events.filter(({ type }) => type === "warning"), []);
});

Deno.test("HIS-05 with tools: the part that is too large is named, and nothing is sent again as it was", async () => {
  using message = toolLoop([], { maxTokens: 8192 });
  const first = await message.loop.run({ sessionId: "s", message: "x".repeat(300_000) });
  assert.equal(first.reason, "model_context_overflow");
  assert.match(first.error!.message, /Most of it is the user's message/);

  const big = {
    ...sized(),
    declaration: { ...sized().declaration, description: "d".repeat(40_000) },
  };
  using offered = toolLoop([], { maxTokens: 8192 }, {
    config: { tools: { callable: () => [big] } },
  });
  const second = await offered.loop.run({ sessionId: "s", message: "x" });
  assert.match(second.error!.message, /Most of it is the declarations of the tools.*toolExpander/);

  const long = { toolCalls: [{ name: "look", arguments: { line: "y".repeat(40_000), bytes: 1 } }] };
  using called = toolLoop([long], { maxTokens: 8192 });
  const third = await called.loop.run({ sessionId: "s", message: "x" });
  assert.match(third.error!.message, /Most of it is the newest calls of tools/);
});

Deno.test("HIS-05 with tools: results of many calls in one reply share the window, each can be read on", async () => {
  const calls = Array.from({ length: 8 }, (_, n) => ({
    id: `c${n}`,
    name: "look",
    arguments: { line: `FACT ${n}.`, bytes: 15_000 },
  }));
  const on = (n: number) => ({
    toolCalls: [{ name: "read_result", arguments: { call_id: `c${n}`, from: 14_000 } }],
  });
  using made = toolLoop([{ toolCalls: calls }, on(0), on(7), "the end"], { maxTokens: 8192 });
  const { status, error } = await made.loop.run({ sessionId: "s", message: "x" });
  assert.equal(status, "completed", error?.message);
  assertFits(made.llm.requests, 8192);
  const results = made.llm.requests[1]!.messages.filter(({ role }) => role === "tool");
  assert.equal(results.length, 8);
  results.forEach(({ content }, n) => {
    assert.match(content, new RegExp(`^FACT ${n}\\.\n`));
    assert.match(content, /read_result\(\{"call_id": "c\d"/);
  });
  assert.match(made.llm.requests[3]!.messages.at(-1)!.content, /the end\]\nx+$/);
});

/** A session with a history of some length, whose provider then finds requests too long that take more than so many tokens. */
async function overflowing(
  actualWindow: number,
  { config = {}, contextWindow }: {
    readonly config?: FixtureOptions["config"];
    readonly contextWindow?: number;
  } = {},
): Promise<Fixture> {
  const calls = new Set<string>();
  const reply: ScriptedStep = (request, n) => {
    if (tokensOf(request) > actualWindow) {
      throw new AgentLoopError("too long", {
        code: "model_context_overflow",
        ...(contextWindow === undefined ? {} : { contextWindow }),
      });
    }
    const last = request.messages.at(-1)!;
    if (last.role === "tool" || calls.has(last.content)) return "Answer.";
    calls.add(last.content);
    return look(n, 1500);
  };
  const made = toolLoop([], undefined, { model: { otherwise: reply }, config });
  for (let n = 0; n < 12; n++) await made.loop.run({ sessionId: "s", message: `Message ${n}` });
  return made;
}

Deno.test("HIS-08 with tools: a provider's overflow is answered by one trim, never by the same request; the named window is learnt", async () => {
  const made = await overflowing(4096, { contextWindow: 4096 });
  const before = made.llm.requests.length;
  const { onEvent } = made;
  const { status } = await made.loop.run({ sessionId: "s", message: "x", onEvent });
  assert.equal(status, "completed");
  const requests = made.llm.requests.slice(before);
  const sizes = requests.map(tokensOf);
  assert.ok(sizes[1]! < sizes[0]!, `${sizes}`);
  assert.equal(
    new Set(requests.map(({ messages }) => JSON.stringify(messages))).size,
    sizes.length,
  );
  assert.equal(told(made, "budget_trimmed")[0]?.allowance, 3584);
});

Deno.test("HIS-08 with tools: with a compactor the overflow is answered by one compaction", async () => {
  const summarizer = scriptedClient([], { otherwise: keepFacts });
  const compactor = new SummarizingCompactor({ llm: summarizer, trigger: 100 });
  const made = await overflowing(4096, { contextWindow: 4096, config: { compactor } });
  const asked = summarizer.requests.length;
  const { status } = await made.loop.run({ sessionId: "s", message: "x" });
  assert.equal(status, "completed");
  assert.ok(summarizer.requests.length - asked <= 1 && summarizer.requests.length >= 1);
});

Deno.test("HIS-08 with tools: an ordinary rejection is no overflow: nothing is compacted or sent again", async () => {
  const summarizer = scriptedClient([]);
  const compactor = new SummarizingCompactor({ llm: summarizer });
  const error = new AgentLoopError("model 'qwen' not found; available context: default", {
    code: "model_rejected",
  });
  using made = toolLoop([look(1, 10), { error }], undefined, { config: { compactor } });
  const result = await made.loop.run({ sessionId: "s", message: "x" });
  assert.equal(result.reason, "model_rejected");
  assert.equal(summarizer.requests.length, 0);
});
