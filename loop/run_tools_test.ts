import assert from "node:assert/strict";
import type { JsonValue } from "../contracts/json.ts";
import type { Message } from "../contracts/model.ts";
import type { CallContext } from "../contracts/sandbox.ts";
import type { CallableTool, ToolSet } from "../contracts/tool.ts";
import type { ScriptedStep, ScriptedToolCall } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { fixture, type FixtureOptions } from "./_run_fixture.ts";
import { createLoop } from "./create_loop.ts";
import { AllowAll, DefaultPolicy } from "./policy.ts";

type Execute = (args: Record<string, JsonValue>, context: CallContext) => unknown;

/** Tools that do what a test says. */
function tools(
  execute: Readonly<Record<string, Execute>>,
  more: Partial<Omit<CallableTool, "hostFunction">> & { sideEffect?: boolean } = {},
): ToolSet {
  const { sideEffect = false, safe = false } = more;
  const callable = Object.entries(execute).map(([name, run]): CallableTool => ({
    declaration: { name, description: `does ${name}`, parameters: { type: "object" } },
    hostFunction: {
      name,
      sideEffect,
      target: () => name,
      execute: ([args], context) => run(args as Record<string, JsonValue>, context),
    },
    safe,
  }));
  return { callable: () => callable };
}

function call(id: string, name: string, args: object = {}): ScriptedToolCall {
  return { id, name, arguments: args };
}

/** A loop that calls tools. */
function toolLoop(replies: readonly ScriptedStep[], set: ToolSet, options: FixtureOptions = {}) {
  return fixture(replies, {
    ...options,
    config: { protocol: "tools", tools: set, policy: new AllowAll(), ...options.config },
  });
}

/** The messages of a request, the system prompt left out. */
function said(messages: readonly Message[] = []): Message[] {
  return messages.filter(({ role }) => role !== "system");
}

Deno.test("tools: a call goes through the gate, its result goes back under its id, and prose is the answer", async () => {
  const store = new MemoryStore();
  using run = toolLoop(
    [
      { text: "Let me look.", toolCalls: [call("c1", "weather", { city: "Oslo" })] },
      "It is 7 degrees.",
    ],
    tools({ weather: ({ city }) => ({ city: city!, degrees: 7 }) }),
    { store, config: { calls: store } },
  );
  const { loop, llm, events, onEvent } = run;
  const result = await loop.run({ sessionId: "s", message: "Oslo?", onEvent });
  assert.equal(result.status, "completed");
  assert.equal(result.finalText, "It is 7 degrees.");
  assert.equal(result.forced, undefined);
  assert.deepEqual([result.toolCalls, result.durationMs], [1, 0]);
  assert.deepEqual(said(llm.requests[1]?.messages), [
    { role: "user", content: "Oslo?" },
    {
      role: "assistant",
      content: "Let me look.",
      toolCalls: [{ id: "c1", name: "weather", argumentsJson: '{"city":"Oslo"}' }],
    },
    { role: "tool", toolCallId: "c1", content: '{"city":"Oslo","degrees":7}' },
  ]);
  assert.deepEqual(llm.requests[0]?.tools?.map(({ name }) => name), ["weather"]);
  const rows = await store.calls("s");
  assert.deepEqual(rows.map(({ name, argsJson, outcome }) => [name, argsJson, outcome]), [
    ["weather", '[{"city":"Oslo"}]', "ok"],
  ]);
  assert.deepEqual(events.map(({ type }) => type), [
    "user",
    "turn_start",
    "response_chunk",
    "response_discarded",
    "llm_call",
    "tool_call",
    "sandbox_event",
    "tool_result",
    "turn_start",
    "response_chunk",
    "response",
    "done",
  ]);
  const steps = await store.lastN("s", 20);
  assert.deepEqual(steps.map(({ stepType, content }) => `${stepType}: ${content}`), [
    "user: Oslo?",
    "llm_call: Let me look.",
    "tool_call: weather",
    'tool_result: {"city":"Oslo","degrees":7}',
    "response: It is 7 degrees.",
  ]);
});

