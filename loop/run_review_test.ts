import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import type { HostFunction } from "../contracts/sandbox.ts";
import type { CallableTool, ToolSet } from "../contracts/tool.ts";
import type { LoopConfig, LoopProtocol } from "../contracts/loop.ts";
import type { AnswerReview, AnswerToReview } from "../contracts/review.ts";
import type { ScriptedStep } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { block, fixture, type FixtureOptions } from "./_run_fixture.ts";
import { createLoop } from "./create_loop.ts";
import { rebuildResult } from "./rebuild_result.ts";
import { AllowAll } from "./policy.ts";
import { scriptedClient } from "../llm/scripted.ts";

const REQUEST = { sessionId: "s", message: "Save it." };
const PROTOCOLS: readonly LoopProtocol[] = ["code", "code-tool", "auto", "tools"];

const SAVE: HostFunction = { name: "save", sideEffect: true, execute: () => "kept" };
const SAVE_TOOL: CallableTool = {
  declaration: { name: "save", description: "saves", parameters: { type: "object" } },
  hostFunction: SAVE,
  safe: false,
};
const TOOLS: ToolSet = { callable: () => [SAVE_TOOL] };

/** Objects to a text that says "saved" in a session in which nothing was. */
const review: AnswerReview = async ({ text, calls, sessionId }) => {
  const rows = await calls.calls(sessionId);
  if (!text.includes("saved") || rows.some(({ outcome }) => outcome === "ok")) return undefined;
  return {
    tell: "Nothing was saved: save it or say so.",
    warning: "(Unproven.)",
    claims: ["saved"],
  };
};

function reviewed(
  replies: readonly ScriptedStep[],
  { config, ...more }: FixtureOptions & { config?: Partial<LoopConfig> } = {},
) {
  const store = more.store ?? new MemoryStore();
  return fixture(replies, {
    sandbox: { functions: [SAVE] },
    ...more,
    store,
    config: {
      calls: store,
      policy: new AllowAll(),
      reviewAnswer: review,
      ...(config?.protocol === "tools" ? { tools: TOOLS } : {}),
      ...config,
    },
  });
}

for (const protocol of PROTOCOLS) {
  Deno.test(`review (${protocol}): a text is held back, the model told once, and what it insists on is given with a warning`, async () => {
    using made = reviewed(["I saved it.", "It is saved, really."], { config: { protocol } });
    const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
    deepEqual([result.status, result.finalText, result.flagged, result.forced], [
      "completed",
      "It is saved, really.\n\n(Unproven.)",
      true,
      undefined,
    ]);
    // Nothing of the first answer left the run, in pieces or whole.
    ok(!JSON.stringify(made.events).includes("I saved it."));
    const types = made.events.map(({ type }) => type);
    equal(types.filter((type) => type === "response_chunk").length, 0);
    deepEqual(types.filter((type) => /answer|response/.test(`${type}`)), [
      "answer_held_back",
      "response",
      "answer_flagged",
    ]);
    deepEqual(made.events.find(({ type }) => type === "answer_held_back"), {
      type: "answer_held_back",
      content: "Nothing was saved: save it or say so.",
      claims: ["saved"],
    });
    // The model saw its own text and what is wrong with it.
    deepEqual(made.llm.requests[1]?.messages.slice(-2), [
      { role: "assistant", content: "I saved it." },
      { role: "user", content: "Nothing was saved: save it or say so." },
    ]);
    equal(made.llm.requests.length, 2);
  });

  Deno.test(`review (${protocol}): a model that puts it right is told no more, and its answer is plain`, async () => {
    using made = reviewed(["I saved it.", "I did not save it."], { config: { protocol } });
    const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
    deepEqual([result.finalText, result.flagged], ["I did not save it.", undefined]);
    ok(!made.events.some(({ type }) => type === "answer_flagged"));
  });

  Deno.test(`review (${protocol}): the last turn's text is held back too, for one turn more, and that is all`, async () => {
    const config = { protocol, maxIterations: 1, forceFinalText: true };
    using made = reviewed(["saved", "saved!"], { config });
    const result = await made.loop.run(REQUEST);
    deepEqual([result.status, result.finalText, result.forced, result.flagged], [
      "completed",
      "saved!\n\n(Unproven.)",
      true,
      true,
    ]);
    const last = made.llm.requests[1]!.messages.at(-1)!.content;
    match(last, /Nothing was saved[\s\S]*any more/);
  });
}

