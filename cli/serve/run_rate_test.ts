import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { createRunRate, MAX_WINDOW_RUNS, RATE_WINDOW_MS } from "./run_rate.ts";

Deno.test("run rate: so many runs of a session in a time, and the next when the first of them is that old", () => {
  let now = 0;
  const rate = createRunRate(() => now);
  const take = (sessionId: string) =>
    Array.from({ length: MAX_WINDOW_RUNS }, () => rate.take(sessionId));
  deepStrictEqual(take("one"), Array(MAX_WINDOW_RUNS).fill(undefined));
  now = 1000;
  strictEqual(rate.take("one"), RATE_WINDOW_MS - 1000);
  strictEqual(rate.take("two"), undefined);
  now = RATE_WINDOW_MS;
  strictEqual(rate.take("one"), undefined);
  strictEqual(rate.take("two"), undefined);
});