Deno.test("tools: a later run says the past in the provider's shape, byte for byte as it was said", async () => {
  const set = tools({ a: () => "one", b: () => [1, 2] });
  using run = toolLoop([
    { toolCalls: [call("c1", "a"), { ...call("c2", "b"), providerMetadata: { signature: "x" } }] },
    "First.",
    "Second.",
  ], set);
  await run.loop.run({ sessionId: "s", message: "go" });
  await run.loop.run({ sessionId: "s", message: "again" });
  const [, second, third] = run.llm.requests;
  assert.deepEqual(third?.messages.slice(0, second?.messages.length), second?.messages);
  assert.deepEqual(third?.tools, second?.tools);
  const [calls] = second!.messages.filter(({ toolCalls }) => toolCalls !== undefined);
  assert.deepEqual(calls?.toolCalls?.[1]?.providerMetadata, { signature: "x" });
});

Deno.test("tools: calls run one after the other, results in the order of the calls", async () => {
  const order: string[] = [];
  const work = (name: string, ticks: number): Execute => async () => {
    order.push(`${name} begins`);
    for (let n = 0; n < ticks; n++) await Promise.resolve();
    order.push(`${name} ends`);
    return name;
  };
  for (const safe of [false, true]) {
    order.length = 0;
    using run = toolLoop(
      [{ toolCalls: [call("1", "slow"), call("2", "fast")] }, "done"],
      tools({ slow: work("slow", 200), fast: work("fast", 1) }, { safe }),
    );
    await run.loop.run({ sessionId: "s", message: "go" });
    assert.deepEqual(
      order,
      safe
        ? ["slow begins", "fast begins", "fast ends", "slow ends"]
        : ["slow begins", "slow ends", "fast begins", "fast ends"],
    );
    const results = said(run.llm.requests[1]?.messages).filter(({ role }) => role === "tool");
    assert.deepEqual(results.map(({ content }) => content), ["slow", "fast"]);
  }
});

Deno.test("TOL-08: an unknown tool gets an error that names those there are, the others run, and every call has one result", async () => {
  using run = toolLoop(
    [{ toolCalls: [call("a", "now"), call("b", "get_dtae"), call("c", "")] }, "done"],
    tools({ now: () => "12:00" }),
  );
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.finalText, "done");
  const results = said(run.llm.requests[1]?.messages).filter(({ role }) => role === "tool");
  assert.deepEqual(results.map(({ toolCallId }) => toolCallId), ["a", "b", "c"]);
  assert.equal(results[0]?.content, "12:00");
  assert.match(results[1]!.content, /there is no tool get_dtae; there is: now/);
  assert.match(results[2]!.content, /the call names no tool; there is: now/);
});

Deno.test("TOL-06: a call whose arguments broke off is answered with an error and never run, whatever the finish reason says", async () => {
  for (const finishReason of ["length", "tool_calls"] as const) {
    let ran = 0;
    const cut: ScriptedToolCall = {
      id: "w",
      name: "writeFile",
      arguments: '{"path":"report.md","content":"line 1\\nline 2',
    };
    using run = toolLoop(
      [{ toolCalls: [cut, call("ok", "writeFile", { path: "a" })], finishReason }, "done"],
      tools({ writeFile: () => void ran++ }),
    );
    await run.loop.run({ sessionId: "s", message: "go" });
    assert.equal(ran, 1);
    const [first] = said(run.llm.requests[1]?.messages).filter(({ role }) => role === "tool");
    assert.match(first!.content, /arguments broke off before their end, so nothing was called/);
  }
});

Deno.test("tools: what a tool throws, refuses or gives nothing for is told to the model, and the loop goes on", async () => {
  using run = toolLoop(
    [{
      toolCalls: [call("1", "bad"), call("2", "quiet"), call("3", "deny")],
    }, "done"],
    tools({
      bad: () => {
        throw new RangeError("no such row");
      },
      quiet: () => undefined,
      deny: () => 1,
    }),
    {
      config: {
        policy: {
          check: ({ name }) =>
            name === "deny" ? { decision: "deny", reason: "not today" } : { decision: "allow" },
        },
      },
    },
  );
  await run.loop.run({ sessionId: "s", message: "go" });
  const results = said(run.llm.requests[1]?.messages).filter(({ role }) => role === "tool");
  assert.deepEqual(results.map(({ content }) => content), [
    "RangeError: no such row",
    "(no result)",
    "PermissionError: deny (deny) is refused: not today. Do not try it again in this run.",
  ]);
});

