import { equal, rejects } from "node:assert/strict";
import { CallClock } from "./call_clock.ts";

const ended = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

Deno.test("call clock: ends at its limit", async () => {
  using clock = new CallClock({ signal: new AbortController().signal, limitMs: 1 });
  await ended(clock.signal);
  equal(clock.timedOut, true);
  equal(clock.signal.reason.name, "TimeoutError");
});

Deno.test("call clock: ends with the call, which is no timeout", async () => {
  const call = new AbortController();
  using clock = new CallClock({ signal: call.signal, limitMs: 60_000 });
  const waiting = clock.until(new Promise(() => {}));
  call.abort(new Error("over"));
  await rejects(waiting, { message: "over" });
  equal(clock.timedOut, false);
});

Deno.test("call clock: starts ended when the call is", () => {
  using clock = new CallClock({ signal: AbortSignal.abort("gone"), limitMs: 1 });
  equal(clock.signal.reason, "gone");
});

Deno.test("call clock: stands still while somebody is asked, and goes on after", async () => {
  using clock = new CallClock({ signal: new AbortController().signal, limitMs: 20 });
  await clock.standStill(() => new Promise((resolve) => setTimeout(resolve, 60)));
  equal(clock.timedOut, false);
  await ended(clock.signal);
  equal(clock.timedOut, true);
});

Deno.test("call clock: no limit is too long for it, and a disposed one leaves no timer", () => {
  for (const limitMs of [Infinity, 2 ** 40]) {
    using _clock = new CallClock({ signal: new AbortController().signal, limitMs });
  }
});
