import assert from "node:assert/strict";
import type { Message } from "../contracts/model.ts";
import type { EvaluateRequest, Execution, HostFunction } from "../contracts/sandbox.ts";
import type { Span } from "../contracts/tracing.ts";
import type { CallableTool, ToolExpander, ToolSearch, ToolSet } from "../contracts/tool.ts";
import type { ScriptedStep } from "../llm/scripted.ts";
import { Redactor } from "../redact/redactor.ts";
import { MemoryStore } from "../stores/memory.ts";
import { execution, fakeSandboxBuilder } from "./_fake_sandbox.ts";
import { block, fixture, type FixtureOptions } from "./_run_fixture.ts";
import { AllowAll } from "./policy.ts";

function tool(name: string, description = `does ${name}`): CallableTool {
  return {
    declaration: { name, description, parameters: { type: "object" } },
    hostFunction: { name: name.replaceAll("-", "_"), execute: () => `${name} ran` },
    safe: false,
  };
}

/** Finds by name, or every tool whose name has the query in it. */
function expander(
  tools: readonly CallableTool[],
  searches: ToolSearch[] = [],
): ToolExpander {
  return {
    expand(search) {
      const { names = [], query, limit } = search;
      searches.push({ ...search });
      const all = tools.map((one) => [one.declaration.name, one] as const);
      const named = all.filter(([name]) => names.includes(name));
      const found = all.filter(([name]) => query !== undefined && name.includes(query));
      return [...new Map([...named, ...found.slice(0, limit)]).values()];
    },
  };
}

function set(...tools: readonly CallableTool[]): ToolSet {
  return { callable: () => tools };
}

function toolLoop(replies: readonly ScriptedStep[], options: FixtureOptions["config"] = {}) {
  return fixture(replies, { config: { protocol: "tools", policy: new AllowAll(), ...options } });
}

function call(id: string, name: string, args: object = {}) {
  return { toolCalls: [{ id, name, arguments: args }] };
}

function discover(id: string, args: object) {
  return call(id, "discover_tools", args);
}

function names(request: { tools?: readonly { name: string }[] } | undefined) {
  return request?.tools?.map(({ name }) => name);
}