Deno.test("tools: a person is asked, may refuse with a reason, and may change the arguments, which the model is told", async () => {
  const ran: JsonValue[] = [];
  using run = toolLoop(
    [{ toolCalls: [call("1", "send", { to: "a" }), call("2", "send", { to: "b" })] }, "done"],
    tools({ send: (args) => void ran.push(args) }, { sideEffect: true }),
    {
      config: {
        policy: new DefaultPolicy(),
        approve: ({ args }) =>
          JSON.stringify(args).includes('"a"')
            ? { decision: "approve", args: [{ to: "c" }] }
            : { decision: "deny", reason: "not b" },
      },
    },
  );
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.deepEqual(ran, [{ to: "c" }]);
  const [changed, refused] = said(run.llm.requests[1]?.messages).filter(({ role }) =>
    role === "tool"
  );
  assert.match(changed!.content, /the user changed the arguments of send to \[\{"to":"c"\}\]/);
  assert.match(refused!.content, /send \(send\) is refused: the user said no: not b/);
});

Deno.test("tools: at the last turn no tool can be called, and the text is marked as forced", async () => {
  const set = tools({ look: () => "something" });
  const more = { toolCalls: [call("1", "look")] };
  using run = toolLoop([more, "What I have."], set, { config: { maxIterations: 2 } });
  const { events, onEvent } = run;
  const result = await run.loop.run({ sessionId: "s", message: "go", onEvent });
  assert.deepEqual([result.status, result.finalText, result.forced], [
    "completed",
    "What I have.",
    true,
  ]);
  const last = run.llm.requests[1];
  assert.equal(last?.toolChoice, "none");
  assert.deepEqual(last?.tools, run.llm.requests[0]?.tools);
  assert.match(said(last?.messages).at(-1)!.content, /No tool can be called any more/);
  assert.equal(events.find(({ type }) => type === "response")?.forced, true);
  // A server that ignores the wish: what was said beside the calls is the answer, nothing is called.
  using stubborn = toolLoop([{ ...more, text: "So far." }], set, { config: { maxIterations: 1 } });
  const second = await stubborn.loop.run({ sessionId: "s", message: "go" });
  assert.deepEqual([second.finalText, second.forced], ["So far.", true]);
  using silent = toolLoop([more], set, {
    config: { maxIterations: 1 },
    model: { usage: { prompt: 9, completion: 2 } },
  });
  const third = await silent.loop.run({ sessionId: "s", message: "go" });
  assert.deepEqual([third.status, third.finalText], ["max_iterations", ""]);
  // What was asked and paid for stands in the trace.
  const [, kept] = await silent.store.lastN("s", 10);
  assert.deepEqual([kept?.stepType, kept?.promptTokens], ["error", 9]);
  assert.match(kept!.content, /called look where no tool could be called any more/);
});

Deno.test("tools: of one reply 128 calls are made; each of the others is told that it was not", async () => {
  let made = 0;
  const calls = Array.from({ length: 131 }, (_, n) => call(`${n}`, "look"));
  using run = toolLoop([{ toolCalls: calls }, "done"], tools({ look: () => ++made }));
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(made, 128);
  const results = said(run.llm.requests[1]?.messages).filter(({ role }) => role === "tool");
  assert.deepEqual(results.map(({ toolCallId }) => toolCallId), calls.map(({ id }) => id));
  assert.equal(results[127]?.content, "128");
  for (const { content } of results.slice(128)) {
    assert.match(content, /one reply may make 128 calls; this one was not made/);
  }
});

Deno.test("tools: a run takes 10 turns unless told otherwise", async () => {
  const replies = Array.from({ length: 9 }, (_, n) => ({ toolCalls: [call(`${n}`, "look")] }));
  using run = toolLoop([...replies, "enough"], tools({ look: () => 1 }));
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.deepEqual([result.finalText, result.forced], ["enough", true]);
});

