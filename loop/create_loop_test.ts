import { equal, rejects, throws } from "node:assert/strict";
import type { LoopConfig, RunRequest } from "../contracts/loop.ts";
import { scriptedClient } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { fakeSandboxBuilder } from "./_fake_sandbox.ts";
import { createLoop } from "./create_loop.ts";

function config(changes: Record<string, unknown> = {}): LoopConfig {
  const store = new MemoryStore();
  return Object.assign({
    llm: scriptedClient([]),
    sessions: store,
    steps: store,
    sandboxBuilder: fakeSandboxBuilder(),
  }, changes);
}

for (const part of ["llm", "sessions", "steps", "sandboxBuilder"]) {
  Deno.test(`create loop: without ${part} it throws at once, naming it`, () => {
    const name = new RegExp(`${part} is required, got undefined`);
    throws(() => createLoop(config({ [part]: undefined })), { name: "TypeError", message: name });
    throws(() => createLoop(config({ [part]: {} })), {
      name: "TypeError",
      message: new RegExp(`${part} lacks the methods? `),
    });
  });
}

const WRONG_CONFIG: readonly [Record<string, unknown>, "TypeError" | "RangeError", RegExp][] = [
  [{ polcy: {} }, "TypeError", /there is no option polcy; there are llm, .* policy, /],
  [
    { tools: [] },
    "TypeError",
    /tools lacks the method callable; new ToolRegistry\(\[…\]\) makes one/,
  ],
  [{ policy: {} }, "TypeError", /policy lacks the method check/],
  [{ redactor: "x" }, "TypeError", /redactor must be an object with the methods redact and stream/],
  [{ compactor: true }, "TypeError", /compactor must be an object with the method compact, got bo/],
  [{ model: 3 }, "TypeError", /model must be a string, got number/],
  [{ now: "today" }, "TypeError", /now must be a function/],
  [{ random: 0.5 }, "TypeError", /random must be a function/],
  [{ maxIterations: 0 }, "RangeError", /maxIterations must be a whole number of at least 1, got 0/],
  [{ maxIterations: 1.5 }, "RangeError", /maxIterations/],
  [{ maxIterations: "9" }, "TypeError", /maxIterations must be a number, got string/],
  [{ runTimeoutMs: 0 }, "RangeError", /runTimeoutMs must be more than 0/],
  [{ runTimeoutMs: NaN }, "RangeError", /runTimeoutMs/],
  [{ runTimeoutMs: 2 ** 31 }, "RangeError", /runTimeoutMs/],
  [{ historyWindow: -1 }, "RangeError", /historyWindow must be a whole number of at least 0/],
  [{ limits: { tokens: 5 } }, "TypeError", /limits: there is no option tokens; there are totalTok/],
  [{ limits: [5] }, "TypeError", /limits: there is no option 0; there are totalTokens, cost, /],
  [
    { scopeLimits: { periodMs: 1, token: 5 } },
    "TypeError",
    /scopeLimits: there is no option token;/,
  ],
  [
    { contextBudget: { maxTokens: 9, reserved: 1 } },
    "TypeError",
    /contextBudget: there is no opti/,
  ],
  [
    { prices: { m: { prompt: 1, completion: 2, cache: 0.1 } } },
    "TypeError",
    /^createLoop: prices: m: there is no option cache; there are prompt, completion, cached$/,
  ],
  [{ prices: { m: { input: 1, output: 2 } } }, "TypeError", /prices: m: there is no option input;/],
  [{ prices: { m: 3 } }, "TypeError", /prices: m needs a number for prompt, got undefined/],
  [{ prices: { m: null } }, "TypeError", /prices: m needs a number for prompt, got undefined/],
  [
    { memory: { sinks: {} } },
    "TypeError",
    /memory: there is no option sinks; there are sink, dist/,
  ],
];
for (const [changes, name, message] of WRONG_CONFIG) {
  Deno.test(`create loop: refuses ${Deno.inspect(changes)}`, () => {
    throws(() => createLoop(config(changes)), { name, message });
  });
}

Deno.test("create loop: refuses what is no configuration, and takes the smallest one", () => {
  throws(() => Reflect.apply(createLoop, undefined, []), { name: "TypeError" });
  equal(typeof createLoop(config()).run, "function");
  equal(typeof createLoop(config({ historyWindow: Infinity })).stream, "function");
  equal(typeof createLoop(config({ historyWindow: 0 })).run, "function");
});

const WRONG_REQUEST: readonly [Record<string, unknown>, "TypeError" | "RangeError", RegExp][] = [
  [
    { sessionId: undefined },
    "TypeError",
    /sessionId must be a text that is not empty, got undefined/,
  ],
  [{ sessionId: "" }, "TypeError", /sessionId .* got an empty text/],
  [{ message: undefined }, "TypeError", /message must be a text/],
  [{ message: " \n" }, "TypeError", /message .* got an empty text/],
  [{ timout: 1 }, "TypeError", /there is no option timout; there are sessionId, .* timeoutMs/],
  [{ context: 1 }, "TypeError", /context must be a string/],
  [{ turnContext: {} }, "TypeError", /turnContext must be a string/],
  [{ userId: 1 }, "TypeError", /userId must be a string/],
  [{ model: null }, "TypeError", /model must be a string, got null/],
  [{ onEvent: {} }, "TypeError", /onEvent must be a function/],
  [{ signal: {} }, "TypeError", /signal must be an AbortSignal/],
  [{ scope: {} }, "TypeError", /scope must have a workspaceId/],
  [{ scope: null }, "TypeError", /scope must have a workspaceId/],
  [{ maxIterations: 0 }, "RangeError", /maxIterations/],
  [{ maxTokens: 0.5 }, "RangeError", /maxTokens/],
  [{ timeoutMs: -1 }, "RangeError", /timeoutMs/],
  [{ limits: { maxTokens: 1 } }, "TypeError", /run: limits: there is no option maxTokens; there a/],
];
for (const [changes, name, message] of WRONG_REQUEST) {
  Deno.test(`run: refuses ${Deno.inspect(changes)}, and stores nothing`, async () => {
    const store = new MemoryStore();
    const loop = createLoop(config({ sessions: store, steps: store }));
    const request: RunRequest = Object.assign({ sessionId: "s", message: "x" }, changes);
    await rejects(loop.run(request), { name, message });
    throws(() => loop.stream(request), { name, message });
    equal(await store.exists("s"), false);
  });
}

Deno.test("run: refuses what is no request", async () => {
  const loop = createLoop(config());
  await rejects(async () => await Reflect.apply(loop.run, loop, []), { name: "TypeError" });
});

Deno.test("resume: refuses what is no word, and changed arguments that are no list of JSON values", async () => {
  const loop = createLoop(config());
  const wrong: readonly [unknown, RegExp][] = [
    [
      undefined,
      /decision must be \{ decision: "approve" \} or \{ decision: "deny" \}, got undefined/,
    ],
    [{ decision: "wait" }, /decision must be .* got object/],
    [{ decision: "approve", args: { to: "b" } }, /decision\.args must be a list of values in JSON/],
    [{ decision: "approve", args: null }, /args must be a list of values in JSON, .* got null/],
    [{ decision: "approve", args: [() => 1] }, /args must be a list of values in JSON/],
    [{ decision: "approve", arg: ["b"] }, /resume: decision: there is no option arg; there are/],
  ];
  for (const [decision, message] of wrong) {
    await rejects(loop.resume({ sessionId: "s", decision: decision as never }), {
      name: "TypeError",
      message,
    });
  }
});
