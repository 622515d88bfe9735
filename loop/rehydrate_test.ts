import { deepEqual, equal, ok } from "node:assert/strict";
import { ASIDE_ARGS, type RunStep, type StepStore, type StepType } from "../contracts/step.ts";
import { rehydrate } from "./rehydrate.ts";

interface Row {
  readonly type: StepType;
  readonly run?: string;
  readonly toolArgs?: string;
}

/** A store that holds these rows, and counts how often it is read. */
function storeOf(rows: readonly Row[]): StepStore & { reads: number; loaded: number } {
  const steps = rows.map(({ type, run, toolArgs }, stepIndex): RunStep => ({
    sessionId: "s",
    runId: run ?? "r",
    stepType: type,
    content: `${stepIndex}`,
    ...(toolArgs === undefined ? {} : { toolArgs }),
    stepIndex,
    durationMs: 0,
    promptTokens: 0,
    completionTokens: 0,
    createdAt: new Date(0),
  }));
  const store = {
    reads: 0,
    loaded: 0,
    append: () => Promise.reject(new Error("not here")),
    lastN: (_id: string, n: number) => {
      store.reads++;
      const last = n === 0 ? [] : steps.slice(-n);
      store.loaded = Math.max(store.loaded, last.length);
      return Promise.resolve(last);
    },
  };
  return store;
}

/** One exchange: a message, so many scripts with their results, and an answer. */
function exchange(scripts: number): Row[] {
  const turns: Row[] = [];
  for (let turn = 0; turn < scripts; turn++) {
    turns.push({ type: "execute_js" }, { type: "execute_js_result" });
  }
  return [{ type: "user" }, ...turns, { type: "response" }];
}

async function indexesOf(
  rows: readonly Row[],
  window: number,
  keepsAll = false,
): Promise<number[]> {
  const steps = await rehydrate(storeOf(rows), { sessionId: "s", window, keepsAll });
  return steps.map((step) => step.stepIndex);
}

Deno.test("rehydrate: a session within the window comes whole, in one read", async () => {
  const store = storeOf(exchange(3));
  equal((await rehydrate(store, { sessionId: "s", window: 8 })).length, 8);
  equal(store.reads, 1);
});

Deno.test("rehydrate: a window of 0 reads nothing, one without end everything", async () => {
  const store = storeOf(exchange(3));
  deepEqual(await rehydrate(store, { sessionId: "s", window: 0 }), []);
  equal(store.reads, 0);
  equal((await indexesOf([...exchange(30), ...exchange(30)], Infinity)).length, 124);
});

