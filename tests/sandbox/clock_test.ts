/** Time and chance in a script come from the host: with the same seed and readings a turn gives the same again. */
import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, takeLease } from "./evaluation.ts";
import { shareHost } from "./shared_host.ts";

const shared = shareHost(() => createProcessHost());

/** A clock that gives these readings one after the other. */
function readings(...ms: number[]): () => Date {
  return () => new Date(ms.length > 1 ? ms.shift()! : ms[0]!);
}

Deno.test("the clock stands still between calls and jumps at each reply", async () => {
  await using lease = takeLease(shared());
  const { valueJson, clockMs } = await evaluate(
    lease,
    `function run() {
      const seen = [Date.now()];
      for (let i = 0; i < 3e5; i++);
      seen.push(Date.now(), new Date().getTime());
      echo(1);
      seen.push(Date.now(), +new Date());
      sleep(1);
      seen.push(Date.now());
      return seen;
    }`,
    { now: readings(1_000, 5_000, 9_000) },
  );
  assert.deepEqual(JSON.parse(valueJson!), [1000, 1000, 1000, 5000, 5000, 9000]);
  assert.deepEqual(clockMs, [1000, 5000, 9000]);
});

Deno.test("in the asynchronous style the clock jumps when a reply is taken", async () => {
  await using lease = takeLease(shared());
  const { valueJson, clockMs } = await evaluate(
    lease,
    `async function run() {
      const seen = [Date.now()];
      await null;
      seen.push(Date.now());
      await echo(1);
      seen.push(Date.now());
      await sleep(1);
      seen.push(Date.now());
      return seen;
    }`,
    { now: readings(1_000, 5_000, 9_000) },
  );
  assert.deepEqual(JSON.parse(valueJson!), [1000, 1000, 5000, 9000]);
  assert.deepEqual(clockMs, [1000, 5000, 9000]);
});

Deno.test("the clock keeps its milliseconds, and dates far away are right", async () => {
  await using lease = takeLease(shared());
  for (const ms of [0, 1, 1_700_000_000_123, 4_102_444_800_999, -1, 8.64e15]) {
    assert.deepEqual(
      await evaluateValue(lease, "function run() { return [Date.now(), new Date().getTime()] }", {
        now: () => new Date(ms),
      }),
      [ms, ms],
    );
  }
});

Deno.test("the zone is UTC, whatever the machine's is", async () => {
  await using lease = takeLease(shared());
  assert.deepEqual(
    await evaluateValue(
      lease,
      `function run() {
        const d = new Date(2024, 6, 1, 12, 30);
        return [d.toISOString(), d.getTimezoneOffset(), d.getHours(), String(new Date(0)), new Date("2024-03-31T02:30").toISOString(), Date.parse("Mar 10 2024 02:30")];
      }`,
    ),
    [
      "2024-07-01T12:30:00.000Z",
      0,
      12,
      "Thu Jan 01 1970 00:00:00 GMT+0000",
      "2024-03-31T02:30:00.000Z",
      Date.UTC(2024, 2, 10, 2, 30),
    ],
  );
});

Deno.test("Math.random repeats with its seed, differs with another, and stays in its range", async () => {
  await using lease = takeLease(shared());
  const draw = "function run() { return Array.from({ length: 200 }, Math.random) }";
  const drawn = (seed: number): Promise<number[]> =>
    evaluateValue(lease, draw, { seed }) as Promise<number[]>;
  const first = await drawn(42);
  assert.deepEqual(await drawn(42), first);
  for (const seed of [43, 0, -1, 2 ** 31, 2 ** 32 - 1]) {
    assert.notDeepEqual(await drawn(seed), first);
  }
  assert.ok(first.every((x) => x >= 0 && x < 1));
  assert.equal(new Set(first).size, 200);
  const mean = first.reduce((sum, x) => sum + x, 0) / 200;
  assert.ok(mean > 0.35 && mean < 0.65, `mean ${mean}`);
});

Deno.test("a turn that is run again with its seed and its clock gives the same", async () => {
  await using lease = takeLease(shared());
  const source = `async function run(args) {
    const order = [1, 2, 3, 4, 5].sort(() => Math.random() - 0.5);
    log("at", new Date(), Math.random());
    const parts = await Promise.all(order.map((n) => echo(n)));
    await sleep(0);
    return { order, parts, id: Math.random().toString(36), at: Date.now(), args };
  }`;
  const options = { args: { a: 1 }, seed: 7 };
  const first = await evaluate(lease, source, {
    ...options,
    now: readings(10, 20, 30, 40, 50, 60, 70, 80),
  });
  const again = await evaluate(lease, source, { ...options, now: readings(...first.clockMs) });
  assert.equal(again.valueJson, first.valueJson);
  assert.equal(again.logs, first.logs);
  assert.deepEqual(again.clockMs, first.clockMs);
});

Deno.test("sleep waits, in both styles, for any number of milliseconds and nothing else", async () => {
  await using lease = takeLease(shared());
  const start = performance.now();
  assert.equal(
    await evaluateValue(
      lease,
      "function run() { return [typeof sleep(30), typeof sleep(0.5)].join() }",
    ),
    "undefined,undefined",
  );
  await evaluateValue(lease, "async function run() { await Promise.all([sleep(30), sleep(1)]) }");
  // Two sleeps of 30 ms, one after the other: never less, however fast the machine.
  assert.ok(performance.now() - start >= 59);
  for (const wrong of ["-1", "NaN", "'5'", "undefined", "null", "{}", "1n"]) {
    const { failure } = await evaluate(lease, `function run() { sleep(${wrong}) }`);
    assert.match(failure?.message ?? "", /sleep\(ms\) needs a number/, wrong);
  }
  const abort = new AbortController();
  const forever = evaluate(lease, "function run() { echo(1); sleep(Infinity); return 'woke' }", {
    signal: abort.signal,
    functions: { echo: () => void setTimeout(() => abort.abort(), 50) },
  });
  assert.equal((await forever).failure?.kind, "cancelled");
});
