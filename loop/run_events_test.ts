import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { RunEvent } from "../contracts/event.ts";
import type { Client } from "../contracts/model.ts";
import { MemoryStore } from "../stores/memory.ts";
import { fakeSandboxBuilder } from "./_fake_sandbox.ts";
import { createLoop } from "./create_loop.ts";
import { block, fixture, returning } from "./_run_fixture.ts";

const RUN_ID = "019b7ca9-8f2e-7800-a000-800000800000";
const USAGE = { prompt: 100, completion: 10, cached: 60 };
const ROWS = Array.from({ length: 100 }, (_, id) => ({ id }));
const DIGEST = "array(100) of {id: number}";

Deno.test("run events: every event of a two-turn run, in order, with all its fields", async () => {
  const first = `async function run() { log("hi"); return await load(); }`;
  const second = "function run(args) { answer(args.length); }";
  using made = fixture([`Let me see.\n${block(first)}`, block(second)], {
    model: { usage: USAGE },
    sandbox: { functions: [{ name: "load", execute: () => ROWS, target: () => "the rows" }] },
  });
  await made.loop.run({ sessionId: "s", message: "How many?", onEvent: made.onEvent });
  deepEqual(made.events, [
    { type: "user", content: "How many?" },
    { type: "turn_start", turn: 1 },
    { type: "response_chunk", content: "Let me see." },
    { type: "response_discarded" },
    { type: "execute_js", content: first },
    {
      type: "sandbox_event",
      args: {
        kind: "host_call",
        name: "load",
        outcome: "ok",
        duration_ms: 0,
        target: "the rows",
      },
    },
    {
      type: "execute_js_result",
      content: `log:\nhi\nreturned (now args): ${DIGEST}`,
      ok: true,
      durationMs: 0,
      tokens: USAGE,
    },
    { type: "data_update", args: ROWS },
    { type: "turn_start", turn: 2 },
    { type: "execute_js", content: second },
    { type: "execute_js_result", content: "answered", ok: true, durationMs: 0, tokens: USAGE },
    { type: "response", content: "100", tokens: { prompt: 0, completion: 0 } },
    {
      type: "done",
      summary: {
        sessionId: "s",
        runId: RUN_ID,
        status: "completed",
        steps: 6,
        toolCalls: 1,
        durationMs: 0,
        tokens: { prompt: 200, completion: 20, cached: 120 },
        dataBytesCarried: JSON.stringify(ROWS).length - DIGEST.length,
      },
    },
  ]);
});

Deno.test("run events: every event carries the run and the session, and the result the same run", async () => {
  using made = fixture([returning(1), "4"]);
  const ids = new Set<string>();
  const { runId } = await made.loop.run({
    sessionId: "s",
    message: "x",
    onEvent: (event) => ids.add(`${event.runId} ${event.sessionId}`),
  });
  deepEqual([...ids], [`${RUN_ID} s`]);
  equal(runId, RUN_ID);
});

Deno.test("run events: every step of a run, with what it cost and what makes it repeatable", async () => {
  using made = fixture([returning(ROWS), block("function run() { throw 1; }"), "4"], {
    model: { usage: { prompt: 100, completion: 10 } },
  });
  await made.loop.run({ sessionId: "s", message: "x" });
  const steps = await made.store.lastN("s", Infinity);
  deepEqual(
    steps.map(({ stepType, promptTokens, completionTokens }) => [
      stepType,
      promptTokens,
      completionTokens,
    ]),
    [
      ["user", 0, 0],
      ["execute_js", 100, 10],
      ["execute_js_result", 0, 0],
      ["execute_js", 100, 10],
      ["execute_js_result", 0, 0],
      ["response", 100, 10],
    ],
  );
  ok(steps.every((step) => step.runId === RUN_ID));
  deepEqual(JSON.parse(steps[2]?.toolArgs ?? ""), {
    seed: 2 ** 31,
    clock_ms: [Date.UTC(2026, 0, 2, 3, 4, 5, 678)],
    ok: true,
    returned: true,
    answered: false,
    guest_ms: 1,
    host_calls: 0,
  });
  const failed = JSON.parse(steps[4]?.toolArgs ?? "");
  deepEqual([failed.ok, failed.failure, failed.returned], [false, "threw", false]);
});

Deno.test("run events: a step is stored before its event is told", async () => {
  using made = fixture([returning(1), "4"]);
  const stored: Promise<string>[] = [];
  await made.loop.run({
    sessionId: "s",
    message: "x",
    onEvent: ({ type }) => {
      stored.push(
        made.store.lastN("s", 1).then(([last]) => `${type} ${last?.stepType}`),
      );
    },
  });
  deepEqual(
    (await Promise.all(stored)).filter((line) => /^(user|execute|response)/.test(line)),
    [
      "user user",
      "execute_js execute_js",
      "execute_js_result execute_js_result",
      // The prose of a text reply is streamed before it is stored.
      "response_chunk execute_js_result",
      "response response",
    ],
  );
});