function results(messages: readonly Message[] = []) {
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

Deno.test("discovery: what is found is declared behind the others from the next turn on, and called through the gate", async () => {
  const checked: string[] = [];
  using run = toolLoop([
    discover("1", { query: "weather" }),
    call("2", "get-weather"),
    call("3", "own"),
    "done",
  ], {
    tools: set(tool("own")),
    toolExpander: expander([tool("get-weather", "The weather\nin a city"), tool("other")]),
    policy: {
      check: ({ name }) => {
        checked.push(name);
        return { decision: "allow" };
      },
    },
  });
  const { llm, onEvent, events } = run;
  await run.loop.run({ sessionId: "s", message: "go", onEvent });
  const [first, second, third, fourth] = llm.requests;
  assert.deepEqual(names(first), ["own", "discover_tools"]);
  assert.deepEqual(names(second), ["own", "discover_tools", "get-weather"]);
  assert.deepEqual(third?.tools, second?.tools);
  assert.deepEqual(second?.messages.slice(0, first?.messages.length), first?.messages);
  assert.deepEqual(results(fourth?.messages), [
    "Found; you can call them from your next turn on:\n- get-weather: The weather in a city",
    "get-weather ran",
    "own ran",
  ]);
  assert.deepEqual(checked, ["get_weather", "own"]);
  assert.deepEqual(events.filter(({ type }) => type === "tools_discovered"), [{
    type: "tools_discovered",
    args: { names: [], query: "weather", found: ["get-weather"], dropped: [] },
  }]);
});

Deno.test("discovery: a name that is not there is told with those near to it, one that is declared is not declared twice", async () => {
  using run = toolLoop([
    discover("1", { names: ["get_a", "own", "a"] }),
    discover("2", { names: ["get_a"], query: "own" }),
    "done",
  ], {
    tools: set(tool("own")),
    toolExpander: expander([tool("get_a"), tool("a_b"), tool("own")]),
  });
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.deepEqual(names(run.llm.requests[2]), ["own", "discover_tools", "get_a"]);
  const [first, second] = results(run.llm.requests[2]?.messages);
  assert.match(
    first!,
    /- get_a: does get_a\nthere already: own\na is not there; near: get_a, a_b$/,
  );
  assert.match(second!, /- get_a: does get_a\nthere already: own$/);
});

Deno.test("discovery: 64 found tools are declared at most, and those go that were not asked for the longest", async () => {
  const many = Array.from({ length: 80 }, (_, n) => tool(`t${n}_`));
  const ask = (from: number) =>
    discover(`d${from}`, { names: Array.from({ length: 16 }, (_, n) => `t${from + n}_`) });
  using run = toolLoop(
    [
      ask(0),
      ask(16),
      ask(32),
      ask(48),
      discover("again", { names: ["t0_"] }),
      discover("more", { names: ["t64_", "t65_"] }),
      "done",
    ],
    { toolExpander: expander(many) },
  );
  const { onEvent, events } = run;
  await run.loop.run({ sessionId: "s", message: "go", onEvent });
  const declared = names(run.llm.requests.at(-1))!;
  assert.equal(declared.length, 1 + 64);
  assert.deepEqual(declared.slice(0, 3), ["discover_tools", "t0_", "t3_"]);
  assert.deepEqual(declared.slice(-2), ["t64_", "t65_"]);
  const last = events.filter(({ type }) => type === "tools_discovered").at(-1);
  assert.deepEqual((last?.args as { dropped: string[] }).dropped, ["t1_", "t2_"]);
  assert.match(results(run.llm.requests.at(-1)?.messages).at(-1)!, /gone, to make room: t1_, t2_$/);
});

Deno.test("discovery: no request declares more than 128 tools, where the run's own leave room for a search", async () => {
  const many = Array.from({ length: 80 }, (_, n) => tool(`t${n}_`));
  const searches = [0, 16, 32, 48].map((from) =>
    discover(`d${from}`, { names: Array.from({ length: 16 }, (_, n) => `t${from + n}_`) })
  );
  for (const [count, most] of [[90, 128], [120, 185]] as const) {
    const own = Array.from({ length: count }, (_, n) => tool(`own${n}`));
    using run = toolLoop([...searches, "done"], {
      tools: set(...own),
      toolExpander: expander(many),
    });
    await run.loop.run({ sessionId: "s", message: "go" });
    // One place is kept for what reads long results.
    assert.equal(names(run.llm.requests.at(-1))?.length, count === 90 ? most - 1 : most);
  }
});

Deno.test("discovery: what a model writes wrongly, and an expander that fails, are told and end nothing", async () => {
  let fails = true;
  const searches: ToolSearch[] = [];
  const inner = expander([tool("found")], searches);
  using run = toolLoop([
    discover("1", {}),
    discover("2", { names: "found" }),
    discover("3", { names: [7, "", "found"], query: 5 }),
    call("4", "nowhere"),
    discover("5", { query: "absent" }),
    "done",
  ], {
    toolExpander: {
      expand: (search) => {
        if (fails) {
          fails = false;
          throw new Error("the index is gone");
        }
        return inner.expand(search);
      },
    },
  });
  const { onEvent, events } = run;
  const result = await run.loop.run({ sessionId: "s", message: "go", onEvent });
  assert.equal(result.finalText, "done");
  const [empty, failed, found, unknown, none] = results(run.llm.requests.at(-1)?.messages);
  assert.match(empty!, /^Error: give a query, words for what is needed, or names/);
  assert.match(failed!, /^Error: the tools could not be looked for: the index is gone/);
  assert.match(found!, /- found: does found$/);
  assert.match(unknown!, /there is no tool nowhere; there is: found; discover_tools may find more/);
  assert.match(none!, /nothing new matches the query/);
  assert.deepEqual(searches.map(({ names, query }) => ({ names, query })), [
    { names: ["found"], query: undefined },
    { names: undefined, query: "absent" },
  ]);
  assert.ok(
    events.some(({ type, content }) =>
      type === "warning" && content === "Tools could not be looked for: the index is gone"
    ),
  );
});

Deno.test("discovery: a later run of the session declares again what is still there, so that its requests begin as the last one did", async () => {
  const all = [tool("c"), tool("b"), tool("a")];
  const store = new MemoryStore();
  using first = fixture([
    discover("1", { names: ["b"] }),
    discover("2", { names: ["a", "c"] }),
    call("3", "b"),
    "first",
    "second",
  ], { store, config: { protocol: "tools", toolExpander: expander(all) } });
  await first.loop.run({ sessionId: "s", message: "one" });
  await first.loop.run({ sessionId: "s", message: "two" });
  const [, , , fourth, fifth] = first.llm.requests;
  assert.deepEqual(names(fifth), ["discover_tools", "b", "c", "a"]);
  assert.deepEqual(fifth?.tools, fourth?.tools);
  assert.deepEqual(fifth?.messages.slice(0, fourth?.messages.length), fourth?.messages);

  using later = fixture([call("4", "a"), "third"], {
    store,
    config: { protocol: "tools", policy: new AllowAll(), toolExpander: expander(all.slice(1)) },
  });
  await later.loop.run({ sessionId: "s", message: "three" });
  assert.deepEqual(names(later.llm.requests[0]), ["discover_tools", "b", "a"]);
  assert.equal(results(later.llm.requests[1]?.messages).at(-1), "a ran");

  using scripts = fixture([SCRIPT("answer(await b())")], {
    store,
    config: { toolExpander: expander(all) },
  });
  const result = await scripts.loop.run({ sessionId: "s", message: "four" });
  assert.equal(result.finalText, "b ran");
});

Deno.test("discovery: when what was found before cannot be found again, there is a warning and the run goes on", async () => {
  const store = new MemoryStore();
  using first = fixture([discover("1", { names: ["a"] }), "first"], {
    store,
    config: { protocol: "tools", toolExpander: expander([tool("a")]) },
  });
  await first.loop.run({ sessionId: "s", message: "one" });
  using later = fixture(["second"], {
    store,
    config: {
      protocol: "tools",
      toolExpander: { expand: () => Promise.reject(new Error("out of reach")) },
    },
  });
  const { onEvent, events } = later;
  const result = await later.loop.run({ sessionId: "s", message: "two", onEvent });
  assert.equal(result.finalText, "second");
  assert.deepEqual(names(later.llm.requests[0]), ["discover_tools"]);
  assert.ok(events.some(({ content }) => String(content).includes("found again: out of reach")));
});

Deno.test("discovery: of two tools that are one function only the first can be declared", async () => {
  using run = toolLoop([discover("1", { query: "x" }), "done"], {
    toolExpander: expander([tool("x-1"), tool("x_1"), tool("own-x")]),
    tools: set(tool("own_x")),
  });
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.deepEqual(names(run.llm.requests[1]), ["own_x", "discover_tools", "x-1"]);
});

Deno.test("discovery: a tool of the run may not have the name of what finds tools", async () => {
  using run = toolLoop([], {
    toolExpander: expander([]),
    tools: set(tool("discover_tools")),
  });
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.error?.code, "config");
});