Deno.test("review: what a script answers is held back, and a call that follows makes it true", async () => {
  using made = reviewed([
    block("async function run() { answer('saved'); }"),
    block("async function run() { await save(); answer('saved'); }"),
  ]);
  const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
  deepEqual([result.finalText, result.flagged], ["saved", undefined]);
  const told = made.llm.requests[1]!.messages;
  deepEqual(told.slice(-2).map(({ role }) => role), ["assistant", "user"]);
});

Deno.test("review: a long answer of a script is shown to the model again as far as its window allows", async () => {
  using made = reviewed(
    [block("function run() { answer('saved ' + 'x'.repeat(100_000)); }"), "no"],
    {
      config: { contextBudget: { maxTokens: 4096 } },
    },
  );
  const result = await made.loop.run(REQUEST);
  deepEqual([result.status, result.finalText], ["completed", "no"]);
  const shown = made.llm.requests[1]!.messages.at(-2)!.content;
  ok(shown.startsWith("saved x") && shown.length < 4096);
  // The trace has it whole.
  const steps = await made.store.lastN("s", 9);
  const held = steps.find(({ toolArgs }) => toolArgs?.includes("held_back"));
  ok(JSON.parse(held!.toolArgs!).reply.length > 100_000);
});

Deno.test("review: what follows DONE is held back", async () => {
  using made = reviewed(["DONE\nAll saved.", "DONE\nNothing was done."]);
  equal((await made.loop.run(REQUEST)).finalText, "Nothing was done.");
});

Deno.test("review: what is said beside calls at the last turn is an answer like any other", async () => {
  const call = { toolCalls: [{ id: "1", name: "save", arguments: {} }], text: "saved" };
  using made = reviewed([call, "not so"], { config: { protocol: "tools", maxIterations: 1 } });
  const result = await made.loop.run(REQUEST);
  deepEqual([result.finalText, result.forced, made.llm.requests.length], ["not so", true, 2]);
});

Deno.test("review: an answer held back at the last turn is given with its warning where the turn more brings none", async () => {
  const call = { toolCalls: [{ id: "1", name: "save", arguments: {} }] };
  using made = reviewed(["saved", call], { config: { protocol: "tools", maxIterations: 1 } });
  const result = await made.loop.run(REQUEST);
  deepEqual([result.finalText, result.flagged], ["saved\n\n(Unproven.)", true]);
});

Deno.test("review: where a limit ends the run the answer is given at once, with its warning", async () => {
  using made = reviewed(
    [block(
      "async function run() { await save(1); try { await save(2); } catch { answer('saved'); } }",
    )],
    {
      config: {
        limits: { hostCalls: 1 },
        reviewAnswer: () => ({ tell: "no", warning: "(No.)", claims: [] }),
      },
    },
  );
  const result = await made.loop.run(REQUEST);
  deepEqual([result.status, result.finalText, result.flagged], [
    "completed",
    "saved\n\n(No.)",
    true,
  ]);
});

Deno.test("review: held-back text and what was told of it are a step, which no later run is sent", async () => {
  const store = new MemoryStore();
  using made = reviewed(["I saved it.", "Not saved: I cannot."], {
    store,
    config: {
      reviewAnswer: (answer) => answer.text === "I saved it." ? review(answer) : undefined,
    },
  });
  await made.loop.run(REQUEST);
  const steps = await store.lastN("s", 9);
  deepEqual(steps.map(({ stepType }) => stepType), ["user", "error", "response"]);
  deepEqual(JSON.parse(steps[1]!.toolArgs!), {
    kind: "held_back",
    claims: "saved",
    reply: "I saved it.",
  });
  equal(steps[1]!.content, "Nothing was saved: save it or say so.");
  using next = reviewed(["Bye."], { store });
  await next.loop.run({ ...REQUEST, message: "Thanks." });
  deepEqual(next.llm.requests[0]!.messages.slice(1), [
    { role: "user", content: "Save it." },
    { role: "assistant", content: "Not saved: I cannot." },
    { role: "user", content: "Thanks." },
  ]);
});

