import { deepEqual, equal, ok } from "node:assert/strict";
import type { Span, SpanAttributes, Tracer } from "../contracts/tracing.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import { block, fixture, returning } from "./_run_fixture.ts";

/** A span as a test reads it. */
interface Seen {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  readonly children: Seen[];
  failure?: string;
  ended: number;
}

/** A tracer that keeps its spans. */
function recordingTracer(): Tracer & { readonly roots: Seen[] } {
  const roots: Seen[] = [];
  const begin = (into: Seen[], name: string, attributes: SpanAttributes = {}): Span => {
    const seen: Seen = { name, attributes: { ...attributes }, children: [], ended: 0 };
    into.push(seen);
    return {
      setAttributes: (more) => void Object.assign(seen.attributes, more),
      fail: (message) => void (seen.failure = message),
      end: () => void seen.ended++,
      child: (childName, more) => begin(seen.children, childName, more),
    };
  };
  return { roots, start: (name, attributes) => begin(roots, name, attributes) };
}

function tree({ name, children }: Seen): unknown {
  return children.length === 0 ? name : [name, children.map(tree)];
}

function all(seen: Seen): Seen[] {
  return [seen, ...seen.children.flatMap(all)];
}

Deno.test("run tracing: one span for the run, inside it the sandbox, each turn, its calls and its script", async () => {
  const tracer = recordingTracer();
  using made = fixture(
    ["", block("async function run() { await f(); await f(); return 1; }"), "4"],
    {
      sandbox: { functions: [{ name: "f", execute: () => 1 }] },
      config: { tracer },
    },
  );
  await made.loop.run({ sessionId: "s", message: "x" });
  deepEqual(tracer.roots.map(tree), [["agentloop.run", [
    "agentloop.sandbox_build",
    ["agentloop.turn", [
      "agentloop.llm_call",
      "agentloop.llm_call",
      ["agentloop.execute_js", ["agentloop.host_call", "agentloop.host_call"]],
    ]],
    ["agentloop.turn", ["agentloop.llm_call"]],
  ]]]);
  const spans = tracer.roots.flatMap(all);
  ok(spans.every((span) => span.ended === 1 && span.failure === undefined));
});

Deno.test("run tracing: attributes of ours and of the semantic conventions", async () => {
  const tracer = recordingTracer();
  using made = fixture([{
    text: "4",
    usage: { prompt: 100, completion: 9, cached: 60, cost: 0.5 },
  }], {
    config: { tracer, model: "m", contextBudget: { maxTokens: 8192 } },
  });
  const { runId } = await made.loop.run({ sessionId: "s", message: "x" });
  const [run, turn, call] = ["agentloop.run", "agentloop.turn", "agentloop.llm_call"].map((name) =>
    tracer.roots.flatMap(all).find((span) => span.name === name)?.attributes
  );
  deepEqual(run, {
    "agentloop.session.id": "s",
    "agentloop.run.id": runId,
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "agentloop",
    "gen_ai.conversation.id": "s",
    "gen_ai.request.model": "m",
    "agentloop.run.status": "completed",
    "agentloop.run.steps": 2,
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 9,
  });
  const estimated = turn?.["agentloop.budget.estimated_tokens"];
  ok(typeof estimated === "number" && estimated > 100 && estimated < 1000);
  deepEqual(turn, {
    "agentloop.turn.number": 1,
    "agentloop.budget.estimated_tokens": estimated,
    "agentloop.budget.allowance": 7168,
  });
  deepEqual(call, {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.request.max_tokens": 1024,
    "agentloop.llm_call.messages": 2,
    "gen_ai.response.model": "m",
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 9,
    "agentloop.llm_call.cached_tokens": 60,
    "agentloop.llm_call.cost": 0.5,
    "agentloop.llm_call.finish_reason": "stop",
  });
});

Deno.test("run tracing: what failed is marked, up to the run, and every span ends", async () => {
  const tracer = recordingTracer();
  const error = new AgentLoopError("The model is overloaded.", { code: "model_overloaded" });
  using made = fixture([
    block("async function run() { await f(); }"),
    { error },
  ], {
    sandbox: { functions: [{ name: "f", execute: () => Promise.reject(new Error("no")) }] },
    config: { tracer },
  });
  await made.loop.run({ sessionId: "s", message: "x" });
  const spans = tracer.roots.flatMap(all);
  deepEqual(spans.map(({ name, failure }) => [name, failure]), [
    ["agentloop.run", "The model is overloaded."],
    ["agentloop.sandbox_build", undefined],
    ["agentloop.turn", undefined],
    ["agentloop.llm_call", undefined],
    ["agentloop.execute_js", "threw: Error: no"],
    ["agentloop.host_call", "no"],
    ["agentloop.turn", "The model is overloaded."],
    ["agentloop.llm_call", "The model is overloaded."],
  ]);
  ok(spans.every((span) => span.ended === 1));
});

Deno.test("run tracing: a limit is no failure of the run, and every span ends", async () => {
  const tracer = recordingTracer();
  using made = fixture([returning(1)], { config: { tracer, limits: { argsBytes: 0 } } });
  await made.loop.run({ sessionId: "s", message: "x" });
  const [run] = tracer.roots;
  deepEqual([run?.attributes["agentloop.run.status"], run?.attributes["agentloop.run.reason"]], [
    "limit",
    "args_bytes",
  ]);
  ok(
    tracer.roots.flatMap(all).every((span) =>
      span.failure === undefined || span.name === "agentloop.execute_js"
    ),
  );
  ok(tracer.roots.flatMap(all).every((span) => span.ended === 1));
});

Deno.test("run tracing: a tracer that throws changes nothing", async () => {
  const throwing = () => {
    throw new Error("tracer");
  };
  const span: Span = { setAttributes: throwing, fail: throwing, end: throwing, child: throwing };
  for (const tracer of [{ start: throwing }, { start: () => span }]) {
    using made = fixture([returning(1), "4"], { config: { tracer } });
    equal((await made.loop.run({ sessionId: "s", message: "x" })).finalText, "4");
  }
});
