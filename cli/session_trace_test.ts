import { deepStrictEqual } from "node:assert/strict";
import type { CallRow } from "../contracts/call_log.ts";
import type { RunStep, StepType } from "../contracts/step.ts";
import { foldingOf, mergeTrace, traceLine, traceText } from "./session_trace.ts";

function step(stepIndex: number, stepType: StepType, at: number, runId = "r1"): RunStep {
  return {
    sessionId: "s",
    runId,
    stepType,
    stepIndex,
    content: stepType,
    durationMs: 0,
    promptTokens: 0,
    completionTokens: 0,
    createdAt: new Date(at),
  };
}

function call(id: number, at: number, more: Partial<CallRow> = {}): CallRow {
  return {
    id,
    sessionId: "s",
    runId: "r1",
    turn: 1,
    sequence: 0,
    name: "fetch",
    argsJson: "[]",
    decision: "allowed",
    startedAt: new Date(at),
    ...more,
  };
}

const STEPS = [
  step(0, "user", 0),
  step(1, "execute_js", 1),
  step(2, "execute_js_result", 5),
  step(3, "execute_js", 5),
  step(4, "execute_js_result", 9),
  step(5, "user", 20, "r2"),
  step(6, "execute_js", 21, "r2"),
];

function order(calls: readonly CallRow[]): (number | string)[] {
  return mergeTrace(STEPS, calls).map((entry) =>
    "call" in entry ? `call ${entry.call.id}` : entry.step.stepIndex
  );
}

Deno.test("calls stand before the result of their script, and at the end of a run that broke off", () => {
  const calls = [call(1, 1), call(2, 5), call(3, 6), call(4, 22, { runId: "r2" })];
  deepStrictEqual(order(calls), [0, 1, "call 1", "call 2", 2, 3, "call 3", 4, 5, 6, "call 4"]);
});

Deno.test("a call is one line with what was decided and what came of it", () => {
  const calls = [
    call(1, 2, { target: "a.example", outcome: "ok", durationMs: 12, resultBytes: 2048 }),
    call(2, 2, { name: "ai", decision: "denied", outcome: "refused", error: "no\nway" }),
    call(3, 2, { target: "b.example" }),
  ];
  deepStrictEqual(traceText(mergeTrace(STEPS.slice(0, 3), calls)).slice(8, 12), [
    "",
    "   call  fetch a.example: allowed, ok, 12 ms, 2.0 KiB",
    "   call  ai: denied, refused, no way",
    "   call  fetch b.example: allowed, never ended",
  ]);
});

Deno.test("of very many calls the first are shown, and how many more there are", () => {
  const calls = Array.from({ length: 25 }, (_, index) => call(index, 2, { outcome: "ok" }));
  const lines = traceText(mergeTrace(STEPS.slice(0, 3), calls));
  deepStrictEqual(lines.filter((line) => line.includes("call  ")).length, 20);
  deepStrictEqual(lines.slice(-4, -2), ["   … and 5 more calls; --json shows all", ""]);
});

Deno.test("what a script calls that went on after a wait stands under the run in which it did", () => {
  const [user, script] = STEPS;
  const approval: RunStep = {
    ...step(2, "approval", 2),
    content: "it has consequences",
    toolArgs: JSON.stringify({ call_id: "js_1_0", name: "send", target: "x", args: ["\u0007"] }),
  };
  const resumed = (index: number) => ({ ...call(index, 5), runId: "r2" });
  const ended = { ...step(3, "execute_js_result", 9), runId: "r2" };
  const lines = traceText(
    mergeTrace([user!, script!, approval, ended], [call(1, 1), resumed(2), resumed(3)]),
  );
  const from = lines.findIndex((line) => line.startsWith("2  approval"));
  deepStrictEqual(lines.slice(from).map((line) => line.replace(/^run (\S+),.*/, "run $1")), [
    "2  approval",
    '   send x ["\\u0007"]',
    "   it has consequences",
    "",
    "   call  fetch: allowed, never ended",
    "",
    "run r2",
    "",
    "   call  fetch: allowed, never ended",
    "   call  fetch: allowed, never ended",
    "",
    "3  execute_js_result",
    "   execute_js_result",
  ]);
});

Deno.test("a call as a JSON line has the same keys whether or not it ended", () => {
  const ended = call(1, 0, {
    outcome: "ok",
    durationMs: 1,
    resultBytes: 2,
    target: "x",
    error: "e",
  });
  deepStrictEqual(
    Object.keys(traceLine({ call: call(1, 0) }) as object),
    Object.keys(traceLine({ call: ended }) as object),
  );
});

Deno.test("the newest summary says what is folded, and where it stands", () => {
  const summary = (index: number, from: number): RunStep => ({
    ...step(index, "summary", index),
    toolArgs: JSON.stringify({ retain_from_step: from }),
  });
  deepStrictEqual(foldingOf(STEPS), undefined);
  deepStrictEqual(foldingOf([...STEPS, summary(7, 3), step(8, "user", 8), summary(9, 8)]), {
    summaryStep: 9,
    retainFromStep: 8,
  });
  deepStrictEqual(traceText(mergeTrace([summary(7, 3)], [])).slice(3), [
    "7  summary of the steps before 3",
    "   summary",
  ]);
});

Deno.test("steps of named calls say which agent made them, where it has a name", () => {
  const named = { toolArgs: JSON.stringify({ agent: "scout" }) };
  const steps = [
    { ...step(0, "tool_call", 0), ...named },
    { ...step(1, "execute_js", 1), ...named },
    step(2, "tool_result", 2),
  ];
  const heads = traceText(mergeTrace(steps, [])).filter((line) => /^\d/.test(line));
  deepStrictEqual(heads, ["0  tool_call, by scout", "1  execute_js", "2  tool_result"]);
});

Deno.test("a named call is shown with its arguments, and a reply that only calls takes one line", () => {
  const toolArgs = JSON.stringify({ call_id: "c", arguments: '{"colour":\n"red"}' });
  const steps = [
    { ...step(0, "llm_call", 0), content: "" },
    { ...step(1, "tool_call", 0), content: "find-lamp", toolArgs },
    { ...step(2, "tool_call", 0), content: "find-lamp", toolArgs: "{}" },
  ];
  deepStrictEqual(traceText(mergeTrace(steps, [])).slice(3), [
    "0  llm_call",
    "",
    "1  tool_call",
    '   find-lamp {"colour":',
    '   "red"}',
    "",
    "2  tool_call",
    "   find-lamp",
  ]);
});
