import assert from "node:assert/strict";
import type { ApprovalDecision, Approve } from "../contracts/approval.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { LoopConfig } from "../contracts/loop.ts";
import type { Message } from "../contracts/model.ts";
import type { SessionStore } from "../contracts/session.ts";
import type { NewRunStep, RunStep } from "../contracts/step.ts";
import type { CallableTool, ToolSet } from "../contracts/tool.ts";
import type { ScriptedStep } from "../llm/scripted.ts";
import { Redactor } from "../redact/redactor.ts";
import { MemoryStore } from "../stores/memory.ts";
import { fixture } from "./_run_fixture.ts";
import { DefaultPolicy } from "./policy.ts";

/** What was really done, in order. */
type Done = string[];

function tools(done: Done, onSend: (args: JsonValue) => void = () => {}): ToolSet {
  const tool = (name: string, sideEffect: boolean): CallableTool => ({
    declaration: { name, description: name, parameters: { type: "object" } },
    hostFunction: {
      name,
      sideEffect,
      target: () => `the ${name}`,
      execute: ([args]) => {
        done.push(`${name} ${JSON.stringify(args)}`);
        if (name === "send") onSend(args!);
        return `${name} done`;
      },
    },
    safe: false,
  });
  const callable = [tool("look", false), tool("send", true)];
  return { callable: () => callable };
}

const WAIT: Approve = () => ({ decision: "wait" });

function toolLoop(
  replies: readonly ScriptedStep[],
  { store, done, approve = WAIT, onSend, config }: {
    readonly store: MemoryStore;
    readonly done: Done;
    readonly approve?: Approve;
    readonly onSend?: (args: JsonValue) => void;
    readonly config?: Partial<LoopConfig>;
  },
) {
  return fixture(replies, {
    store,
    config: {
      protocol: "tools",
      tools: tools(done, onSend),
      policy: new DefaultPolicy(),
      approve,
      calls: store,
      ...config,
    },
  });
}

const BATCH: ScriptedStep = {
  toolCalls: [
    { id: "a", name: "look" },
    { id: "b", name: "send", arguments: { to: "x" } },
    { id: "c", name: "look", arguments: { again: true } },
  ],
};

Deno.test("resume: where the tool is not there that is waited at, it says so and the run goes on waiting", async () => {
  const { store, done } = await waiting();
  using without = fixture([], {
    store,
    config: { protocol: "tools", tools: { callable: () => [] }, approve: WAIT, calls: store },
  });
  const word = { sessionId: "s", decision: { decision: "approve" } } as const;
  const { status, error } = await without.loop.resume(word);
  assert.deepEqual([status, error?.code], ["error", "config"]);
  assert.match(error!.message, /session s waits at a call of send, and there is no such function/);
  using run = toolLoop(["over"], { store, done });
  assert.equal((await run.loop.resume(word)).finalText, "over");
  assert.equal(done.filter((one) => one.startsWith("send")).length, 1);
});

/** A session that waits at `send`. */
async function waiting() {
  const store = new MemoryStore();
  const done: Done = [];
  using run = toolLoop([BATCH], { store, done });
  const { events, onEvent } = run;
  const result = await run.loop.run({ sessionId: "s", message: "go", onEvent });
  return { store, done, result, events };
}

function results(messages: readonly Message[] = []): string[] {
  return messages.filter(({ role }) => role === "tool")
    .map(({ toolCallId, content }) => `${toolCallId}: ${content}`);
}

Deno.test("waiting: a run ends at a call on which there is no word yet; what came before is done, what comes after is not", async () => {
  const { store, done, result, events } = await waiting();
  assert.equal(result.status, "waiting");
  assert.equal(result.error, undefined);
  assert.deepEqual(result.pending, {
    callId: "b",
    name: "send",
    target: "the send",
    args: [{ to: "x" }],
    reason: 'it has consequences outside; allowTools: ["send"] lets it pass',
  });
  assert.deepEqual(done, ["look {}"]);
  assert.equal(events.at(-1)?.type, "done");
  assert.equal(events.find(({ type }) => type === "approval_pending") === undefined, false);
  const rows = await store.calls("s");
  assert.deepEqual(rows.map(({ name }) => name), ["look"]);
});