Deno.test("tools: a long result is cut, and what is left out can be read, in this run and in a later one", async () => {
  const whole = Array.from({ length: 5000 }, (_, n) => `line ${n}`).join("\n");
  const read = (from: number, id = "r") => ({
    toolCalls: [call(id, "read_result", { call_id: "c1", from })],
  });
  const store = new MemoryStore();
  using run = toolLoop(
    [
      { toolCalls: [call("c1", "dump")] },
      read(20_000),
      { toolCalls: [call("f", "read_result", { call_id: "c1", find: "line 4321" })] },
      "done",
    ],
    tools({ dump: () => whole }),
    { store },
  );
  await run.loop.run({ sessionId: "s", message: "go" });
  const [, second, third, fourth] = run.llm.requests;
  const results = (messages: readonly Message[] = []) =>
    messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  const [cut] = results(second?.messages);
  assert.ok(cut!.length < 17_000, `${cut!.length}`);
  assert.match(cut!, /^line 0\n/);
  assert.match(cut!, /read_result\(\{"call_id": "c1", "from": …\}\) shows the rest\]$/);
  assert.ok(!JSON.stringify(run.llm.requests[0]?.tools).includes("read_result"));
  assert.ok(JSON.stringify(second?.tools).includes("read_result"));
  const part = results(third?.messages)[1]!;
  assert.equal(part.split("\n")[1], whole.slice(20_000).split("\n")[0]);
  assert.match(
    results(fourth?.messages)[2]!,
    /^\[characters \d+ to \d+ of \d+[^\]]*\]\nline 4321\n/,
  );

  using later = toolLoop([read(48_000, "later"), "done"], tools({ dump: () => whole }), { store });
  await later.loop.run({ sessionId: "s", message: "and the end?" });
  assert.match(results(later.llm.requests[1]?.messages).at(-1)!, /line 4999$/);
});

Deno.test("tools: a call that is written as text is no answer; the model is reminded", async () => {
  using run = toolLoop(
    ['{"name": "look", "arguments": {}}', { toolCalls: [call("1", "look")] }, "done"],
    tools({ look: () => 1 }),
  );
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.finalText, "done");
  assert.match(
    said(run.llm.requests[1]?.messages).at(-1)!.content,
    /written as text, so nothing was called/,
  );
});

Deno.test("tools: a session may go on under the other protocol, both ways", async () => {
  const store = new MemoryStore();
  const set = tools({ look: () => "a result" });
  using first = toolLoop([{ text: "I look.", toolCalls: [call("1", "look")] }, "seen"], set, {
    store,
  });
  await first.loop.run({ sessionId: "s", message: "one" });
  using second = fixture(["```js\nfunction run() { answer(1) }\n```"], {
    store,
    sandbox: { executions: [{ answerJson: '"two"' }] },
  } as FixtureOptions);
  await second.loop.run({ sessionId: "s", message: "two" });
  assert.deepEqual(
    said(second.llm.requests[0]?.messages).map(({ role, content }) => `${role}: ${content}`),
    [
      "user: one",
      "assistant: I look.\n[called look({})]",
      "user: [result of look]\na result",
      "assistant: seen",
      "user: two",
    ],
  );
  using third = toolLoop(["three"], set, { store });
  await third.loop.run({ sessionId: "s", message: "three" });
  const roles = said(third.llm.requests[0]?.messages).map(({ role }) => role);
  assert.deepEqual(roles.slice(0, 4), ["user", "assistant", "tool", "assistant"]);
});

