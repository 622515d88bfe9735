/** The artifact functions as tools, in a registry and in runs that call by name. */
import { deepEqual, equal, match } from "node:assert/strict";
import { artifactTools, serveArtifact } from "../../../ext/artifacts/mod.ts";
import { scriptedClient } from "../../../llm/scripted.ts";
import { createLoop } from "../../../loop/create_loop.ts";
import { DefaultPolicy } from "../../../loop/policy.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { ToolRegistry } from "../../../tools/mod.ts";

Deno.test("artifacts: a model that calls by name saves, lists and reads, and what it is told is served", async () => {
  const store = new MemoryStore();
  const { artifacts } = store;
  const call = (id: string, name: string, args: object) => ({
    toolCalls: [{ id, name, arguments: args }],
  });
  const page = { filename: "news.html", title: "Tech News", content: "<h1>Tech News</h1>" };
  using llm = scriptedClient([
    call("a", "artifact_save", page),
    call("b", "artifact_list", {}),
    call("c", "artifact_read", { id: 5, more: 1 }),
    "done",
  ]);
  const loop = createLoop({
    llm,
    sessions: store,
    steps: store,
    calls: store,
    protocol: "tools",
    tools: new ToolRegistry(artifactTools({ artifacts })),
    policy: new DefaultPolicy({ allowTools: ["artifact_save"] }),
  });
  const { status } = await loop.run({ sessionId: "s", message: "go", userId: "ada" });
  equal(status, "completed");
  const steps = await store.lastN("s", 100);
  const results = steps.filter((step) => step.stepType === "tool_result").map((s) => s.content);
  const address = /"address":"([^"]+)"/.exec(results[0] ?? "")?.[1] ?? "";
  match(address, /^\/artifacts\/[a-z2-7]{26}\/news\.html$/);
  const request = new Request(`http://127.0.0.1${address}`);
  match(await (await serveArtifact(request, { store: artifacts })).text(), /Tech News/);
  match(results[1] ?? "", /"filename":"news\.html","title":"Tech News","type":"text\/html"/);
  match(results[2] ?? "", /\$\.id: expected string.*\$\.more: is no argument/);
  const rows = await store.calls("s");
  deepEqual(rows.map(({ name, target, outcome }) => [name, target, outcome]).slice(0, 2), [
    ["artifact_save", "news.html", "ok"],
    ["artifact_list", undefined, "ok"],
  ]);
});

Deno.test("artifacts: the tools can be declared for each provider", () => {
  const registry = new ToolRegistry(artifactTools(new MemoryStore()));
  for (const form of ["openai", "anthropic", "gemini", "gemini-openapi"] as const) {
    equal(registry.declarations(form).tools.length, 3, form);
  }
});

Deno.test("artifacts: arguments that do not fit are refused with the path of each fault", async () => {
  const [save] = artifactTools(new MemoryStore());
  const issues = async (args: unknown) => {
    const checked = await save!.check(args);
    return checked.ok ? [] : checked.issues;
  };
  const good = { filename: "a", title: "b", content: "c" };
  deepEqual(await issues(good), []);
  deepEqual(await save!.check({ ...good, type: null }), { ok: true, value: good });
  deepEqual(await issues(null), ["$: expected object"]);
  deepEqual(await issues({ ...good, filename: null, type: 1 }), [
    "$.filename: expected string, got null",
    "$.type: expected string, got number",
  ]);
  deepEqual(await issues(JSON.parse('{"filename":"a","title":"b","content":"c","__proto__":1}')), [
    "$.__proto__: is no argument of this function",
  ]);
});