Deno.test("resume: the call is made as the word says, with changed arguments, which the model is told; nothing is done twice", async () => {
  const words: [ApprovalDecision, string[], RegExp][] = [
    [{ decision: "approve" }, ['send {"to":"x"}'], /^b: send done$/],
    [
      { decision: "approve", args: [{ to: "y" }] },
      ['send {"to":"y"}'],
      /^b: \[the user changed the arguments of send to \[\{"to":"y"\}\]\]\nsend done$/,
    ],
    [{ decision: "deny", reason: "not him" }, [], /^b: .*the user said no: not him/],
  ];
  for (const [decision, sent, told] of words) {
    const { store, done } = await waiting();
    using run = toolLoop(["finished"], { store, done });
    const result = await run.loop.resume({ sessionId: "s", decision: decision as never });
    assert.deepEqual([result.status, result.finalText], ["completed", "finished"]);
    assert.deepEqual(done, ["look {}", ...sent, 'look {"again":true}']);
    const [first, second, third] = results(run.llm.requests[0]?.messages);
    assert.equal(first, "a: look done");
    assert.match(second!, told);
    assert.equal(third, "c: look done");
    // It waits no more.
    const again = await run.loop.resume({ sessionId: "s", decision: { decision: "approve" } });
    assert.equal(again.error?.code, "not_waiting");
    assert.equal(done.length, 2 + sent.length);
  }
});

Deno.test("resume: the word holds also where the policy would not ask any more, and another call is asked about anew", async () => {
  const { store, done } = await waiting();
  using run = toolLoop([{ toolCalls: [{ id: "d", name: "send", arguments: { to: "z" } }] }], {
    store,
    done,
  });
  const result = await run.loop.resume({ sessionId: "s", decision: { decision: "approve" } });
  assert.equal(result.status, "waiting");
  assert.equal(result.pending?.callId, "d");
  using last = toolLoop(["over"], { store, done });
  const wrong = await last.loop.resume({
    sessionId: "s",
    callId: "b",
    decision: { decision: "approve" },
  });
  assert.equal(wrong.error?.code, "not_waiting");
  assert.match(wrong.error!.message, /waits at the call d, not at b/);
  const end = await last.loop.resume({
    sessionId: "s",
    callId: "d",
    decision: { decision: "approve" },
  });
  assert.equal(end.finalText, "over");
  assert.deepEqual(done.filter((one) => one.startsWith("send")), [
    'send {"to":"x"}',
    'send {"to":"z"}',
  ]);
});

Deno.test("resume: of several calls that wait at once each gets its own word, one after the other", async () => {
  const store = new MemoryStore();
  const done: Done = [];
  const set: ToolSet = {
    callable: () => tools(done).callable().map((tool) => ({ ...tool, safe: true })),
  };
  const config = { tools: set };
  using run = toolLoop([{
    toolCalls: ["a", "b", "c"].map((id) => ({ id, name: "send", arguments: { id } })),
  }], { store, done, config });
  assert.equal((await run.loop.run({ sessionId: "s", message: "go" })).pending?.callId, "a");
  for (const [id, next] of [["a", "b"], ["b", "c"]] as const) {
    using more = toolLoop([], { store, done, config });
    const { status, pending } = await more.loop.resume({ ...YES, callId: id });
    assert.deepEqual([status, pending?.callId], ["waiting", next]);
  }
  using last = toolLoop(["over"], { store, done, config });
  const no = { sessionId: "s", decision: { decision: "deny", reason: "not that one" } } as const;
  assert.equal((await last.loop.resume(no)).finalText, "over");
  assert.deepEqual(done, ['send {"id":"a"}', 'send {"id":"b"}']);
  const [first, second, third] = results(last.llm.requests[0]?.messages);
  assert.deepEqual([first, second], ["a: send done", "b: send done"]);
  assert.match(third!, /the user said no: not that one/);
});

Deno.test("resume: a process that died while it made the call leaves one whose outcome is not known; it is not made again", async () => {
  const { store, done } = await waiting();
  const died = new AbortController();
  using first = toolLoop([], { store, done, onSend: () => died.abort() });
  await first.loop.resume({
    sessionId: "s",
    decision: { decision: "approve" },
    signal: died.signal,
  });
  assert.deepEqual(done.at(-1), 'send {"to":"x"}');
  using second = toolLoop(["looked"], { store, done });
  const result = await second.loop.resume({ sessionId: "s", decision: { decision: "approve" } });
  assert.equal(result.finalText, "looked");
  assert.equal(done.filter((one) => one.startsWith("send")).length, 1);
  const told = results(second.llm.requests[0]?.messages);
  assert.match(told[1]!, /^b: Error: the program ended while this call was under way/);
  assert.equal(told[2], "c: look done");
});

