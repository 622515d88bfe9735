import { equal, ok, throws } from "node:assert/strict";
import { startTimer } from "./timer.ts";

function waited(delayMs: number): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve) =>
    startTimer(delayMs, () => resolve(performance.now() - startedAt))
  );
}

// The first timers of a program go another way, until one is longer than the first moments: each length is tried on both sides of it.
const LENGTHS = [0, -5, 1.5, 20, 100, 101, 130, 0, 20, 130];
for (const [index, delayMs] of LENGTHS.entries()) {
  Deno.test(`timer ${index + 1}, of ${delayMs} ms, ends once, and not before its time`, async () => {
    const tookMs = await waited(delayMs);
    ok(tookMs >= Math.floor(delayMs) - 1, `it ended after ${tookMs} ms`);
  });
}

Deno.test("a stopped timer does not end, and may be stopped again", async () => {
  let ended = 0;
  const stops = [0, 20, 130].map((delayMs) => startTimer(delayMs, () => ended++));
  for (const stop of [...stops, ...stops]) stop();
  await waited(150);
  equal(ended, 0);
});

Deno.test("a timer may be stopped after it ended", async () => {
  let ended = 0;
  const stop = startTimer(1, () => ended++);
  await waited(20);
  stop();
  equal(ended, 1);
});

Deno.test("a timer takes a finite number of ms", () => {
  for (const delayMs of [NaN, Infinity]) {
    throws(() => startTimer(delayMs, () => {}), { name: "TypeError", message: /takes ms/ });
  }
});
