import assert from "node:assert/strict";
import type { Compactor } from "../contracts/compaction.ts";
import type { LoopConfig, LoopProtocol } from "../contracts/loop.ts";
import type { Message } from "../contracts/model.ts";
import type { ScriptedReply, ScriptedStep } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { fixture } from "./_run_fixture.ts";
import { compactSession } from "./compact_session.ts";

function scriptCall(id: string, code: string): ScriptedReply {
  return { toolCalls: [{ id, name: "run_javascript", arguments: { code } }] };
}

function codeLoop(
  replies: readonly ScriptedStep[],
  protocol: LoopProtocol,
  store = new MemoryStore(),
) {
  return fixture(replies, { store, config: { protocol } });
}

function said(messages: readonly Message[] = []): Message[] {
  return messages.filter(({ role }) => role !== "system");
}

const LOOK = "function run() {\n  // counts\n  log('two');\n  return { n: 2 };\n}";
const TELL = "function run(args) { answer('there are ' + args.n); }";

Deno.test("code-tool: scripts come as calls of one tool and are said as such; an old one becomes its line", async () => {
  using run = codeLoop([
    { ...scriptCall("c1", LOOK), text: "Let me look." },
    scriptCall("c2", "function run(args) { return args; }"),
    scriptCall("c3", TELL),
  ], "code-tool");
  const result = await run.loop.run({ sessionId: "s", message: "How many?" });
  assert.equal(result.finalText, "there are 2");
  const [first, second, third] = run.llm.requests;
  assert.deepEqual(first?.tools?.map(({ name }) => name), ["run_javascript"]);
  assert.match(first!.messages[0]!.content, /call the tool `run_javascript`/);
  assert.ok(!first!.messages[0]!.content.includes("block"));
  const [user, script, told] = said(second?.messages);
  assert.equal(user?.content, "How many?");
  assert.deepEqual(script, {
    role: "assistant",
    content: "",
    toolCalls: [{
      id: "c1",
      name: "run_javascript",
      argumentsJson: JSON.stringify({ code: LOOK }),
    }],
  });
  assert.deepEqual([told?.role, told?.toolCallId], ["tool", "c1"]);
  assert.match(told!.content, /two/);
  assert.deepEqual(
    said(third?.messages)[1]?.toolCalls?.[0]?.argumentsJson,
    JSON.stringify({ code: "[script of 5 lines, already run: counts]" }),
  );
});

Deno.test("code-tool and code: a script that calls run itself at its end is run once", async () => {
  const own = "function run(args) { answer('four'); }";
  const source = `${own}\nrun(args);`;
  const block = `\`\`\`javascript\n${source}\n\`\`\``;
  for (
    const [protocol, reply] of [["code-tool", scriptCall("c1", source)], ["code", block]] as const
  ) {
    using run = codeLoop([reply], protocol);
    await run.loop.run({ sessionId: "s", message: "How many?" });
    assert.deepEqual(run.sandboxBuilder.evaluated.map(({ source }) => source), [own]);
  }
});

Deno.test("code-tool: a later run says the past as it was said", async () => {
  using run = codeLoop([scriptCall("c1", LOOK), "Two.", "Still two."], "code-tool");
  await run.loop.run({ sessionId: "s", message: "one" });
  await run.loop.run({ sessionId: "s", message: "two" });
  const [, second, third] = run.llm.requests;
  assert.deepEqual(third?.messages.slice(0, second?.messages.length), second?.messages);
});

Deno.test("code-tool: only the first script of a reply runs, and a block in the text does where there is no call", async () => {
  using run = codeLoop([
    { toolCalls: [...scriptCall("a", LOOK).toolCalls!, ...scriptCall("b", TELL).toolCalls!] },
    `\`\`\`js\n${TELL}\n\`\`\``,
  ], "code-tool");
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.finalText, "there are 2");
  assert.equal(run.sandboxBuilder.evaluated.length, 2);
  assert.match(said(run.llm.requests[1]?.messages).at(-1)!.content, /1 (?:other|more)/);
});

