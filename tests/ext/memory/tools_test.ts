/** The memory as tools, in a registry and in runs that call by name. */
import { deepEqual, equal, match } from "node:assert/strict";
import { memoryTools } from "../../../ext/memory/mod.ts";
import { createLoop } from "../../../loop/create_loop.ts";
import { DefaultPolicy } from "../../../loop/policy.ts";
import { scriptedClient } from "../../../llm/scripted.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { ToolRegistry } from "../../../tools/mod.ts";

Deno.test("memory: a model that calls by name remembers, recalls and forgets", async () => {
  const store = new MemoryStore();
  const { facts } = store;
  const call = (id: string, name: string, args: object) => ({
    toolCalls: [{ id, name, arguments: args }],
  });
  using llm = scriptedClient([
    call("a", "remember", { text: "Ada drinks tea", tags: ["taste"] }),
    call("b", "recall", { query: "tea", limit: 3 }),
    call("c", "forget", { id: "1" }),
    call("d", "recall", { query: 5, more: 1 }),
    "done",
  ]);
  const loop = createLoop({
    llm,
    sessions: store,
    steps: store,
    protocol: "tools",
    tools: new ToolRegistry(memoryTools({ facts })),
    policy: new DefaultPolicy({ allowTools: ["remember", "forget"] }),
    now: () => new Date("2026-01-31T10:00:00Z"),
  });
  const { status } = await loop.run({ sessionId: "s", message: "go", userId: "ada" });
  equal(status, "completed");
  const steps = await store.lastN("s", 100);
  const results = steps.filter((step) => step.stepType === "tool_result").map((s) => s.content);
  match(results[0] ?? "", /1/);
  match(results[1] ?? "", /"text":"Ada drinks tea","tags":\["taste"\]/);
  match(results[2] ?? "", /true/);
  match(results[3] ?? "", /\$\.query: expected string.*\$\.more: is no argument/);
  deepEqual(await facts.recall({ userId: "ada" }, ""), []);
});

Deno.test("memory: the tools can be declared for each provider", () => {
  const registry = new ToolRegistry(memoryTools(new MemoryStore()));
  for (
    const form of ["openai", "anthropic", "gemini", "gemini-openapi"] as const
  ) {
    equal(registry.declarations(form).tools.length, 3, form);
  }
});

Deno.test("memory: arguments that do not fit are refused with the path of each fault", async () => {
  const [remember, recall] = memoryTools(new MemoryStore());
  const issues = async (args: unknown) => {
    const checked = await recall!.check(args);
    return checked.ok ? [] : checked.issues;
  };
  deepEqual(await issues({ query: "" }), []);
  deepEqual(await issues({ query: "x", limit: 100 }), []);
  deepEqual(await issues([]), ["$: expected object"]);
  deepEqual(await issues({}), ["$.query: is missing"]);
  deepEqual(await issues({ query: null, limit: 0 }), [
    "$.query: expected string, got object",
    "$.limit: expected a whole number from 1 to 100",
  ]);
  deepEqual(await issues(JSON.parse('{"query":"x","__proto__":1,"toString":2}')), [
    "$.__proto__: is no argument of this tool",
    "$.toString: is no argument of this tool",
  ]);
  deepEqual((await remember!.check({ text: "x", tags: ["a", 1] })).ok, false);
});
