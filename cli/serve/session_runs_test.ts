import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Refusal } from "./refusal.ts";
import { createSessionRuns, type SessionRuns } from "./session_runs.ts";

/** Why there is no place for a session; "" where there is one, which is given back. */
function whyNot(runs: SessionRuns, sessionId: string): string {
  try {
    using _place = runs.take(sessionId);
    return "";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    strictEqual(Number(error.headers["retry-after"]) > 0, true);
    return error.code;
  }
}

Deno.test("runs: one a session, so many at once, and a place that is given back is free", () => {
  const runs = createSessionRuns({ maxRuns: 2 });
  const one = runs.take("one");
  strictEqual(whyNot(runs, "one"), "busy");
  const two = runs.take("two");
  strictEqual(whyNot(runs, "three"), "overloaded");
  strictEqual(whyNot(runs, "two"), "busy");
  one[Symbol.dispose]();
  strictEqual(runs.isBusy("one"), false);
  strictEqual(whyNot(runs, "three"), "");
  strictEqual(whyNot(runs, "one"), "");
  two[Symbol.dispose]();
});

Deno.test("runs: to stop is to give no more places, to wait, and then to end what is left", async () => {
  const runs = createSessionRuns({ maxRuns: 2 });
  const [quick, slow] = [runs.take("quick"), runs.take("slow")];
  const told: string[] = [];
  slow.signal.addEventListener("abort", () => {
    told.push("ended");
    slow[Symbol.dispose]();
  });
  const stopped = runs.stop(5).then(() => told.push("stopped"));
  strictEqual(whyNot(runs, "new"), "stopping");
  strictEqual(whyNot(runs, "slow"), "stopping");
  quick[Symbol.dispose]();
  await stopped;
  deepStrictEqual(told, ["ended", "stopped"]);
});

Deno.test("runs: where all end in their time, none is ended", async () => {
  const runs = createSessionRuns({ maxRuns: 1 });
  const place = runs.take("one");
  const stopped = runs.stop(60_000);
  place[Symbol.dispose]();
  await stopped;
  strictEqual(place.signal.aborted, false);
  await createSessionRuns({ maxRuns: 1 }).stop(60_000);
});

Deno.test("runs: what is held is busy, and needs no place; who waits for it goes on when it is free", async () => {
  const runs = createSessionRuns({ maxRuns: 1 });
  const held = runs.hold("one");
  strictEqual(runs.isBusy("one"), true);
  strictEqual(whyNot(runs, "one"), "busy");
  strictEqual(whyNot(runs, "two"), "");
  const told: string[] = [];
  const { signal } = new AbortController();
  const waiting = runs.whenFree("one", signal).then(() => told.push("free"));
  const leave = new AbortController();
  const left = runs.whenFree("one", leave.signal).then(() => told.push("left"));
  leave.abort();
  await left;
  held[Symbol.dispose]();
  await waiting;
  deepStrictEqual(told, ["left", "free"]);
  await runs.whenFree("one", signal);
});
