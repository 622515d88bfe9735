import { deepEqual, equal, match, rejects } from "node:assert/strict";
import type { AgentLoopError } from "../contracts/errors.ts";
import type { LoopConfig } from "../contracts/loop.ts";
import type { CallableTool } from "../contracts/tool.ts";
import { scriptedClient, type ScriptedStep } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { keepFacts } from "./_fact_keeper.ts";
import { block, fixture } from "./_run_fixture.ts";
import { Waiting, YES } from "./_waiting_fixture.ts";
import { compactSession, type CompactSessionOptions } from "./compact_session.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";

async function session(runs: number): Promise<MemoryStore> {
  const store = new MemoryStore();
  using made = fixture(
    Array.from({ length: runs }, (_, n) => `FACT ${n}. ${"So it is. ".repeat(20)}`),
    { store },
  );
  for (let n = 0; n < runs; n++) await made.loop.run({ sessionId: "s", message: `Message ${n}` });
  return store;
}

function options(store: MemoryStore, reply: ScriptedStep = keepFacts): CompactSessionOptions {
  const llm = scriptedClient([], { otherwise: reply, usage: { prompt: 9, completion: 1 } });
  return {
    steps: store,
    sessionId: "s",
    compactor: new SummarizingCompactor({ llm, keep: 2 }),
    now: () => new Date(0),
    random: () => 0.5,
  };
}

Deno.test("compactSession: a short session is folded on demand, with a wish, and the next run goes on from there", async () => {
  const store = await session(4);
  let wish = "";
  const reply: ScriptedStep = (request) => {
    wish = request.messages[0]?.content ?? "";
    return "They said FACT 0 to 2.";
  };
  const result = await compactSession({ ...options(store, reply), instruction: "be brief" });
  deepEqual(result, {
    stored: true,
    messagesBefore: 8,
    messagesAfter: 3,
    tokens: { prompt: 9, completion: 1 },
    summary: "They said FACT 0 to 2.",
    retainFromStep: 6,
  });
  match(wish, /be brief$/);
  const [step] = await store.lastN("s", 1);
  deepEqual([step?.stepType, step?.stepIndex, step?.promptTokens], ["summary", 8, 9]);
  using made = fixture(["5"], { store });
  await made.loop.run({ sessionId: "s", message: "x" });
  match(
    made.llm.requests[0]?.messages[1]?.content ?? "",
    /^\[Summary of .*\nThey said FACT 0 to 2\.\n\nMessage 3$/,
  );
});

Deno.test("compactSession: all of a session may be folded; nothing of it is then replayed", async () => {
  const store = await session(2);
  const compactor = new SummarizingCompactor({ llm: scriptedClient(["All."]), keep: 0 });
  const { retainFromStep } = await compactSession({ ...options(store), compactor });
  equal(retainFromStep, 4);
  using made = fixture(["5"], { store });
  await made.loop.run({ sessionId: "s", message: "x" });
  deepEqual(made.llm.requests[0]?.messages.slice(1), [
    { role: "user", content: "[Summary of the conversation so far]\nAll.\n\nx" },
  ]);
});

Deno.test("compactSession: an empty or unknown session, and a compactor that changes nothing, store nothing", async () => {
  const store = await session(1);
  const nothing = { stored: false, tokens: { prompt: 0, completion: 0 } };
  deepEqual(await compactSession({ ...options(store), sessionId: "unknown" }), {
    ...nothing,
    messagesBefore: 0,
    messagesAfter: 0,
  });
  const compactor = new SummarizingCompactor();
  deepEqual(await compactSession({ ...options(store), compactor }), {
    ...nothing,
    messagesBefore: 2,
    messagesAfter: 2,
  });
  equal((await store.lastN("s", Infinity)).length, 2);
});

Deno.test("compactSession: a failure is thrown with the tokens that it cost", async () => {
  const store = await session(4);
  await rejects(compactSession(options(store, "")), (error: AgentLoopError) => {
    deepEqual([error.code, error.tokens], ["model_empty", { prompt: 9, completion: 1 }]);
    return true;
  });
});

Deno.test("compactSession: what is appended meanwhile stays as it is", async () => {
  const store = await session(4);
  const reply: ScriptedStep = async () => {
    using late = fixture(["late answer"], { store });
    await late.loop.run({ sessionId: "s", message: "late" });
    return "Short.";
  };
  await compactSession(options(store, reply));
  using made = fixture(["5"], { store });
  await made.loop.run({ sessionId: "s", message: "x" });
  const sent = made.llm.requests[0]?.messages.map(({ content }) => content) ?? [];
  deepEqual(sent.slice(-3), ["late", "late answer", "x"]);
});

Deno.test("compactSession: what callers may not hand in", async () => {
  const store = new MemoryStore();
  const given = options(store);
  await rejects(compactSession({ ...given, sessionId: "" }), TypeError);
  await rejects(
    compactSession({ ...given, steps: {} as never }),
    /lacks the methods append and lastN/,
  );
  await rejects(compactSession({ ...given, compactor: undefined as never }), TypeError);
  await rejects(compactSession({ ...given, historyWindow: -1 }), RangeError);
  await rejects(compactSession({ ...given, redacter: {} } as never), {
    name: "TypeError",
    message: /^compactSession: there is no option redacter; there are steps, .*redactor/,
  });
});

Deno.test("compactSession: a script and calls that wait for a word stay, so that what comes of them can be told", async () => {
  for (const protocol of ["code", "code-tool", "tools"] as const) {
    const w = new Waiting();
    const declared: CallableTool = {
      declaration: { name: "send", description: "Sends", parameters: { type: "object" } },
      hostFunction: w.functions.find(({ name }) => name === "send")!,
      safe: false,
    };
    const source = `async function run() { /* ${"x".repeat(3000)} */ return await send(1); }`;
    const [reply, config]: [ScriptedStep, Partial<LoopConfig>] = protocol === "tools"
      ? [{ toolCalls: [{ id: "c1", name: "send", arguments: { to: "y".repeat(3000) } }] }, {
        protocol,
        tools: { callable: () => [declared] },
      }]
      : protocol === "code"
      ? [block(source), { protocol }]
      : [
        { toolCalls: [{ id: "c1", name: "run_javascript", arguments: { code: source } }] },
        { protocol },
      ];
    const said = "So it is. ".repeat(20);
    using first = w.open([said, reply], { config });
    await first.loop.run({ sessionId: "s", message: "Hello" });
    await first.loop.run({ sessionId: "s", message: "Send it" });
    const result = await compactSession(options(w.store, "SUMMARY"));
    equal(result.stored, true);
    using second = w.open(["over", "more"], { config });
    equal((await second.loop.resume(YES)).finalText, "over");
    equal(w.done.length, 1);
    const told = second.llm.requests[0]!.messages.slice(1);
    deepEqual(told.map(({ role }) => role), [
      "user",
      "assistant",
      protocol === "code" ? "user" : "tool",
    ]);
    match(told[0]!.content, /SUMMARY[\s\S]*Send it/);
    match(told[2]!.content, /sent/);
    equal(told[2]!.toolCallId, protocol === "code" ? undefined : "c1");
    // The next run begins as this one did.
    await second.loop.run({ sessionId: "s", message: "And?" });
    deepEqual(second.llm.requests[1]!.messages.slice(1, 4).map(({ role }) => role), [
      ...told.map(({ role }) => role),
    ]);
    equal(second.llm.requests[1]!.messages[1]!.content, told[0]!.content);
  }
});