Deno.test("review: a run that dies while its answer is held back leaves no answer, and the next one is told so", async () => {
  const store = new MemoryStore();
  const aborted = new AbortController();
  using made = reviewed(["I saved it."], { store });
  const result = await made.loop.run({
    ...REQUEST,
    signal: aborted.signal,
    onEvent: ({ type }) => type === "answer_held_back" && aborted.abort(),
  });
  deepEqual([result.status, result.finalText], ["error", ""]);
  using next = reviewed(["Bye."], { store });
  await next.loop.run({ ...REQUEST, message: "And?" });
  const sent = next.llm.requests[0]!.messages.map(({ content }) => content).join("\n");
  ok(!sent.includes("I saved it."));
  match(sent, /ended without an answer/);
});

Deno.test("review: it sees the text without secrets, the ids and the log, after every call has ended", async () => {
  const store = new MemoryStore();
  const seen: AnswerToReview[] = [];
  const outcomes: unknown[] = [];
  using made = reviewed([block("async function run() { await save(); answer('key SECRET'); }")], {
    store,
    config: {
      redactor: {
        redact: (text) => text.replaceAll("SECRET", "***"),
        stream: () => ({ push: (piece) => piece, flush: () => "" }),
      },
      reviewAnswer: async (answer) => {
        seen.push(answer);
        outcomes.push(
          ...(await answer.calls.calls("s")).map(({ name, outcome }) => [name, outcome]),
        );
        return undefined;
      },
    },
  });
  const result = await made.loop.run({ ...REQUEST, scope: { workspaceId: "w" }, userId: "u" });
  const { text, sessionId, runId, scope, userId } = seen[0]!;
  deepEqual({ text, sessionId, runId, scope, userId }, {
    text: "key ***",
    sessionId: "s",
    runId: result.runId,
    scope: { workspaceId: "w" },
    userId: "u",
  });
  deepEqual(outcomes, [["save", "ok"]]);
});

Deno.test("review: one that fails fails the run, and nothing of the answer is told", async () => {
  using made = reviewed(["I saved it."], {
    config: {
      reviewAnswer: () => {
        throw new Error("broken");
      },
    },
  });
  const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
  deepEqual([result.status, result.finalText], ["error", ""]);
  match(result.error!.message, /review the answer/);
  ok(!JSON.stringify(made.events).includes("I saved it."));
});

Deno.test("review: what came of a flagged run is read out of its kept events too", async () => {
  const store = new MemoryStore();
  using made = reviewed(["saved", "saved"], { store, config: { events: store.events } });
  const result = await made.loop.run(REQUEST);
  const rebuilt = rebuildResult(await store.events.read("s"));
  deepEqual([rebuilt?.finalText, rebuilt?.flagged], [result.finalText, true]);
});

Deno.test("review: createLoop wants a function, and the log that it looks into", () => {
  const store = new MemoryStore();
  const base = {
    llm: scriptedClient([]),
    sessions: store,
    steps: store,
    protocol: "tools" as const,
  };
  throws(() => createLoop({ ...base, reviewAnswer: review }), /reviewAnswer needs calls/);
  throws(
    () => createLoop({ ...base, calls: store, reviewAnswer: 1 as unknown as AnswerReview }),
    /reviewAnswer/,
  );
  throws(() => createLoop({ ...base, forceFinalText: 1 as unknown as boolean }), /forceFinalText/);
});

for (const protocol of ["code", "code-tool", "auto"] as const) {
  Deno.test(`forced text (${protocol}): at the last turn an answer is asked for, and marked`, async () => {
    const config = { protocol, maxIterations: 2, forceFinalText: true };
    using made = fixture([block("function run() { return 1; }"), "What I have."], { config });
    const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
    deepEqual([result.status, result.finalText, result.forced], [
      "completed",
      "What I have.",
      true,
    ]);
    match(made.llm.requests[1]!.messages.at(-1)!.content, /This is the last turn/);
    equal(made.events.find(({ type }) => type === "response")?.forced, true);
    deepEqual(made.llm.requests[1]?.tools, made.llm.requests[0]?.tools);
    // Without the wish, such a run ends without an answer.
    using plain = fixture([block("function run() { return 1; }")], {
      config: { protocol, maxIterations: 1 },
    });
    equal((await plain.loop.run(REQUEST)).status, "max_iterations");
  });

  Deno.test(`forced text (${protocol}): a script of the last turn can answer, and else what is said around it counts`, async () => {
    const config = { protocol, maxIterations: 1, forceFinalText: true };
    using answers = fixture([block("function run() { answer('4'); }")], { config });
    const first = await answers.loop.run(REQUEST);
    deepEqual([first.finalText, first.forced], ["4", true]);
    using speaks = fixture([`So far 4.\n\n${block("function run() { return 4; }")}`], { config });
    const second = await speaks.loop.run(REQUEST);
    deepEqual([second.finalText, second.forced], ["So far 4.", true]);
    using silent = fixture([block("function run() { return 4; }")], { config });
    equal((await silent.loop.run(REQUEST)).status, "max_iterations");
    using example = fixture(["Do this:\n```ts\nlet a = 1;\nanswer(a)\n```"], { config });
    equal((await example.loop.run(REQUEST)).forced, true);
  });
}

