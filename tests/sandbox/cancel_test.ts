/** A script whose run ends: the caller hears of it at once, its calls are told, and nobody else is disturbed. */
import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, holdCalls, takeLease } from "./evaluation.ts";
import { openProcessTable, until } from "./process_table.ts";
import { shareHost } from "./shared_host.ts";

const shared = shareHost(() => createProcessHost());

Deno.test("a signal that has ended already lets nothing run", async () => {
  await using lease = takeLease(shared());
  let calls = 0;
  const { failure } = await evaluate(lease, "function run() { echo(1) }", {
    signal: AbortSignal.abort(),
    functions: { echo: () => calls++ },
  });
  assert.deepEqual([failure?.kind, calls], ["cancelled", 0]);
});

for (
  const [what, source] of Object.entries({
    "waits in a blocking call": "function run() { echo(1); return 'no' }",
    "waits for promises": "async function run() { await Promise.all([echo(1), echo(2)]) }",
    "sleeps": "function run() { echo(0); sleep(3_600_000) }",
    "sleeps asynchronously": "async function run() { echo(0); await sleep(3_600_000) }",
  })
) {
  Deno.test(`a script that ${what} is cancelled, and its process and neighbours live on`, async () => {
    await using table = openProcessTable();
    await using lease = takeLease(shared());
    const [before] = await table.guests();
    const other = holdCalls();
    const neighbour = evaluateValue(lease, "function run() { echo(1); return echo(7) }", {
      onCall: other.onCall,
    });
    await other.arrived(1);
    const abort = new AbortController();
    const arrived = Promise.withResolvers<void>();
    const told: boolean[] = [];
    const run = evaluate(lease, source, {
      signal: abort.signal,
      onCall: ({ signal, argsJson }) =>
        new Promise((resolve) => {
          arrived.resolve();
          if (argsJson === "[0]") return resolve({ ok: true });
          signal.addEventListener("abort", () => {
            told.push(signal.aborted);
            resolve({ ok: true });
          });
        }),
    });
    await arrived.promise;
    abort.abort();
    const { failure, valueJson } = await run;
    assert.deepEqual([failure?.kind, valueJson], ["cancelled", undefined]);
    if (!source.includes("sleep")) assert.ok(told.length > 0 && told.every(Boolean));
    other.answerAll();
    await other.arrived(1);
    other.answerAll();
    assert.equal(await neighbour, 7);
    assert.equal(await evaluateValue(lease, "function run() { return 1 }"), 1);
    const [after] = await table.guests();
    assert.deepEqual([after!.pid, after!.startTicks], [before!.pid, before!.startTicks]);
  });
}

Deno.test("a script that computes is cancelled without costing its process", async () => {
  await using table = openProcessTable();
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 60_000 } });
  const [before] = await table.guests();
  for (
    const source of [
      "function run() { echo(1); for (;;) {} }",
      "async function run() { await echo(1); for (;;) await null }",
    ]
  ) {
    const abort = new AbortController();
    const held = holdCalls();
    const run = evaluate(lease, source, { signal: abort.signal, onCall: held.onCall });
    await held.arrived(1);
    held.answerAll();
    await evaluateValue(lease, "function run() {}");
    abort.abort();
    assert.equal((await run).failure?.kind, "cancelled");
    assert.equal(await evaluateValue(lease, "function run() { return 1 }"), 1);
  }
  const [after] = await table.guests();
  assert.deepEqual([after!.pid, after!.startTicks], [before!.pid, before!.startTicks]);
});

Deno.test("a script that is stuck when it is cancelled is ended with its process", async () => {
  await using table = openProcessTable();
  const others = new Set((await table.guests()).map(({ pid }) => pid));
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 60_000 } });
  const abort = new AbortController();
  const held = holdCalls();
  const run = evaluate(lease, "function run() { echo(1); [].concat(new Array(2 ** 32 - 1)) }", {
    signal: abort.signal,
    onCall: held.onCall,
  });
  await held.arrived(1);
  const own = (await table.guests()).find(({ pid }) => !others.has(pid))!;
  held.answerAll();
  await until("it computes", async () => {
    const now = await table.find(own.pid);
    return now!.cpuTicks > own.cpuTicks + 5;
  });
  abort.abort();
  assert.equal((await run).failure?.kind, "cancelled");
  assert.equal(await evaluateValue(lease, "function run() { return 1 }"), 1);
  assert.equal(await table.isRunning(own), false);
});

Deno.test("a script that has not begun is cancelled without costing the process", async () => {
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 60_000 } });
  const held = holdCalls();
  const waiting = Array.from(
    { length: 30 },
    () => evaluate(lease, "function run() { return echo(7) }", { onCall: held.onCall }),
  );
  await held.arrived(30);
  const abort = new AbortController();
  const busy = Array.from(
    { length: 3 },
    () => evaluate(lease, "function run() { for (;;) {} }", { signal: abort.signal }),
  );
  const newcomers = Array.from({ length: 3 }, () => {
    const own = new AbortController();
    const run = evaluate(lease, "function run() { return 1 }", { signal: own.signal });
    own.abort();
    return run;
  });
  for (const { failure } of await Promise.all(newcomers)) assert.equal(failure?.kind, "cancelled");
  // Longer than a script that does not let go is waited for.
  await new Promise((resolve) => setTimeout(resolve, 600));
  abort.abort();
  await Promise.all(busy);
  held.answerAll();
  for (const { valueJson } of await Promise.all(waiting)) assert.equal(valueJson, "7");
});

Deno.test("a script that is cancelled makes no further call", async () => {
  await using lease = takeLease(shared());
  const abort = new AbortController();
  const names: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const run = evaluate(
    lease,
    "function run() { try { echo('first') } finally { echo('second') } }",
    {
      signal: abort.signal,
      onCall: ({ argsJson, signal }) => {
        names.push(argsJson);
        arrived.resolve();
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve({ ok: true }))
        );
      },
    },
  );
  await arrived.promise;
  abort.abort();
  await run;
  await evaluateValue(lease, "function run() {}");
  assert.deepEqual(names, ['["first"]']);
});

Deno.test("a signal that ends while the process starts is heard at once", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host);
  const abort = new AbortController();
  const run = evaluate(lease, "function run() { return 1 }", { signal: abort.signal });
  queueMicrotask(() => abort.abort());
  assert.equal((await run).failure?.kind, "cancelled");
  assert.equal(await evaluateValue(lease, "function run() { return 2 }"), 2);
});

Deno.test("QJS-09: what completes late is dropped, without effect on the next script", async () => {
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 200 } });
  const late: ((reply: { ok: true; json: string }) => void)[] = [];
  const timedOut = await evaluate(
    lease,
    "async function run() { const p = echo('late'); for (;;) {} }",
    { onCall: () => new Promise((resolve) => late.push(resolve)) },
  );
  assert.equal(timedOut.failure?.kind, "time");
  assert.equal(late.length, 1);
  const next = evaluateValue(
    lease,
    "async function run() { return [await echo(1), await echo(2)] }",
  );
  late[0]!({ ok: true, json: '"stale"' });
  assert.deepEqual(await next, [1, 2]);
});
