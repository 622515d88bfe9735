import assert from "node:assert/strict";
import type { CallableTool } from "../contracts/tool.ts";
import type { Tracer } from "../contracts/tracing.ts";
import type { ScriptedStep } from "../llm/scripted.ts";
import { fixture, type FixtureOptions } from "./_run_fixture.ts";
import { createLoop } from "./create_loop.ts";

const LOOK: CallableTool = {
  declaration: { name: "look", description: "looks", parameters: { type: "object" } },
  hostFunction: { name: "look", execute: () => "seen" },
  safe: false,
};
const REPLIES: readonly ScriptedStep[] = [{ text: "I look.", toolCalls: [{ name: "look" }] }, "ok"];

function toolLoop(config: FixtureOptions["config"] = {}) {
  return fixture(REPLIES, {
    config: { protocol: "tools", tools: { callable: () => [LOOK] }, ...config },
  });
}

/** Names that stand in the toolArgs of steps, by kind. */
async function named(run: ReturnType<typeof toolLoop>): Promise<Record<string, unknown>> {
  const steps = await run.store.lastN("s", 20);
  return Object.fromEntries(
    steps.map(({ stepType, toolArgs }) => [stepType, JSON.parse(toolArgs ?? "{}").agent]),
  );
}

Deno.test("agent: its name stands in every event, in the steps of named calls and on the run's span; the model is not told", async () => {
  const spans: unknown[] = [];
  const span = { setAttributes() {}, fail() {}, end() {}, child: () => span };
  const tracer: Tracer = {
    start: (_name, attributes) => {
      spans.push(attributes?.["gen_ai.agent.name"]);
      return span;
    },
  };
  using run = toolLoop({ agent: "scout", tracer });
  const { events, onEvent } = run;
  const result = await run.loop.run({ sessionId: "s", message: "go", onEvent });
  assert.equal(result.finalText, "ok");
  assert.deepEqual(new Set(events.map(({ agent }) => agent)), new Set(["scout"]));
  assert.deepEqual(await named(run), {
    user: undefined,
    llm_call: "scout",
    tool_call: "scout",
    tool_result: "scout",
    response: undefined,
  });
  assert.deepEqual(spans, ["scout"]);
  assert.ok(!JSON.stringify(run.llm.requests).includes("scout"));
});

Deno.test("agent: a request's name beats the loop's, and without one there is none", async () => {
  using run = toolLoop({ agent: "scout" });
  const { events, onEvent } = run;
  await run.loop.run({ sessionId: "s", message: "go", agent: "clerk", onEvent });
  assert.deepEqual(new Set(events.map(({ agent }) => agent)), new Set(["clerk"]));
  assert.equal((await named(run)).tool_result, "clerk");
  using plain = toolLoop();
  await plain.loop.run({ sessionId: "s", message: "go", onEvent: plain.onEvent });
  assert.ok(plain.events.every((event) => !("agent" in event)));
  assert.ok(
    (await plain.store.lastN("s", 9)).every(({ toolArgs }) => !toolArgs?.includes("agent")),
  );
});

Deno.test("agent: what is no name is refused at once", async () => {
  using run = fixture([]);
  const { llm, store, sandboxBuilder } = run;
  const parts = { llm, sessions: store, steps: store, sandboxBuilder };
  for (const agent of ["", " ", "a".repeat(129), 5 as unknown as string]) {
    assert.throws(() => createLoop({ ...parts, agent }), /createLoop: agent must be a /);
    await assert.rejects(
      () => createLoop(parts).run({ sessionId: "s", message: "go", agent }),
      /run: agent must be a /,
    );
  }
});
