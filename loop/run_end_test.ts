import { deepEqual, equal, match, ok } from "node:assert/strict";
import { AgentLoopError, EmptyResponseError } from "../contracts/errors.ts";
import type { Client } from "../contracts/model.ts";
import type { FinalizeSummary } from "../contracts/session.ts";
import { MemoryStore } from "../stores/memory.ts";
import { block, fixture, returning } from "./_run_fixture.ts";

const REQUEST = { sessionId: "s", message: "How many?" };

async function stepTypes(store: MemoryStore): Promise<string[]> {
  return (await store.lastN("s", Infinity)).map((step) => step.stepType);
}

Deno.test("run end: a script that answers completes the run", async () => {
  using made = fixture([block("function run() { answer(6 * 7); }")]);
  const result = await made.loop.run(REQUEST);
  deepEqual([result.status, result.reason, result.finalText, result.error], [
    "completed",
    undefined,
    "42",
    undefined,
  ]);
  deepEqual(await stepTypes(made.store), ["user", "execute_js", "execute_js_result", "response"]);
  equal(result.steps, 4);
});

Deno.test("EXT-10: an answer of several lines given through another name ends the run as it is", async () => {
  using made = fixture([
    block(
      "function run(){\n  const give = answer;\n  return give(`one\ntwo (with paren)\nthree`);\n}",
    ),
  ]);
  const { finalText } = await made.loop.run(REQUEST);
  equal(finalText, "one\ntwo (with paren)\nthree");
});

Deno.test("run end: an answer that is no text is readable JSON", async () => {
  for (
    const [source, text] of [
      ["{ a: [1, 2] }", '{\n  "a": [\n    1,\n    2\n  ]\n}'],
      ['"[1]"', "[1]"],
      ["null", "null"],
      ['""', ""],
    ] as const
  ) {
    using made = fixture([block(`function run() { answer(${source}); }`)]);
    const result = await made.loop.run(REQUEST);
    deepEqual([result.status, result.finalText], ["completed", text]);
  }
});

Deno.test("run end: what a script returned is stored also when it answered, or failed after it", async () => {
  using made = fixture([block("function run() { answer('a'); return { n: 1 }; }")]);
  await made.loop.run(REQUEST);
  equal((await made.store.get("s")).data, '{"n":1}');
  using failing = fixture([block("function run() { answer('a'); throw new Error('late'); }")]);
  equal((await failing.loop.run(REQUEST)).finalText, "a");
});

Deno.test("run end: a reply without a block is the answer, and so is what follows DONE", async () => {
  using made = fixture(["<think>easy</think>The total is 4.", "well\nDONE\nIt is 5."]);
  equal((await made.loop.run(REQUEST)).finalText, "The total is 4.");
  equal((await made.loop.run(REQUEST)).finalText, "It is 5.");
});

Deno.test("EXT-14: at the iteration limit the status says so, and the last value stays", async () => {
  using made = fixture([returning("still working"), returning("still at it")]);
  const result = await made.loop.run({ ...REQUEST, maxIterations: 2, onEvent: made.onEvent });
  deepEqual([result.status, result.finalText, result.error], ["max_iterations", "", undefined]);
  equal((await made.store.get("s")).data, '"still at it"');
  deepEqual(made.events.at(-1)?.type, "done");
  ok(!(await stepTypes(made.store)).includes("response"));
});

Deno.test("run end: the loop's limit holds where the request has none", async () => {
  using made = fixture([returning(1)], { config: { maxIterations: 1 } });
  equal((await made.loop.run(REQUEST)).status, "max_iterations");
});

Deno.test("run end: an empty reply is asked for again twice, then it is an error; its tokens count", async () => {
  const usage = { prompt: 10, completion: 1 };
  using made = fixture(["", " \n", "<think>hm</think>"], { model: { usage } });
  const result = await made.loop.run(REQUEST);
  deepEqual([result.status, result.reason], ["error", "model_empty"]);
  ok(result.error instanceof EmptyResponseError);
  deepEqual(result.tokens, { prompt: 30, completion: 3 });
  deepEqual(await stepTypes(made.store), ["user", "error"]);
  using second = fixture(["", "4"], { model: { usage } });
  deepEqual((await second.loop.run(REQUEST)).tokens, { prompt: 20, completion: 2 });
});

