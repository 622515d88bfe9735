/** Seats and processes are bounded; who finds none waits in order. */
import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, holdCalls, inTime, takeLease } from "./evaluation.ts";
import { openProcessTable, until } from "./process_table.ts";

Deno.test("scripts that find no seat wait, and are seated in the order of arrival", async () => {
  await using host = createProcessHost({ maxGuests: 2 });
  await using lease = takeLease(host);
  const held = holdCalls();
  const order: number[] = [];
  const runs = [0, 1, 2, 3, 4].map((i) =>
    evaluateValue(lease, "function run(args) { return echo(args) }", {
      args: i,
      onCall: (call) => {
        order.push(i);
        return held.onCall(call);
      },
    })
  );
  for (let done = 0; done < 5;) {
    await held.arrived(Math.min(2, 5 - done));
    done += held.waiting;
    held.answerAll();
  }
  assert.deepEqual(await Promise.all(runs), [0, 1, 2, 3, 4]);
  assert.deepEqual(order, [0, 1, 2, 3, 4]);
});

Deno.test("one script more than the queue holds is refused, one whose signal ends leaves it", async () => {
  await using host = createProcessHost({ maxGuests: 1, maxQueue: 1 });
  await using lease = takeLease(host);
  const held = holdCalls();
  const abort = new AbortController();
  const first = evaluateValue(lease, "function run() { return echo(1) }", { onCall: held.onCall });
  await held.arrived(1);
  const second = evaluate(lease, "function run() { return 2 }", { signal: abort.signal });
  await assert.rejects(evaluate(lease, "function run() { return 3 }"), { code: "sandbox_busy" });
  abort.abort();
  assert.equal((await inTime(second, "the script that waits ends")).failure?.kind, "cancelled");
  const fourth = evaluateValue(lease, "function run() { return 4 }");
  held.answerAll();
  assert.deepEqual([await first, await fourth], [1, 4]);
});

Deno.test("processes are bounded: an idle one makes room, a busy one is waited for", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost({ maxProcesses: 1 });
  await using one = takeLease(host, { scopeKey: "one" });
  await using two = takeLease(host, { scopeKey: "two" });
  const held = holdCalls();
  const busy = evaluateValue(one, "function run() { return echo(1) }", { onCall: held.onCall });
  await held.arrived(1);
  const waiting = evaluateValue(two, "function run() { return 2 }");
  assert.equal((await table.guests()).length, 1);
  held.answerAll();
  assert.deepEqual([await busy, await waiting], [1, 2]);
  assert.equal(await evaluateValue(one, "function run() { return 3 }"), 3);
  await until("one process is left", async () => (await table.guests()).length === 1);
});

Deno.test("a script that waits for a seat ends with its lease, and no process is started for it", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost({ maxGuests: 1 });
  const lease = takeLease(host);
  const held = holdCalls();
  const first = evaluate(lease, "function run() { return echo(1) }", { onCall: held.onCall });
  await held.arrived(1);
  const second = evaluate(lease, "function run() { return 2 }");
  await lease[Symbol.asyncDispose]();
  assert.equal((await first).failure?.kind, "cancelled");
  assert.equal((await inTime(second, "the script that waits ends")).failure?.kind, "cancelled");
  await until("no process is left", async () => (await table.below()).length === 0);
});

Deno.test("a script that waits for another scope's process ends with its lease", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost({ maxProcesses: 1 });
  await using busy = takeLease(host, { scopeKey: "busy" });
  const held = holdCalls();
  const first = evaluate(busy, "function run() { return echo(1) }", { onCall: held.onCall });
  await held.arrived(1);
  const waiting = takeLease(host, { scopeKey: "waiting" });
  const second = evaluate(waiting, "function run() { return 2 }");
  await waiting[Symbol.asyncDispose]();
  assert.equal((await inTime(second, "the script that waits ends")).failure?.kind, "cancelled");
  held.answerAll();
  assert.equal((await first).valueJson, "1");
  assert.equal((await table.guests()).length, 1);
});

Deno.test("a script that waits for a seat ends with the host", async () => {
  await using table = openProcessTable();
  const host = createProcessHost({ maxGuests: 1 });
  await using lease = takeLease(host);
  const held = holdCalls();
  const first = evaluate(lease, "function run() { return echo(1) }", { onCall: held.onCall });
  await held.arrived(1);
  const second = evaluate(lease, "function run() { return 2 }");
  await host[Symbol.asyncDispose]();
  assert.equal((await first).failure?.kind, "lost");
  assert.equal((await inTime(second, "the script that waits ends")).failure?.kind, "cancelled");
  assert.deepEqual(await table.below(), []);
});

Deno.test("spares are started ahead and never more than asked for", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost({ spares: 1, maxProcesses: 3 });
  await using lease = takeLease(host);
  await evaluateValue(lease, "function run() {}");
  await until("the spare is there", async () => (await table.guests()).length === 2);
  await using other = takeLease(host, { scopeKey: "other" });
  await evaluateValue(other, "function run() {}");
  await until("the next spare is there", async () => (await table.guests()).length === 3);
});

Deno.test("bounds out of range are refused", () => {
  for (
    const options of [
      { maxProcesses: 0 },
      { maxGuests: 0 },
      { maxQueue: -1 },
      { maxAgeMs: NaN },
      { idleMs: -1 },
      { idleMs: 2 ** 31 },
    ]
  ) {
    assert.throws(() => createProcessHost(options), RangeError);
  }
  assert.throws(() => createProcessHost({ idle: 5 } as never), {
    name: "TypeError",
    message: /^createProcessHost: there is no option idle; there are idleMs, maxProcesses, /,
  });
});