Deno.test("discovery: what was looked for is told without secrets", async () => {
  using run = toolLoop([discover("1", { query: "hunter2-hunter2" }), "done"], {
    toolExpander: expander([]),
    redactor: Redactor.fromSecrets({ key: "hunter2-hunter2" }),
  });
  const { onEvent, events } = run;
  await run.loop.run({ sessionId: "s", message: "go", onEvent });
  assert.ok(events.some(({ type }) => type === "tools_discovered"));
  assert.ok(!JSON.stringify(events).includes("hunter2"));
});

Deno.test("discovery: what was found counts into what a request takes, and large declarations make room for each other", async () => {
  const big = (name: string) => tool(name, "word ".repeat(6000));
  const all = [big("a"), big("b"), big("c")];
  const replies = [
    discover("1", { names: ["a", "b"] }),
    discover("2", { names: ["c"] }),
    discover("3", { names: ["a", "b", "c"] }),
    "done",
  ];
  using run = toolLoop(replies, { toolExpander: expander(all) });
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.deepEqual(run.llm.requests.map(names), [
    ["discover_tools"],
    ["discover_tools", "a", "b"],
    ["discover_tools", "b", "c"],
    ["discover_tools", "b", "a"],
  ]);
  assert.match(
    results(run.llm.requests[3]?.messages).at(-1)!,
    /too much to declare at once, look for fewer: c\ngone, to make room: c$/,
  );

  using small = toolLoop(replies.slice(0, 1), {
    toolExpander: expander(all),
    contextBudget: { maxTokens: 8000 },
  });
  const result = await small.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.error?.code, "model_context_overflow");
});