Deno.test("rehydrate: a window that would begin inside an exchange begins at its start", async () => {
  // 0..3, 4..11, 12..13: the last four steps begin inside the second exchange.
  const rows = [...exchange(1), ...exchange(3), ...exchange(0)];
  deepEqual(await indexesOf(rows, 4), [4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
});

Deno.test("rehydrate: of an exchange that begins out of reach the newest part is replayed, a script first", async () => {
  const rows = exchange(60);
  const steps = await rehydrate(storeOf(rows), { sessionId: "s", window: 10 });
  equal(steps[0]?.stepType, "execute_js");
  ok(steps.length <= 10 && steps.at(-1)?.stepIndex === rows.length - 1);
});

Deno.test("rehydrate: an exchange that cannot be reached gives way to the next one", async () => {
  const rows = [...exchange(60), ...exchange(1)];
  deepEqual(await indexesOf(rows, 10), [122, 123, 124, 125]);
});

Deno.test("rehydrate: as a session grows, the beginning of what is replayed moves in strides", async () => {
  const rows: Row[] = [];
  const firsts = new Set<number>();
  for (let run = 0; run < 40; run++) {
    rows.push(...exchange(1));
    firsts.add((await indexesOf(rows, 40))[0] ?? -1);
  }
  // 160 steps, of which 120 have left the window: in strides of ten steps, not one a run.
  ok(firsts.size <= 13, `${[...firsts]}`);
});

Deno.test("rehydrate: the newest summary that says where it ends stands for what is before", async () => {
  const rows: Row[] = [
    ...exchange(1),
    { type: "summary", toolArgs: '{"retain_from_step":0}' },
    ...exchange(1),
    { type: "summary", toolArgs: '{"retain_from_step":5}' },
    { type: "summary", toolArgs: "lost" },
    ...exchange(0),
  ];
  deepEqual(await indexesOf(rows, 80), [9, 5, 6, 7, 8, 11, 12]);
});

Deno.test("rehydrate: steps of runs that went on at once are put together by run", async () => {
  const rows: Row[] = [
    { type: "user", run: "a" },
    { type: "user", run: "b" },
    { type: "execute_js", run: "a" },
    { type: "response", run: "b" },
    { type: "execute_js_result", run: "a" },
  ];
  deepEqual(await indexesOf(rows, 80), [0, 2, 4, 1, 3]);
});

/** A summary that stands for everything before a step. */
function summary(from: number): Row {
  return { type: "summary", toolArgs: JSON.stringify({ retain_from_step: from }) };
}

Deno.test("rehydrate: what follows a summary comes whole with a compactor, also beyond the window", async () => {
  const rows = [...exchange(1), summary(4), ...exchange(0), ...exchange(0), ...exchange(0)];
  deepEqual(await indexesOf(rows, 4), [7, 8, 9, 10]);
  deepEqual(await indexesOf(rows, 4, true), [4, 5, 6, 7, 8, 9, 10]);
});

Deno.test("rehydrate: a summary out of the window is looked for with a compactor, and only so far", async () => {
  const rows = [...exchange(1), summary(0), ...exchange(10)];
  deepEqual((await indexesOf(rows, 8, true)).slice(0, 3), [4, 0, 1]);
  const far = storeOf([summary(0), ...Array.from({ length: 500 }, () => exchange(0)).flat()]);
  const steps = await rehydrate(far, { sessionId: "s", window: 8, keepsAll: true });
  deepEqual([steps.length, steps[0]?.stepIndex, far.loaded], [8, 993, 128]);
});

Deno.test("rehydrate: a summary made in the middle of a run keeps the message that the run answers", async () => {
  // 0..7, of which the summary at 5 stands for 0..2.
  const rows: Row[] = [...exchange(2).slice(0, 5), summary(3), { type: "response" }];
  deepEqual(await indexesOf(rows, 80, true), [5, 0, 3, 4, 6]);
});

Deno.test("rehydrate: a summary that claims steps after itself is none", async () => {
  deepEqual(await indexesOf([...exchange(1), summary(99), ...exchange(0)], 80, true), [
    0,
    1,
    2,
    3,
    5,
    6,
  ]);
});

Deno.test("rehydrate: without a compactor a summary's steps leave the window like any others", async () => {
  const rows = [...exchange(1), ...exchange(1), summary(2), ...exchange(0)];
  // The window begins at step 7, so in the exchange from 4 on; the summary stands for 0 and 1, and 2 and 3 are gone.
  deepEqual(await indexesOf(rows, 4), [8, 4, 5, 6, 7, 9, 10]);
});

Deno.test("rehydrate: what was put in beside runs begins no exchange but where there is no other", async () => {
  const aside: Row[] = [
    { type: "user", run: "due", toolArgs: ASIDE_ARGS },
    { type: "response", run: "due", toolArgs: ASIDE_ARGS },
  ];
  deepEqual(await indexesOf(aside, 8), [0, 1]);
  deepEqual(await indexesOf([...aside, ...exchange(0)], 8), [0, 1, 2, 3]);
  // 8 and 9 stand between a script that waited and its result: the window begins behind them.
  const waited: Row[] = [
    ...exchange(1),
    { type: "user" },
    { type: "execute_js" },
    { type: "approval" },
    { type: "error" },
    ...aside,
    { type: "execute_js_result", run: "r2" },
    { type: "response", run: "r2" },
  ];
  deepEqual(await indexesOf(waited, 3), [4, 5, 6, 7, 10, 11, 8, 9]);
});

Deno.test("rehydrate: a summary made while a run that waited went on keeps the message that it answers", async () => {
  const rows: Row[] = [
    { type: "user" },
    { type: "execute_js" },
    { type: "approval" },
    { type: "execute_js_result", run: "r2" },
    { type: "execute_js", run: "r2" },
    { type: "summary", run: "r2", toolArgs: '{"retain_from_step":4}' },
    { type: "execute_js_result", run: "r2" },
    { type: "response", run: "r2" },
  ];
  deepEqual(await indexesOf(rows, 80), [5, 0, 4, 6, 7]);
  // It is said once, and stands before the script that waited.
  const whole: Row[] = [
    ...rows.slice(0, 4),
    { type: "summary", run: "r2", toolArgs: '{"retain_from_step":1}' },
    { type: "response", run: "r2" },
  ];
  deepEqual(await indexesOf(whole, 80), [4, 0, 1, 2, 3, 5]);
});

Deno.test("rehydrate: what was put in beside a run is not lost where that run was summarized before it could be told", async () => {
  const aside: Row[] = [
    { type: "user", run: "due", toolArgs: ASIDE_ARGS },
    { type: "response", run: "due", toolArgs: ASIDE_ARGS },
  ];
  const summary: Row = { type: "summary", run: "r2", toolArgs: '{"retain_from_step":6}' };
  const waited: Row[] = [
    { type: "user" },
    { type: "execute_js" },
    { type: "approval" },
    ...aside,
    { type: "execute_js_result", run: "r2" },
    { type: "execute_js", run: "r2" },
    summary,
    { type: "execute_js_result", run: "r2" },
    { type: "response", run: "r2" },
  ];
  deepEqual(await indexesOf(waited, 80), [7, 0, 6, 8, 9, 3, 4]);
  // One that the summary stands for is gone with the rest.
  const told: Row[] = [...exchange(0), ...aside, ...exchange(0), summary, ...exchange(0)];
  deepEqual(await indexesOf(told, 80), [6, 7, 8]);
});