Deno.test("run events: a listener that throws or rejects changes nothing", async () => {
  using made = fixture(["4", "4"]);
  const throwing = () => {
    throw new Error("listener");
  };
  const rejecting = () => Promise.reject(new Error("listener"));
  for (const onEvent of [throwing, rejecting]) {
    equal((await made.loop.run({ sessionId: "s", message: "x", onEvent })).finalText, "4");
  }
});

Deno.test("run events: an answer is streamed as it comes, its end included", async () => {
  using made = fixture([{ chunks: ["The total", " is 4.\n", "\n```\ncode\n```"] }]);
  await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent });
  deepEqual(made.events.slice(2, -1).map(({ type, content }) => [type, content]), [
    ["response_chunk", "The total"],
    ["response_chunk", " is 4."],
    ["response_chunk", "\n\n```\ncode\n```"],
    ["response", "The total is 4.\n\n```\ncode\n```"],
  ]);
});

Deno.test("run events: a reply that the client starts anew voids what was streamed of it", async () => {
  using made = fixture([{ discarded: ["Hel", "lo"], text: "Hello world" }]);
  await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent });
  deepEqual(made.events.slice(2, -2).map(({ type, content }) => [type, content]), [
    ["response_chunk", "Hel"],
    ["response_chunk", "lo"],
    ["response_discarded", undefined],
    ["response_chunk", "Hello world"],
  ]);
});

Deno.test("run events: what was streamed before a failure is taken back", async () => {
  using made = fixture([{ chunks: ["Hel"], text: "Hel", error: new Error("cut") }]);
  await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent });
  deepEqual(made.events.map((event) => event.type), [
    "user",
    "turn_start",
    "response_chunk",
    "response_discarded",
    "error",
    "done",
  ]);
});

Deno.test("run events: without a listener the reply is asked for in one piece", async () => {
  using made = fixture(["4", "4"]);
  await made.loop.run({ sessionId: "s", message: "x" });
  await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent });
  deepEqual(made.llm.requests.map((request) => typeof request.onText), ["undefined", "function"]);
});

Deno.test("run events: a host function that goes on after the run tells nothing more", async () => {
  let late: (() => void) | undefined;
  using made = fixture([block("function run() { slow().catch(() => {}); answer(1); }")], {
    sandbox: {
      functions: [{
        name: "slow",
        execute: (_args, { emit }) => {
          late = () => emit({ type: "warning", content: "late" });
          return new Promise(() => {});
        },
      }],
    },
  });
  await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent });
  late?.();
  equal(made.events.at(-1)?.type, "done");
});

Deno.test("ATK-55: args with keys like __proto__ thread whole and touch nothing of the host", async () => {
  const json = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"p2":1}}}';
  using made = fixture([
    block(`function run() { return JSON.parse('${json}'); }`),
    block("function run(args) { return args; }"),
    "done with it",
    "and again",
  ]);
  await made.loop.run({ sessionId: "s", message: "x", onEvent: made.onEvent });
  await made.loop.run({ sessionId: "s", message: "y" });
  equal(made.sandboxBuilder.evaluated[1]?.argsJson, json);
  equal((await made.store.get("s")).data, json);
  const update = made.events.find((event) => event.type === "data_update");
  equal(JSON.stringify(update?.args), json);
  const fresh: { polluted?: number; p2?: number } = {};
  deepEqual([fresh.polluted, fresh.p2], [undefined, undefined]);
  match(made.llm.requests[2]?.messages.at(-1)?.content ?? "", /__proto__/);
});

Deno.test("run events: what the client has to tell is a warning", async () => {
  const llm: Client = {
    complete(request) {
      request.onNotice?.("The model big cannot answer, the next model is asked: it is busy");
      return Promise.resolve({
        text: "4",
        finishReason: "stop",
        usage: { prompt: 1, completion: 1 },
        model: "small",
      });
    },
  };
  const store = new MemoryStore();
  const events: RunEvent[] = [];
  const loop = createLoop({
    llm,
    sessions: store,
    steps: store,
    sandboxBuilder: fakeSandboxBuilder(),
  });
  await loop.run({ sessionId: "s", message: "x", onEvent: (event) => void events.push(event) });
  deepEqual(
    events.flatMap((event) => event.type === "warning" ? [event.content] : []),
    ["The model big cannot answer, the next model is asked: it is busy"],
  );
});