/** Runs nothing that uses `there`, nor `here` before it was found: says what an engine says of a name that is missing. */
function namesMissing(request: EvaluateRequest): Promise<Execution> | undefined {
  const { source, onCall } = request;
  const missing = (name: string) =>
    execution({ failure: { kind: "threw", message: `ReferenceError: '${name}' is not defined` } });
  if (source.includes("there()")) return Promise.resolve(missing("there"));
  if (!source.includes("discover_tools")) return undefined;
  const signal = new AbortController().signal;
  return onCall({ name: "discover_tools", argsJson: '["here"]', sequence: 0, signal })
    .then(() => missing("here"));
}

const SCRIPT = (body: string) => block(`async function run() { ${body} }`);

Deno.test("discovery in scripts: what was found is shown after the script and can be called in the next; the prompt stays as it was", async () => {
  const checked: string[] = [];
  using run = fixture([
    SCRIPT(`log(await discover_tools({ query: "weather" }))`),
    SCRIPT(`answer(await get_weather())`),
  ], {
    sandbox: { prompt: "declare function own(): any;", functions: [tool("own").hostFunction] },
    config: {
      approveAll: false,
      policy: {
        check: ({ name }) => {
          checked.push(name);
          return { decision: "allow" };
        },
      },
      toolExpander: expander([tool("get-weather"), tool("own")]),
    },
  });
  const { onEvent, events, llm } = run;
  const result = await run.loop.run({ sessionId: "s", message: "go", onEvent });
  assert.equal(result.finalText, "get-weather ran");
  assert.deepEqual(checked, ["get_weather"]);
  const [first, second] = llm.requests;
  assert.match(
    first!.messages[0]!.content,
    /declare function own\(\): any;\ndeclare function discover_tools\(/,
  );
  assert.deepEqual(second!.messages.slice(0, 2), first!.messages.slice(0, 2));
  assert.match(
    second!.messages.at(-1)!.content,
    /^log:\n\["get_weather"\]\nnote: functions that you can call from your next turn on:\ndeclare function get_weather\(args\?: Record<string, any>\): any; \/\/ does get-weather\n/,
  );
  assert.deepEqual(events.filter(({ type }) => type === "tools_discovered").length, 1);
});

Deno.test("discovery in scripts: a block that looks for ever more is stopped, and its observation stays short", async () => {
  const many = Array.from({ length: 500 }, (_, n) => tool(`t${n}_`, "d".repeat(150)));
  using run = fixture([
    SCRIPT(
      `let found = 0; try { for (let n = 0; n < 500; n++) found += (await discover_tools({ names: ["t" + n + "_"] })).length }
       catch (error) { log(error.message, found) }`,
    ),
    SCRIPT("answer(1)"),
  ], { config: { toolExpander: expander(many) } });
  await run.loop.run({ sessionId: "s", message: "go" });
  const observation = run.llm.requests[1]!.messages.at(-1)!.content;
  assert.match(
    observation,
    /^log:\nthis script has found as much as can be shown; go on in your next turn/,
  );
  assert.ok(observation.length < 20_000, `${observation.length}`);
});

Deno.test("discovery in scripts: what a sandbox tells of itself is asked for in each turn, as it may put other functions in their place", async () => {
  let functions = new Map<string, HostFunction>();
  let ran = 0;
  const here: CallableTool = {
    ...tool("here"),
    hostFunction: { name: "here", execute: () => ++ran },
  };
  using run = fixture([
    block('async function run() { return await discover_tools({ query: "here" }); }'),
    block("async function run() { return await here(); }"),
    "done",
  ], {
    config: {
      toolExpander: expander([here]),
      policy: new AllowAll(),
      sandboxBuilder: {
        async build(request) {
          const { evaluate: _, ...sandbox } = await fakeSandboxBuilder().build(request);
          return {
            ...sandbox,
            get functions() {
              return functions;
            },
            extend(added: readonly HostFunction[]) {
              functions = new Map(added.map((one) => [one.name, one]));
            },
            evaluate: async ({ source, onCall }: EvaluateRequest) => {
              const name = source.includes("here()") ? "here" : "discover_tools";
              const argsJson = name === "here" ? "[]" : '[{"query":"here"}]';
              const { signal } = new AbortController();
              await onCall({ name, argsJson, sequence: 0, signal });
              return execution({ hostCalls: 1 });
            },
          };
        },
      },
    },
  });
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(ran, 1);
});

Deno.test("discovery in scripts: a run whose sandbox cannot grow says so", async () => {
  using run = fixture([], {
    config: {
      toolExpander: expander([]),
      sandboxBuilder: {
        build: async () => {
          const { extend: _, ...rest } = await fakeSandboxBuilder().build({} as never);
          return rest;
        },
      },
    },
  });
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.error?.code, "config");
  assert.match(result.error!.message, /toolExpander/);
});

