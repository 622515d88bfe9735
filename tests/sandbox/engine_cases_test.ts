/** Reports about engines of this kind, as cases: what hung, burst or lost data elsewhere. */
import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, takeLease } from "./evaluation.ts";
import { openProcessTable } from "./process_table.ts";

Deno.test("QJS-03: builtins that never poll end by a limit, and memory stays bounded", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 300 } });
  const scripts = [
    "function run() { return (new Array(1_000_000_000) + '').length }",
    "function run() { return 'x'.repeat(2 ** 28).split('').sort().join('') }",
    "function run() { return 'x'.repeat(2 ** 24).split('').sort().join('').length }",
    "function run() { return 'x'.repeat(1e7).replaceAll('x', 'yy'.repeat(100)).length }",
    "function run() { return 'x'.padEnd(2 ** 29).length }",
    "function run() { return Object.keys('x'.repeat(5e7)).length }",
    "function run() { return Object.fromEntries(Object.entries('x'.repeat(5e6))).length }",
    "function run() { return encodeURIComponent('€'.repeat(5e7)).length }",
    "function run() { return new Set('x'.repeat(1e7)).size }",
    "function run() { return Math.max(...new Array(5e6).fill(1)) }",
  ];
  for (const source of scripts) {
    const { failure } = await evaluate(lease, source);
    // Done in time is as good.
    const kind = failure?.kind ?? "value";
    assert.ok(["value", "time", "memory", "threw", "stack"].includes(kind), `${kind}: ${source}`);
    assert.equal(await evaluateValue(lease, "function run() { return 1 + 1 }"), 2);
    for (const { peakBytes } of await table.guests()) {
      assert.ok(peakBytes < 1.2e9, `${peakBytes} bytes: ${source}`);
    }
  }
});

Deno.test("QJS-04: patterns that backtrack for ever end with time, and the next turn works", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 200 } });
  const endless = 'function run() { return /^(a+)+$/.test("a".repeat(40) + "!") }';
  assert.equal((await evaluate(lease, endless)).failure?.kind, "time");
  assert.deepEqual(
    await evaluateValue(lease, 'function run() { return new RegExp("()*?a").exec(",") }'),
    null,
  );
  const other = 'function run() { return /(x+x+)+y/.test("x".repeat(60)) }';
  assert.equal((await evaluate(lease, other)).failure?.kind, "time");
  assert.equal(await evaluateValue(lease, "function run() { return 1 + 1 }"), 2);
});

Deno.test("QJS-05: memory that runs out ends the script, not the process, and leaves the next one all of it", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost();
  await using lease = takeLease(host, {
    limits: { memoryBytes: 32 * 1024 * 1024, guestTimeMs: 10_000 },
  });
  const flood = 'function run() { const keep = []; while (true) keep.push("x".repeat(1048576)) }';
  assert.equal((await evaluate(lease, flood)).failure?.kind, "memory");
  assert.equal(await evaluateValue(lease, "function run() { return 1 + 1 }"), 2);
  const survivor =
    "function run() { const a = []; try { while (true) a.push({}) } catch (e) {} return 'survived' }";
  assert.equal(await evaluateValue(lease, survivor), "survived");
  assert.equal(await evaluateValue(lease, "function run() { return 1 + 1 }"), 2);
  const [guest] = await table.guests();
  assert.ok(guest!.peakBytes < 320 * 1024 * 1024, `${guest!.peakBytes} bytes`);
});

Deno.test("QJS-10: NUL, emoji and odd keys cross whole, both ways", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host);
  assert.deepEqual(
    await evaluateValue(
      lease,
      'function run(args) { return { s: "a\\u0000b", "k\\u0000x": 1, e: "🎉", same: args.s === "a\\u0000b", len: args.s.length } }',
      { args: { s: "a\u0000b" } },
    ),
    { s: "a\u0000b", "k\u0000x": 1, e: "🎉", same: true, len: 3 },
  );
});