Deno.test("TOL-06: a script that broke off is not run, whatever the finish reason says", async () => {
  for (const finishReason of ["length", "tool_calls"] as const) {
    const cut = {
      toolCalls: [{
        id: "x",
        name: "run_javascript",
        arguments: '{"code":"function run() { log(1)',
      }],
      finishReason,
    };
    using run = codeLoop([cut, scriptCall("y", LOOK), "ok"], "code-tool");
    const result = await run.loop.run({ sessionId: "s", message: "go" });
    assert.equal(result.finalText, "ok");
    assert.equal(run.sandboxBuilder.evaluated.length, 1);
    assert.match(
      said(run.llm.requests[1]?.messages).at(-1)!.content,
      /cut off, so nothing was run/,
    );
  }
});

Deno.test("code-tool: another tool, or code without run, is answered with what is missing", async () => {
  using run = codeLoop([
    { toolCalls: [{ id: "1", name: "fetch", arguments: { url: "x" } }] },
    scriptCall("2", "log(1)"),
    "ok",
  ], "code-tool");
  await run.loop.run({ sessionId: "s", message: "go" });
  const [, second, third] = run.llm.requests;
  assert.match(said(second?.messages).at(-1)!.content, /the tool run_javascript.*only tool/);
  assert.match(said(third?.messages).at(-1)!.content, /does not define run/);
});

Deno.test("auto: stays with blocks while the model keeps the form, and offers no tool", async () => {
  using run = codeLoop([`\`\`\`js\n${LOOK}\n\`\`\``, "Two."], "auto");
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.finalText, "Two.");
  assert.deepEqual(run.llm.requests.map(({ tools }) => tools), [undefined, undefined]);
});

Deno.test("auto: a model that does not keep the form after a reminder gets the tool, in this run and in later ones of the session", async () => {
  const store = new MemoryStore();
  using run = codeLoop(
    [
      `\`\`\`js\n${LOOK}\n\`\`\``,
      "```python\nanswer(2)\n```",
      "```python\nanswer(2)\n```",
      scriptCall("c", TELL),
    ],
    "auto",
    store,
  );
  const { events, onEvent } = run;
  const result = await run.loop.run({ sessionId: "s", message: "go", onEvent });
  assert.equal(result.finalText, "there are 2");
  assert.deepEqual(run.llm.requests.map(({ tools }) => tools?.length), [
    undefined,
    undefined,
    undefined,
    1,
  ]);
  const last = run.llm.requests[3];
  assert.match(last!.messages[0]!.content, /call the tool `run_javascript`/);
  const roles = said(last?.messages).map(({ role, toolCalls }) =>
    `${role}${toolCalls ? "+call" : ""}`
  );
  assert.deepEqual(roles.slice(0, 3), ["user", "assistant+call", "tool"]);
  const told = events.filter(({ type, content }) =>
    type === "warning" && /run_javascript/.test(String(content))
  );
  assert.equal(told.length, 2); // that it changes, and the reminder itself
  using later = codeLoop(["ok"], "auto", store);
  await later.loop.run({ sessionId: "s", message: "again" });
  assert.equal(later.llm.requests[0]?.tools?.length, 1);
});

const SAY = "function run() { answer('two'); }";
const WRONG = "```python\nanswer(2)\n```";

/** A session whose model was offered the tool, and what it then said. */
async function changed(
  replies: readonly ScriptedStep[],
  config: Partial<LoopConfig> = {},
): Promise<MemoryStore> {
  const store = new MemoryStore();
  using run = fixture([WRONG, WRONG, ...replies], {
    store,
    config: { protocol: "auto", ...config },
  });
  const { status } = await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(status, config.maxIterations === undefined ? "completed" : "max_iterations");
  return store;
}