Deno.test("forced text (tools): without the wish the last turn is like any other", async () => {
  const store = new MemoryStore();
  using made = fixture([{ toolCalls: [{ id: "1", name: "save", arguments: {} }] }], {
    store,
    config: {
      calls: store,
      protocol: "tools",
      tools: TOOLS,
      policy: new AllowAll(),
      maxIterations: 1,
      forceFinalText: false,
    },
  });
  equal((await made.loop.run(REQUEST)).status, "max_iterations");
  equal(made.llm.requests[0]?.toolChoice, undefined);
  equal((await store.calls("s")).length, 1);
});

Deno.test("review: what a model is told of an answer is no reminder of the form, so that auto does not change for it", async () => {
  using made = reviewed(["saved", block("let x = 1;"), "no"], { config: { protocol: "auto" } });
  const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
  equal(result.finalText, "no");
  deepEqual(made.llm.requests.map(({ tools }) => tools), [undefined, undefined, undefined]);
});

Deno.test("review: an answer that was held back is given with its warning where the model cannot be asked any more", async () => {
  const usage = { prompt: 4000, completion: 900 };
  const ends: [FixtureOptions, readonly ScriptedStep[]][] = [
    [{ model: { usage }, config: { limits: { totalTokens: 5000 } } }, ["saved"]],
    [{}, ["saved", { error: new AgentLoopError("gone", { code: "model_overloaded" }) }]],
  ];
  for (const [options, replies] of ends) {
    using made = reviewed(replies, options);
    const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
    deepEqual([result.status, result.finalText, result.flagged, result.error], [
      "completed",
      "saved\n\n(Unproven.)",
      true,
      undefined,
    ]);
    ok(
      made.events.some(({ type, content }) => type === "warning" && /gone|5000/.test(`${content}`)),
    );
  }
});

Deno.test("review: the text of an answer that could not be reviewed is in the trace, whatever kept it from that", async () => {
  for (const hangs of [false, true]) {
    const store = new MemoryStore();
    const aborted = new AbortController();
    using made = reviewed([{ text: "I saved it.", usage: { prompt: 5, completion: 7 } }], {
      store,
      config: {
        reviewAnswer: () => {
          if (!hangs) throw new Error("broken");
          queueMicrotask(() => aborted.abort());
          return new Promise(() => {});
        },
      },
    });
    const { signal } = aborted;
    const result = await made.loop.run({ ...REQUEST, signal, onEvent: made.onEvent });
    deepEqual([result.status, result.finalText], ["error", ""]);
    const [kept] = (await store.lastN("s", 9)).filter(({ toolArgs }) =>
      toolArgs?.includes("unreviewed")
    );
    deepEqual([kept?.stepType, kept?.completionTokens], ["error", 7]);
    equal(JSON.parse(kept!.toolArgs!).reply, "I saved it.");
    ok(!JSON.stringify(made.events).includes("I saved it."));
  }
});

Deno.test("review: an answer that was held back before the last turns is given too, where none of them brings another", async () => {
  using made = reviewed([
    "saved",
    block("async function run() { await save(); }"),
  ], { config: { maxIterations: 2 } });
  const proven = await made.loop.run(REQUEST);
  // It is looked at again: what the model did since has made it true.
  deepEqual([proven.status, proven.finalText, proven.flagged], ["completed", "saved", undefined]);
  using other = reviewed(["saved", block("function run() { return 1; }")], {
    config: { maxIterations: 2 },
  });
  const { status, finalText } = await other.loop.run(REQUEST);
  deepEqual([status, finalText], ["completed", "saved\n\n(Unproven.)"]);
});