Deno.test("discovery: a request's own expander is taken in place of the loop's, and anything else is refused at once", async () => {
  using run = toolLoop([discover("1", { query: "a" }), "done"], {
    toolExpander: expander([tool("a_loop")]),
  });
  await run.loop.run({ sessionId: "s", message: "go", toolExpander: expander([tool("a_own")]) });
  assert.deepEqual(names(run.llm.requests[1]), ["discover_tools", "a_own"]);
  await assert.rejects(
    async () => await run.loop.run({ sessionId: "s", message: "x", toolExpander: {} as never }),
    /toolExpander/,
  );
});

Deno.test("discovery in scripts: a found function that is called too early, or one that was never found, is told what to do", async () => {
  using run = fixture([
    SCRIPT(`await discover_tools("here"); await here()`),
    SCRIPT("await there()"),
    SCRIPT("answer(await here())"),
  ], { sandbox: { evaluate: namesMissing }, config: { toolExpander: expander([tool("here")]) } });
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.finalText, "here ran");
  const [, second, third] = run.llm.requests.map(({ messages }) => messages.at(-1)!.content);
  assert.match(second!, /\nhere can be called from your next turn on\n/);
  assert.match(
    third!,
    /\nif there is a function to be found: discover_tools\(\{ names: \["there"\] \}\)\n/,
  );
});