/** Whether the next run of a session begins with the tool. */
async function beginsWithTool(
  store: MemoryStore,
  config: Partial<LoopConfig> = {},
): Promise<boolean> {
  using later = fixture(["ok"], { store, config: { protocol: "auto", ...config } });
  await later.loop.run({ sessionId: "s", message: "again" });
  return later.llm.requests[0]?.tools?.length === 1;
}

/** Folds all but the last message. */
const FOLD: Compactor = {
  compact: (messages) =>
    Promise.resolve({
      messages: [{ role: "user", content: "[Summary]" }, ...messages.slice(-1)],
      summary: "It was counted.",
      retainedFrom: messages.length - 1,
      tokens: { prompt: 0, completion: 0 },
    }),
};

Deno.test("auto: that the model is offered the tool outlives the summary of its scripts, also the summary of that", async () => {
  const store = await changed([scriptCall("c", SAY)]);
  for (let n = 0; n < 3; n++) {
    assert.ok(await beginsWithTool(store, { compactor: FOLD }), `run ${n}`);
  }
  const steps = await store.lastN("s", 50);
  assert.equal(steps.filter(({ stepType }) => stepType === "summary").length, 3);
});

Deno.test("auto: it outlives a summary that was asked for between two runs, and one of a run that calls tools", async () => {
  const between = await changed([scriptCall("c", SAY)]);
  const { stored } = await compactSession({ steps: between, sessionId: "s", compactor: FOLD });
  assert.ok(stored);
  assert.ok(await beginsWithTool(between));
  const store = await changed([scriptCall("c", SAY)]);
  using other = fixture(["fine"], {
    store,
    config: { protocol: "tools", tools: { callable: () => [] }, compactor: FOLD },
  });
  await other.loop.run({ sessionId: "s", message: "by name" });
  assert.equal((await store.lastN("s", 9)).some(({ stepType }) => stepType === "summary"), true);
  assert.ok(await beginsWithTool(store));
});

Deno.test("auto: it is known also where no script came as a call after that, and where scripts left the window", async () => {
  for (const replies of [["in words"], [`\`\`\`js\n${SAY}\n\`\`\``]]) {
    assert.ok(await beginsWithTool(await changed(replies)), String(replies));
  }
  assert.ok(await beginsWithTool(await changed([WRONG], { maxIterations: 3 })));
  const store = await changed([scriptCall("c", SAY)]);
  for (const historyWindow of [4, 4, 4, 0]) {
    assert.ok(await beginsWithTool(store, { historyWindow }), `${historyWindow}`);
  }
});

Deno.test("auto: a script that came as a block since then, under code, is what counts", async () => {
  const store = await changed([scriptCall("c", SAY)]);
  using run = codeLoop([`\`\`\`js\n${SAY}\n\`\`\``], "code", store);
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(await beginsWithTool(store, { compactor: FOLD }), false);
  assert.equal(await beginsWithTool(store), false);
});

Deno.test("auto: a reply that was cut says nothing about the form", async () => {
  const cut = { text: "```js\nfunction run() {", finishReason: "length" as const };
  using run = codeLoop([cut, cut, cut, "ok"], "auto");
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.deepEqual(run.llm.requests.map(({ tools }) => tools), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("a session may change between all protocols", async () => {
  const store = new MemoryStore();
  const runs: [LoopProtocol, ScriptedStep[]][] = [
    ["code", [`\`\`\`js\n${LOOK}\n\`\`\``, "one"]],
    ["code-tool", [scriptCall("c", SAY)]],
    ["code", ["three"]],
  ];
  for (const [protocol, replies] of runs) {
    using run = codeLoop(replies, protocol, store);
    const result = await run.loop.run({ sessionId: "s", message: protocol });
    assert.equal(result.status, "completed");
    const messages = said(run.llm.requests.at(-1)?.messages);
    const shapes = messages.map(({ role, toolCalls }) => toolCalls ? "call" : role);
    if (protocol === "code-tool") {
      assert.deepEqual(shapes.slice(0, 4), ["user", "call", "tool", "assistant"]);
    } else assert.ok(!shapes.includes("call") && !shapes.includes("tool"));
  }
});