Deno.test("tools: a run that was killed between a call and its result is said with a word in the result's place", async () => {
  const store = new MemoryStore();
  const set = tools({ look: () => "x" });
  using first = toolLoop([{ toolCalls: [call("1", "look"), call("2", "look")] }], set, { store });
  const ending = new AbortController();
  let calls = 0;
  const stop = {
    callable: () =>
      set.callable().map((tool) => ({
        ...tool,
        hostFunction: {
          ...tool.hostFunction,
          execute: () => {
            if (++calls === 2) ending.abort();
            return "x";
          },
        },
      })),
  };
  await first.loop.run({ sessionId: "s", message: "one", signal: ending.signal, tools: stop });
  using second = toolLoop(["fine"], set, { store });
  await second.loop.run({ sessionId: "s", message: "two" });
  const results = said(second.llm.requests[0]?.messages).filter(({ role }) => role === "tool");
  assert.deepEqual(results.map(({ toolCallId, content }) => [toolCallId, content]), [
    ["1", "x"],
    ["2", "[The run ended before this call's result was kept.]"],
  ]);
});

Deno.test("tools: createLoop and run refuse what cannot be meant", async () => {
  using run = toolLoop([], tools({}));
  const { llm, store } = run;
  const parts = { llm, sessions: store, steps: store };
  assert.throws(
    () => createLoop({ ...parts, protocol: "python" as "code" }),
    /must be one of code, code-tool, auto, tools, got "python"/,
  );
  assert.throws(() => createLoop(parts), /sandboxBuilder/);
  assert.throws(
    () => createLoop({ ...parts, protocol: "tools", tools: {} as ToolSet }),
    /callable/,
  );
  const loop = createLoop({ ...parts, protocol: "tools" });
  await assert.rejects(() => loop.run({ sessionId: "s", message: "go" }), /tools/);
});

Deno.test("tools: arguments that a client hands over broken and unmarked end no run", async () => {
  const broken = { id: "x", name: "look", argumentsJson: '{"a":' };
  const reading = { id: "y", name: "read_result", argumentsJson: "{" };
  for (const protocol of ["tools", "code-tool"] as const) {
    const seen: Message[][] = [];
    using run = fixture([], {});
    const calls = protocol === "tools"
      ? [broken, reading]
      : [{ ...broken, name: "run_javascript" }];
    const loop = createLoop({
      protocol,
      tools: tools({ look: () => 1 }),
      sandboxBuilder: run.sandboxBuilder,
      sessions: run.store,
      steps: run.store,
      llm: {
        complete: ({ messages, model = "m" }) => {
          seen.push([...messages]);
          const usage = { prompt: 1, completion: 1 };
          return Promise.resolve(
            seen.length === 1
              ? { text: "", toolCalls: calls, finishReason: "tool_calls", usage, model }
              : { text: "done", finishReason: "stop", usage, model },
          );
        },
      },
    });
    const result = await loop.run({ sessionId: "s", message: "go" });
    assert.deepEqual(
      [result.status, result.finalText],
      ["completed", "done"],
      result.error?.message,
    );
  }
});

Deno.test("tools: calls of a client's own are said again as they are kept, whatever it does with them afterwards", async () => {
  const providerMetadata = { signature: "one", none: undefined, at: new Date(0) };
  const given = [
    { id: "a", name: "f", argumentsJson: "{}", providerMetadata },
    { id: "b", name: "f", argumentsJson: "{}", ofItsOwn: 1 },
    { id: 3 as unknown as string, name: "f", argumentsJson: "{}" },
  ];
  const requests: (readonly Message[])[] = [];
  const store = new MemoryStore();
  const { loop } = toolLoop([], tools({ f: () => "ran" }), {
    store,
    config: {
      llm: {
        complete({ messages }) {
          requests.push(structuredClone(messages));
          providerMetadata.signature = "other";
          const isFirst = requests.length === 1;
          return Promise.resolve({
            text: isFirst ? "" : "done",
            model: "m",
            finishReason: isFirst ? "tool_calls" : "stop",
            usage: { prompt: 1, completion: 1 },
            ...(isFirst ? { toolCalls: given } : {}),
          });
        },
      },
    },
  });
  await loop.run({ sessionId: "s", message: "go" });
  await loop.run({ sessionId: "s", message: "go on" });
  const [, second = [], third = []] = requests;
  assert.deepEqual(third.slice(0, second.length), second);
  assert.deepEqual(second[2]?.toolCalls?.map(({ id }) => id), ["a", "b"]);
});