Deno.test("resume: of two that go on at once one does", async () => {
  const { store, done } = await waiting();
  using run = toolLoop(["once"], { store, done });
  const ends = await Promise.all(
    [1, 2].map(() => run.loop.resume({ sessionId: "s", decision: { decision: "approve" } })),
  );
  assert.deepEqual(ends.map(({ status }) => status).sort(), ["completed", "error"]);
  assert.equal(ends.find(({ status }) => status === "error")?.error?.code, "not_waiting");
  assert.deepEqual(done, ["look {}", 'send {"to":"x"}', 'look {"again":true}']);
});

Deno.test("resume: a message in place of a word is answered, and the model is told that the call was not made", async () => {
  const { store, done } = await waiting();
  using run = toolLoop(["fine"], { store, done });
  await run.loop.run({ sessionId: "s", message: "never mind" });
  const told = results(run.llm.requests[0]?.messages);
  assert.deepEqual(told.map((one) => one.slice(0, 2)), ["a:", "b:", "c:"]);
  assert.match(told[1]!, /ended before this call's result was kept/);
  const late = await run.loop.resume({ sessionId: "s", decision: { decision: "approve" } });
  assert.equal(late.error?.code, "not_waiting");
  assert.deepEqual(done, ["look {}"]);
});

Deno.test("waiting: where no store keeps scripts, one cannot wait, so that there no word is a refusal", async () => {
  const store = new MemoryStore();
  const sessions: SessionStore = {
    get: (id) => store.get(id),
    exists: (id) => store.exists(id),
    updateData: (id, json) => store.updateData(id, json),
    finalize: (id, summary) => store.finalize(id, summary),
  };
  using run = fixture([
    "```js\nasync function run() { try { await send(); } catch (e) { answer(e.message); } }\n```",
  ], {
    store,
    sandbox: {
      functions: [{ name: "send", sideEffect: true, execute: () => 1 }],
    },
    config: { policy: new DefaultPolicy(), approve: WAIT, sessions },
  });
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.match(result.finalText, /nobody has decided yet, so it was not done/);
  const resumed = await run.loop.resume({ sessionId: "s", decision: { decision: "approve" } });
  assert.equal(resumed.error?.code, "not_waiting");
});

Deno.test("waiting: a session that is read in another order of runs, or by steps of nobody, waits for nothing", async () => {
  const store = new MemoryStore();
  const done: Done = [];
  using run = toolLoop([], { store, done });
  for (const sessionId of ["none", "s"]) {
    const result = await run.loop.resume({ sessionId, decision: { decision: "approve" } });
    assert.equal(result.error?.code, "not_waiting");
  }
  const steps: RunStep[] = await store.lastN("none", 10);
  assert.deepEqual(steps.map(({ stepType }) => stepType), ["error"]);
});

const KEYS = Redactor.fromSecrets({ KEY: "swordfish-9" });
const WITH_KEY: ScriptedStep = {
  toolCalls: [
    { id: "a", name: "send", arguments: { key: "swordfish-9" } },
    { id: "b", name: "send", arguments: { to: "x" } },
    { id: "c", name: "look", arguments: { key: "swordfish-9" } },
  ],
};
const YES = { sessionId: "s", decision: { decision: "approve" } } as const;

Deno.test("resume: calls are made with what they were given, although the trace holds no secret", async () => {
  const store = new MemoryStore();
  const done: Done = [];
  const config = { redactor: KEYS };
  using first = toolLoop([WITH_KEY], { store, done, config });
  const { events, onEvent } = first;
  const { pending } = await first.loop.run({ sessionId: "s", message: "go", onEvent });
  assert.deepEqual(pending?.args, [{ key: "[redacted]" }]);
  using second = toolLoop([], { store, done, config });
  assert.equal((await second.loop.resume({ ...YES, onEvent })).pending?.callId, "b");
  using third = toolLoop(["over"], { store, done, config });
  assert.equal((await third.loop.resume({ ...YES, onEvent })).finalText, "over");
  assert.deepEqual(done, [
    'send {"key":"swordfish-9"}',
    'send {"to":"x"}',
    'look {"key":"swordfish-9"}',
  ]);
  assert.equal(await store.scripts.kept("s"), undefined);
  const seen = [events, await store.lastN("s", 50), await store.calls("s"), third.llm.requests];
  assert.equal(JSON.stringify(seen).includes("swordfish-9"), false);
});

Deno.test("resume: what calls were given is forgotten with a message in place of the word", async () => {
  const store = new MemoryStore();
  const done: Done = [];
  using run = toolLoop([WITH_KEY, "fine"], { store, done, config: { redactor: KEYS } });
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.ok(JSON.stringify(await store.scripts.kept("s")).includes("swordfish-9"));
  await run.loop.run({ sessionId: "s", message: "never mind" });
  assert.equal(await store.scripts.kept("s"), undefined);
});

Deno.test("resume: where no store keeps what a call was given, it is not made without its secret", async () => {
  const store = new MemoryStore();
  const done: Done = [];
  const sessions: SessionStore = {
    get: (id) => store.get(id),
    exists: (id) => store.exists(id),
    updateData: (id, json) => store.updateData(id, json),
    finalize: (id, summary) => store.finalize(id, summary),
  };
  const config = { redactor: KEYS, sessions };
  using first = toolLoop([WITH_KEY, "I cannot"], { store, done, config });
  // The model is told at once: nothing could be gone on with.
  const result = await first.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.finalText, "I cannot");
  assert.deepEqual(done, ['look {"key":"swordfish-9"}']);
  const [told] = (await store.lastN("s", 20)).filter((step) => step.stepType === "tool_result");
  assert.match(told!.content, /nobody has decided yet, so it was not done: a secret/);
});