Deno.test("discovery: no policy and no person is asked to look, and what was found is refused as anything else is", async () => {
  const refuseAll = {
    policy: { check: () => ({ decision: "deny", reason: "not today" }) as const },
    approveAll: true,
    toolExpander: expander([tool("found")]),
  };
  using named = toolLoop(
    [discover("1", { query: "found" }), call("2", "found"), "done"],
    refuseAll,
  );
  await named.loop.run({ sessionId: "s", message: "go" });
  assert.match(
    results(named.llm.requests[2]?.messages)[1]!,
    /^PermissionError: found.* is refused: not today/,
  );
  using scripts = fixture([
    SCRIPT(`await discover_tools({ query: "found" })`),
    SCRIPT("try { await found() } catch (error) { answer(error.message) }"),
  ], { config: refuseAll });
  const { finalText } = await scripts.loop.run({ sessionId: "s", message: "go" });
  assert.match(finalText, /found.* is refused: not today/);
});

Deno.test("discovery: each search has a span of its own", async () => {
  const spans: string[] = [];
  const span = (name: string): Span => ({
    setAttributes: (more) => {
      if ("agentloop.discover_tools.found" in more) spans.push(`${name} ${JSON.stringify(more)}`);
    },
    fail: (message) => void spans.push(`${name} failed: ${message}`),
    end: () => {},
    child: span,
  });
  const broken = { expand: () => Promise.reject(new Error("no index")) };
  for (const toolExpander of [expander([tool("found")]), broken]) {
    using run = toolLoop([discover("1", { query: "found" }), "done"], {
      toolExpander,
      tracer: { start: span },
    });
    await run.loop.run({ sessionId: "s", message: "go" });
  }
  assert.deepEqual(spans, [
    'agentloop.discover_tools {"agentloop.discover_tools.found":1}',
    "agentloop.discover_tools failed: no index",
  ]);
});

Deno.test("discovery: a run that waits at a call of a found tool is taken up with that tool", async () => {
  const store = new MemoryStore();
  const done: string[] = [];
  const send: CallableTool = {
    ...tool("send"),
    hostFunction: { name: "send", sideEffect: true, execute: () => void done.push("sent") },
  };
  const config = {
    protocol: "tools",
    toolExpander: expander([send]),
    approve: () => ({ decision: "wait" }) as const,
  } as const;
  using first = fixture([discover("1", { query: "send" }), call("2", "send")], { store, config });
  assert.equal((await first.loop.run({ sessionId: "s", message: "go" })).status, "waiting");
  using second = fixture(["It is sent."], { store, config });
  const result = await second.loop.resume({
    sessionId: "s",
    callId: "2",
    decision: { decision: "approve" },
  });
  assert.deepEqual([result.status, result.finalText, done], ["completed", "It is sent.", ["sent"]]);
  assert.deepEqual(names(second.llm.requests[0]), ["discover_tools", "send"]);
});

Deno.test("discovery in scripts that come as calls: what was found stands in the call's result, and stays when auto changes over", async () => {
  const script = (id: string, body: string) =>
    call(id, "run_javascript", { code: `async function run() { ${body} }` });
  using asCalls = fixture([
    script("1", `await discover_tools({ names: ["found"] })`),
    script("2", "answer(await found())"),
  ], { config: { protocol: "code-tool", toolExpander: expander([tool("found")]) } });
  const result = await asCalls.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.finalText, "found ran");
  const [first, second] = asCalls.llm.requests;
  assert.match(results(second?.messages)[0]!, /declare function found\(/);
  assert.deepEqual(names(first), ["run_javascript"]);
  assert.deepEqual(second?.tools, first?.tools);
  assert.equal(second?.messages[0]?.content, first?.messages[0]?.content);

  using auto = fixture([
    SCRIPT(`await discover_tools({ names: ["found"] })`),
    { text: '{"name": "found", "arguments": {}}' },
    { text: '{"name": "found", "arguments": {}}' },
    script("2", "answer(await found())"),
  ], { config: { protocol: "auto", toolExpander: expander([tool("found")]) } });
  const changed = await auto.loop.run({ sessionId: "s", message: "go" });
  assert.equal(changed.finalText, "found ran");
  assert.match(auto.llm.requests.at(-1)!.messages[0]!.content, /declare function discover_tools\(/);
});
