/** The scheduler that stays: it sleeps, notices, and stops. Time is the test's own. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { AgentLoopError } from "../../../contracts/errors.ts";
import { type Delivery, startScheduler } from "../../../ext/scheduler/mod.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { settle, TestClock } from "./clock.ts";
import { failingOnce, memoryChannel, message, recurring } from "./samples.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function parts(start: string) {
  const clock = new TestClock(start);
  const { schedule } = new MemoryStore({ now: clock.now });
  const test = memoryChannel();
  const options = {
    schedule,
    channels: [test],
    now: clock.now,
    timers: clock.timers,
    staggerMs: 0,
  };
  return { clock, schedule, test, options };
}

Deno.test("startScheduler: what is due in weeks comes on its date and not before, and no wait is long (TIM-06)", async () => {
  const { clock, schedule, test, options } = parts("2026-03-01T10:00:00Z");
  await schedule.add(message("2026-04-10T10:00:00Z", { text: "40 days" }));
  await schedule.add(message("2026-03-26T07:36:00Z", { text: "24.9 days" }));
  await using _scheduler = startScheduler({ ...options, pollMs: HOUR_MS });
  await clock.pass(2000);
  equal(test.messages.length, 0);
  await clock.pass(41 * DAY_MS);
  deepEqual(test.messages.map(({ text, at, lateMs }) => [text, at.toISOString(), lateMs]), [
    ["24.9 days", "2026-03-26T07:36:00.000Z", 0],
    ["40 days", "2026-04-10T10:00:00.000Z", 0],
  ]);
  ok(Math.max(...clock.waits) <= HOUR_MS, "it sleeps in slices");
  ok(
    clock.waits.length < 41 * 24 + 20,
    `${clock.waits.length} waits in 41 days: it is idle between`,
  );
});

Deno.test("startScheduler: a clock that is set is followed, and nothing comes twice (TIM-06)", async () => {
  const { clock, schedule, test, options } = parts("2026-03-01T09:59:00Z");
  await schedule.add(recurring("0 * * * *", "2026-03-01T10:00:00Z"));
  await using _scheduler = startScheduler(options);
  await clock.pass(60_000);
  equal(test.messages.length, 1);
  clock.set("2026-03-01T08:30:00Z");
  await clock.pass(HOUR_MS * 2);
  equal(test.messages.length, 1, "10:00 comes by a second time");
  clock.set("2026-03-01T12:30:00Z");
  await clock.pass(10_000);
  equal(test.messages.length, 2);
  clock.set("2026-03-01T11:59:00Z");
  await clock.pass(60_000);
  equal(test.messages.length, 2, "12:00 was made up for");
});

Deno.test("startScheduler: after the machine slept for hours one occurrence is made up for (TIM-07)", async () => {
  const { clock, schedule, test, options } = parts("2026-03-01T09:30:00Z");
  await schedule.add(recurring("0 * * * *", "2026-03-01T10:00:00Z"));
  await using _scheduler = startScheduler(options);
  await clock.pass(1000);
  clock.sleepFor(3 * HOUR_MS);
  await clock.pass(5000);
  deepEqual(test.messages.map(({ missed }) => missed), [2]);
  await clock.pass(30 * 60_000);
  deepEqual(test.messages.map(({ dueAt }) => dueAt.toISOString().slice(11, 16)), [
    "10:00",
    "13:00",
  ]);
});

Deno.test("startScheduler: a task that another process adds is seen at the next look, one of its own at once", async () => {
  const { clock, schedule, test, options } = parts("2026-03-01T10:00:00Z");
  await using scheduler = startScheduler(options);
  await clock.pass(1000);
  await schedule.add(message("2026-03-01T10:00:02Z"));
  await clock.pass(3000);
  equal(test.messages.length, 0);
  await clock.pass(1000);
  equal(test.messages.length, 1);
  await clock.pass(1000);
  await schedule.add(message("2026-03-01T10:00:06Z"));
  scheduler.wake();
  await settle();
  equal(test.messages.length, 2);
});

Deno.test("startScheduler: what is due at once begins one after the other, a few at a time (TIM-07)", async () => {
  const { clock, schedule, options } = parts("2026-03-01T10:00:00Z");
  for (let n = 0; n < 6; n++) await schedule.add(message("2026-03-01T10:00:00Z"));
  const begun: number[] = [];
  const release = Promise.withResolvers<Delivery>();
  const slow = memoryChannel(({ at }) => {
    begun.push(at.getTime() - Date.parse("2026-03-01T10:00:00Z"));
    return release.promise;
  });
  await using _scheduler = startScheduler({
    ...options,
    channels: [slow],
    staggerMs: 250,
    concurrency: 3,
  });
  await clock.pass(10_000);
  deepEqual(begun, [0, 250, 500]);
  release.resolve({ ok: true });
  await clock.pass(10_000);
  equal(begun.length, 6);
});

Deno.test("startScheduler: a long run does not hold up messages", async () => {
  const { clock, schedule, test, options } = parts("2026-03-01T10:00:00Z");
  await schedule.add(message("2026-03-01T10:00:00Z", { mode: "agent", channel: "session" }));
  await schedule.add(recurring("* * * * *", "2026-03-01T10:01:00Z"));
  const run = Promise.withResolvers<void>();
  await using _scheduler = startScheduler({
    ...options,
    async runAgent() {
      await run.promise;
      return { ok: true, text: "" };
    },
  });
  await clock.pass(5 * 60_000);
  equal(test.messages.length, 5);
  run.resolve();
});

Deno.test("startScheduler: the lease of what is under way is kept up, so that no other takes it", async () => {
  const { clock, schedule, options } = parts("2026-03-01T10:00:00Z");
  const { id } = await schedule.add(message("2026-03-01T10:00:00Z"));
  const delivery = Promise.withResolvers<Delivery>();
  const slow = memoryChannel(() => delivery.promise);
  await using _scheduler = startScheduler({ ...options, channels: [slow] });
  for (let n = 0; n < 10; n++) {
    await clock.pass(59_000);
    const request = { workerId: "other", now: clock.now(), leaseMs: 60_000 };
    equal(await schedule.claim(request), undefined);
  }
  delivery.resolve({ ok: true });
  await settle();
  equal((await schedule.get(id))?.lastOutcome?.state, "done");
});

Deno.test("startScheduler: it stops after what is under way, and gives that up when it takes too long", async () => {
  const { clock, schedule, options } = parts("2026-03-01T10:00:00Z");
  const { id } = await schedule.add(message("2026-03-01T10:00:00Z"));
  let given: AbortSignal | undefined;
  const slow = {
    name: "test",
    deliver: (_message: unknown, { signal }: { readonly signal: AbortSignal }) => {
      given = signal;
      return new Promise<Delivery>((resolve) =>
        signal.addEventListener(
          "abort",
          () => resolve({ ok: false, reason: "stopped", retry: true }),
        )
      );
    },
  };
  const scheduler = startScheduler({ ...options, channels: [slow], graceMs: 30_000 });
  await settle();
  let isStopped = false;
  const stopped = scheduler.stop().then(() => isStopped = true);
  await clock.pass(29_000);
  deepEqual([isStopped, given?.aborted], [false, false]);
  await clock.pass(1000);
  await stopped;
  equal((await schedule.get(id))?.retryAt !== undefined, true, "another attempt is due");
  await scheduler.stop();
});

Deno.test("startScheduler: a store that fails is told, and looked at again; what it left behind is taken up", async () => {
  const { clock, schedule, test, options } = parts("2026-03-01T10:00:00Z");
  const { id } = await schedule.add(message("2026-03-01T10:00:00Z"));
  const broken = failingOnce(schedule, new AgentLoopError("disk full", { code: "store_failed" }));
  const errors: string[] = [];
  await using _scheduler = startScheduler({
    ...options,
    schedule: broken,
    onError: (error) => void errors.push(String(error)),
  });
  await clock.pass(120_000);
  match(errors[0] ?? "", /disk full/);
  equal((await schedule.get(id))?.lastOutcome?.state, "unknown");
  deepEqual(test.messages.map(({ kind }) => kind), ["message", "notice"]);
});

Deno.test("startScheduler: waits that no timer can hold are refused", () => {
  const { options } = parts("2026-03-01T10:00:00Z");
  throws(() => startScheduler({ ...options, pollMs: 2 ** 31 }), RangeError);
  throws(() => startScheduler({ ...options, pollMs: 0 }), RangeError);
  throws(() => startScheduler({ ...options, concurrency: 0 }), RangeError);
});

Deno.test("startScheduler: told to stop while much is due, it begins nothing more", async () => {
  const { clock, schedule, options } = parts("2026-03-01T10:00:00Z");
  for (let n = 0; n < 40; n++) await schedule.add(message("2026-03-01T09:00:00Z"));
  let stopped: Promise<void> | undefined;
  const test = memoryChannel(() => {
    stopped ??= scheduler.stop();
    return { ok: true };
  });
  const scheduler = startScheduler({ ...options, channels: [test], staggerMs: 250 });
  await clock.pass(60_000);
  await stopped;
  ok(test.messages.length <= 2, `${test.messages.length} were begun`);
  const tasks = await schedule.list({ waitingOnly: true });
  equal(tasks.length, 40 - test.messages.length);
  deepEqual([...new Set(tasks.map(({ attempts }) => attempts))], [0], "none is held");
});

Deno.test("startScheduler: a part that is none is told at once, not when something is due", () => {
  const { options } = parts("2026-03-01T10:00:00Z");
  const wrong: [object, RegExp][] = [
    [{ schedule: new MemoryStore() }, /schedule must be a schedule store; it lacks claim/],
    [{ channels: undefined }, /channels must be a list of channels/],
    [{ channels: ["session"] }, /channels\[0\] must be a channel, such as sessionChannel/],
    [{ runAgent: {} }, /runAgent must be a function/],
  ];
  for (const [change, message] of wrong) {
    throws(() => startScheduler({ ...options, ...change }), { name: "TypeError", message });
  }
});