Deno.test("run end: a model that fails ends the run with its code, and its tokens count", async () => {
  const error = new AgentLoopError("The model is overloaded.", {
    code: "model_overloaded",
    tokens: { prompt: 7, completion: 0 },
  });
  using made = fixture([{ error }]);
  const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
  deepEqual([result.status, result.reason, result.error], ["error", "model_overloaded", error]);
  deepEqual(result.tokens, { prompt: 7, completion: 0 });
  const [, step] = await made.store.lastN("s", Infinity);
  deepEqual([step?.stepType, step?.content, step?.toolArgs], [
    "error",
    "The model is overloaded.",
    '{"code":"model_overloaded"}',
  ]);
  deepEqual(made.events.map((event) => event.type), ["user", "turn_start", "error", "done"]);
});

Deno.test("run end: a client that breaks its contract is an internal error, not a crash", async () => {
  using made = fixture([{ error: "just a text" }, { error: new TypeError("bug") }]);
  for (const message of [/just a text/, /bug/]) {
    const { status, reason, error } = await made.loop.run(REQUEST);
    deepEqual([status, reason], ["error", "internal"]);
    match(error?.message ?? "", message);
  }
});

Deno.test("run end: a client whose reply lacks what a reply has is told what that is", async () => {
  const usage = { prompt: 1, completion: 1 };
  const wrong: readonly [unknown, RegExp][] = [
    [undefined, /Could not ask the model: the client gave undefined and not a reply/],
    [
      { usage, finishReason: "stop", model: "m" },
      /the text of the client's reply must be a string, got undefined/,
    ],
    [{ text: null, usage }, /the text of the client's reply must be a string, got null/],
    [
      { text: "Four." },
      /the usage of the client's reply must be \{ prompt, completion \}, numbers/,
    ],
    [{ text: "Four.", usage: { prompt_tokens: 1 } }, /usage of the client's reply must be/],
    [
      { text: "Four.", usage: { prompt: NaN, completion: 1 } },
      /usage of the client's reply must be/,
    ],
  ];
  for (const [reply, message] of wrong) {
    const llm: Client = { complete: () => Promise.resolve(reply as never) };
    using made = fixture([], { config: { llm } });
    const { status, reason, error, tokens } = await made.loop.run(REQUEST);
    deepEqual([status, reason, tokens], ["error", "internal", { prompt: 0, completion: 0 }]);
    match(error!.message, message);
  }
});

Deno.test("run end: a reply that the provider's filter stopped is an error and not an answer", async () => {
  using made = fixture([{ text: "The total", finishReason: "content_filter" }]);
  const result = await made.loop.run(REQUEST);
  deepEqual([result.status, result.reason, result.finalText], ["error", "model_rejected", ""]);
});

Deno.test("run end: a sandbox that cannot be made, or breaks, ends the run", async () => {
  const denied = new AgentLoopError("Grant --allow-run.", { code: "sandbox_permission" });
  using made = fixture([], { sandbox: { onBuild: () => Promise.reject(denied) } });
  const result = await made.loop.run(REQUEST);
  deepEqual([result.reason, result.error, result.systemPrompt], ["sandbox_permission", denied, ""]);
  using broken = fixture([returning(1)], {
    sandbox: { evaluate: () => Promise.reject(new Error("pipe closed")) },
  });
  const { reason, error } = await broken.loop.run(REQUEST);
  equal(reason, "sandbox_lost");
  match(error?.message ?? "", /Could not run the script: pipe closed/);
});

/** A memory store one of whose methods fails. */
function failingStore(method: "get" | "lastN" | "append" | "updateData" | "finalize"): MemoryStore {
  return Object.assign(new MemoryStore(), {
    [method]: () => Promise.reject(new Error("disk full")),
  });
}

for (const method of ["get", "lastN", "append", "updateData"] as const) {
  Deno.test(`run end: a store whose ${method} fails ends the run with store_failed`, async () => {
    const store = failingStore(method);
    const finalized: FinalizeSummary[] = [];
    const finalize = store.finalize.bind(store);
    store.finalize = (id, summary) => {
      finalized.push(summary);
      return finalize(id, summary);
    };
    const replies = method === "updateData" ? [returning(1)] : [];
    using made = fixture(replies, { store });
    const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
    deepEqual([result.status, result.reason], ["error", "store_failed"]);
    match(result.error?.message ?? "", /^Could not .* s: disk full$/);
    equal(finalized.length, 1);
    equal(made.sandboxBuilder.built, made.sandboxBuilder.disposed);
    equal(made.events.at(-1)?.type, "done");
  });
}

Deno.test("run end: an answer is not lost because the session cannot be finalized", async () => {
  using made = fixture(["4"], { store: failingStore("finalize") });
  const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
  deepEqual([result.status, result.finalText], ["completed", "4"]);
  deepEqual(made.events.slice(-2).map((event) => [event.type, event.content]), [
    ["warning", "Could not finalize session s: disk full"],
    ["done", undefined],
  ]);
});

Deno.test("run end: the session is finalized with the run's figures", async () => {
  const store = new MemoryStore();
  const finalized: FinalizeSummary[] = [];
  store.finalize = (_id, summary) => Promise.resolve(void finalized.push(summary));
  using made = fixture([returning([1]), "4"], {
    store,
    model: { usage: { prompt: 100, completion: 9 } },
  });
  const { runId } = await made.loop.run(REQUEST);
  deepEqual(finalized, [{
    runId,
    status: "completed",
    promptTokens: 200,
    completionTokens: 18,
    stepCount: 4,
    durationMs: 0,
    dataBytesCarried: 0,
  }]);
});

Deno.test("run end: dataBytesCarried is what the prompts did not hold, for every model call", async () => {
  const value = Array.from({ length: 500 }, (_, id) => ({ id }));
  const withheld = JSON.stringify(value).length - "array(500) of {id: number}".length;
  using made = fixture([returning(value), "", block("function run() {}"), "4"]);
  // Three calls were made while the value was carried; the first was made without it.
  equal((await made.loop.run(REQUEST)).dataBytesCarried, 3 * withheld);
});

Deno.test("run end: each sandbox is disposed once, and the run's signal ends with the run", async () => {
  const signals: AbortSignal[] = [];
  using made = fixture(["4"], { sandbox: { onBuild: ({ signal }) => void signals.push(signal) } });
  await made.loop.run(REQUEST);
  deepEqual([made.sandboxBuilder.built, made.sandboxBuilder.disposed], [1, 1]);
  equal(signals[0]?.aborted, true);
});

Deno.test("run end: cached and reasoning tokens are summed where the provider tells them", async () => {
  using made = fixture([
    { text: returning(1), usage: { prompt: 10, completion: 5, cached: 8 } },
    { text: "4", usage: { prompt: 20, completion: 5, reasoning: 3 } },
  ]);
  deepEqual((await made.loop.run(REQUEST)).tokens, {
    prompt: 30,
    completion: 10,
    cached: 8,
    reasoning: 3,
  });
});

Deno.test("run end: the result tells how long the run took and how many calls it made, refused ones too", async () => {
  let ms = 0;
  using made = fixture([
    block("async function run() { await f(); try { await f(); } catch {} answer('ok'); }"),
  ], {
    sandbox: { functions: [{ name: "f", execute: () => 1 }] },
    config: {
      now: () => new Date(ms += 5),
      policy: {
        check: () => ms % 2 === 0 ? { decision: "allow" } : { decision: "deny", reason: "odd" },
      },
    },
  });
  const { toolCalls, durationMs } = await made.loop.run(REQUEST);
  equal(toolCalls, 2);
  equal(durationMs > 0 && durationMs % 5 === 0, true);
});
