/** The search through the whole engine: scripts and calls by name, a real engine on loopback, the gate between. */
import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import type { PolicyCall } from "../../../contracts/policy.ts";
import { searchCapability, searchTools, searxngProvider } from "../../../ext/search/mod.ts";
import { scriptedClient } from "../../../llm/scripted.ts";
import { createLoop } from "../../../loop/create_loop.ts";
import { DefaultPolicy } from "../../../loop/policy.ts";
import { Redactor } from "../../../redact/redactor.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { ToolRegistry } from "../../../tools/mod.ts";
import { runScripts } from "../../packs/script_loop.ts";
import { results, search, startEngine } from "./engine.ts";

const PAGE = { url: "https://example.org/a", title: "A", content: "about a" };
const SHOWN = { title: "A", url: "https://example.org/a", snippet: "about a" };

Deno.test("search: a script searches an engine in a private network that was named, under the default policy", async () => {
  await using engine = startEngine(() => results(PAGE));
  const provider = searxngProvider({ url: `${engine.url}/searxng/?engines=one` });
  const { result, store } = await runScripts(
    ['function run() { answer(web_search("tech news brasil", { limit: 3, language: "pt-BR" })); }'],
    { capabilities: [searchCapability({ provider })], config: { policy: new DefaultPolicy() } },
  );
  deepEqual(JSON.parse(result.finalText), [SHOWN]);
  const { path, method, headers } = engine.hits[0]!;
  equal(method, "GET");
  equal(path, "/searxng/search?engines=one&q=tech+news+brasil&format=json&language=pt-BR");
  equal(headers.accept, "application/json");
  const [call] = await store.calls("s");
  equal(call?.name, "web_search");
  equal(call?.target, `127.0.0.1:${engine.port}`);
  equal(call?.outcome, "ok");
});

Deno.test("search: a model that calls by name searches too, and is told when nothing is found", async () => {
  await using engine = startEngine((url) =>
    url.searchParams.get("q") === "nothing" ? results() : results(PAGE)
  );
  const provider = searxngProvider({ url: engine.url });
  const call = (id: string, args: object) => ({
    toolCalls: [{ id, name: "web_search", arguments: args }],
  });
  using llm = scriptedClient([
    call("a", { query: "a" }),
    call("b", { query: "nothing" }),
    call("c", { limit: 21, language: "&q=x", more: 1 }),
    "done",
  ]);
  const store = new MemoryStore();
  const tools = new ToolRegistry(searchTools({ provider }));
  const loop = createLoop({ llm, sessions: store, steps: store, protocol: "tools", tools });
  equal((await loop.run({ sessionId: "s", message: "go" })).status, "completed");
  const told = (await store.lastN("s", 100))
    .filter(({ stepType }) => stepType === "tool_result").map(({ content }) => content);
  match(told[0] ?? "", /"url":"https:\/\/example\.org\/a"/);
  match(told[1] ?? "", /Nothing was found\. Try fewer or more general words\./);
  match(told[2] ?? "", /\$\.query: is missing.*\$\.limit.*1 to 20.*\$\.language.*\$\.more/s);
  equal(engine.hits.length, 2);
});

Deno.test("search: a policy sees the engine's host, and can refuse", async () => {
  await using engine = startEngine(() => results(PAGE));
  const provider = searxngProvider({ url: engine.url });
  const seen: PolicyCall[] = [];
  const policy = {
    check(call: PolicyCall) {
      seen.push(call);
      return { decision: "deny", reason: "no searches today" } as const;
    },
  };
  const { result } = await runScripts(
    ['function run() { try { web_search("a"); } catch (error) { answer(error.message); } }'],
    { capabilities: [searchCapability({ provider })], config: { policy } },
  );
  match(result.finalText, /no searches today/);
  equal(seen[0]?.target, provider.target);
  equal(engine.hits.length, 0);
});

Deno.test("search: a query that holds a secret of the run never leaves", async () => {
  await using engine = startEngine(() => results(PAGE));
  const provider = searxngProvider({ url: engine.url });
  const redactor = Redactor.fromSecrets({ key: "sk-of-the-tests" });
  const { result } = await runScripts(
    [`function run() { try { web_search("a " + ["sk-of", "the-tests"].join("-")); } catch (error) { answer(error.message); } }`],
    { capabilities: [searchCapability({ provider })], config: { redactor } },
  );
  match(result.finalText, /the query holds a secret/);
  equal(engine.hits.length, 0);
});

Deno.test("search: wrong arguments of a script are said, and nothing is asked", async () => {
  await using engine = startEngine(() => results(PAGE));
  const provider = searxngProvider({ url: engine.url });
  const wrong = [
    "web_search()",
    'web_search("  ")',
    "web_search(7)",
    `web_search("x".repeat(401))`,
    'web_search("a", 5)',
    'web_search("a", { limit: 0 })',
    'web_search("a", { limit: "5" })',
    'web_search("a", { language: "en&format=html" })',
    'web_search("a", { engines: "x" })',
  ];
  const source = `function run() {
    const told = [];
    for (const call of [${wrong.map((call) => `() => ${call}`).join(", ")}]) {
      try { call(); told.push("passed"); } catch (error) { told.push(error.message); }
    }
    answer(told);
  }`;
  const { result } = await runScripts([source], { capabilities: [searchCapability({ provider })] });
  for (const message of JSON.parse(result.finalText)) match(message, /web_search: /);
  equal(engine.hits.length, 0);
});

Deno.test("search: a run that ends takes its search along", async () => {
  const asked = Promise.withResolvers<void>();
  const leave = new AbortController();
  await using engine = startEngine((_) => {
    asked.resolve();
    return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), {
      headers: { "content-type": "application/json" },
    });
  });
  const searching = search(searxngProvider({ url: engine.url }), { query: "a" }, {
    signal: leave.signal,
  });
  await asked.promise;
  leave.abort(new Error("the run is over"));
  await rejects(searching, /the run is over/);
});

Deno.test("search: what is no engine is refused when it is made", () => {
  const wrong = ["", "example.org", "ftp://example.org", "file:///etc", "http://u:p@example.org"];
  for (const url of wrong) throws(() => searxngProvider({ url }), TypeError, url);
  throws(() => searxngProvider({ url: "http://127.0.0.1", timeoutMs: 0 }), RangeError);
  throws(() => searxngProvider({ url: "http://127.0.0.1", maxBytes: 1.5 }), RangeError);
  // @ts-expect-error -- a program without types
  throws(() => searchCapability({}), /provider must have a target/);
  equal(searxngProvider({ url: "https://example.org/search" }).target, "example.org");
});

Deno.test("search: the tool can be declared for each provider", () => {
  const provider = searxngProvider({ url: "http://127.0.0.1:8888" });
  const registry = new ToolRegistry(searchTools({ provider }));
  for (const form of ["openai", "anthropic", "gemini", "gemini-openapi"] as const) {
    equal(registry.declarations(form).tools.length, 1, form);
  }
});