Deno.test("waiting: a run that another message has overtaken does not wait for a word that could change nothing; its model is told", async () => {
  for (const protocol of ["tools", "code"] as const) {
    const store = new MemoryStore();
    const done: Done = [];
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: CallableTool = {
      declaration: { name: "slow", description: "slow", parameters: { type: "object" } },
      hostFunction: {
        name: "slow",
        execute: async () => {
          begun.resolve();
          await goOn.promise;
          return 1;
        },
      },
      safe: false,
    };
    const all = [...tools(done).callable(), slow];
    const first: ScriptedStep = protocol === "tools"
      ? { toolCalls: [{ id: "a", name: "slow" }, { id: "b", name: "send" }] }
      : "```js\nasync function run() { await slow({}); await send({}); }\n```";
    const open = (replies: readonly ScriptedStep[]) =>
      fixture(replies, {
        store,
        sandbox: { functions: all.map(({ hostFunction }) => hostFunction) },
        config: {
          protocol,
          ...(protocol === "tools" ? { tools: { callable: () => all } } : {}),
          policy: new DefaultPolicy(),
          approve: WAIT,
          random: Math.random,
        },
      });
    using one = open([first, "I could not send it"]);
    const running = one.loop.run({ sessionId: "s", message: "one" });
    await begun.promise;
    using other = open(["two"]);
    await other.loop.run({ sessionId: "s", message: "two" });
    goOn.resolve();
    const { status, finalText } = await running;
    assert.deepEqual([status, finalText, done], ["completed", "I could not send it", []]);
    const told = one.llm.requests[1]!.messages.at(-1)!.content;
    assert.match(told, /another message came to the session/);
    assert.equal(await store.scripts.kept("s"), undefined);
  }
});

Deno.test("resume: who is overtaken between two calls of a reply makes none of those that another process has made", async () => {
  const { store, done } = await waiting();
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const steps = {
    results: store.results,
    lastN: (id: string, n: number) => store.lastN(id, n),
    append: async (step: NewRunStep) => {
      // The process is stopped before it can say that it begins the second call.
      if (step.stepType === "tool_call" && step.toolArgs?.includes('"c"')) {
        held.resolve();
        await release.promise;
      }
      return await store.append(step);
    },
  };
  using first = toolLoop([], { store, done, config: { steps } });
  const running = first.loop.resume(YES);
  await held.promise;
  using second = toolLoop(["over"], { store, done });
  assert.equal((await second.loop.resume(YES)).finalText, "over");
  release.resolve();
  assert.equal((await running).error?.code, "not_waiting");
  assert.deepEqual(done, ["look {}", 'send {"to":"x"}', 'look {"again":true}']);
});
