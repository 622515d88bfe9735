import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { startTimer } from "./timer.ts";

function waited(delayMs: number): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve) =>
    startTimer(delayMs, () => resolve(performance.now() - startedAt))
  );
}

// The first timers of a program go another way: each length is tried on both sides of it.
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

Deno.test("timers end in the order of their times, whatever the order in which they were started", async () => {
  const ended: number[] = [];
  for (const delayMs of [60, 20, 40, 20.5, 0]) startTimer(delayMs, () => ended.push(delayMs));
  startTimer(30, () => ended.push(30))();
  await waited(90);
  deepEqual(ended, [0, 20, 20.5, 40, 60]);
});

Deno.test("a timer may stop another that is due with it, and start new ones", async () => {
  const ended: string[] = [];
  const stops: (() => void)[] = [];
  startTimer(10, () => {
    ended.push("first");
    stops[0]?.();
    startTimer(0, () => ended.push("new"));
  });
  stops.push(startTimer(10, () => ended.push("stopped")));
  const until = performance.now() + 15;
  while (performance.now() < until); // both are due when the thread is free again
  await waited(20);
  deepEqual(ended, ["first", "new"]);
});

Deno.test("a timer takes a finite number of ms", () => {
  for (const delayMs of [NaN, Infinity]) {
    throws(() => startTimer(delayMs, () => {}), { name: "TypeError", message: /takes ms/ });
  }
});

Deno.test("what a timer calls belongs to whoever started it, and not to whom it shares a timer with", async () => {
  const tenants = new AsyncLocalStorage<string>();
  const seen: (readonly [string, string | undefined])[] = [];
  // More than a program's first timers, which go another way.
  const started = Array.from({ length: 12 }, (_, at) => {
    const tenant = String(at);
    return tenants.run(tenant, () =>
      new Promise<void>((resolve) =>
        startTimer(40 - at * 3, () => {
          seen.push([tenant, tenants.getStore()]);
          resolve();
        })
      ));
  });
  await Promise.all(started);
  deepEqual(seen, seen.map(([tenant]) => [tenant, tenant]));
});
