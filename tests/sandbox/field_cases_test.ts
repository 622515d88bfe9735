// Reports from the field about engines of this kind, with their own inputs, over the process host.
import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, takeLease } from "./evaluation.ts";

const LIMITS = { guestTimeMs: 1000, memoryBytes: 64 * 1024 * 1024 };

Deno.test("QJS-03: a builtin that never polls ends within the hard limit, and the next script works", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: LIMITS });
  const huge = await evaluate(
    lease,
    "function run(){ return (new Array(1_000_000_000) + '').length; }",
  );
  assert.ok(huge.failure, "ends with a failure");
  const sorted = await evaluate(
    lease,
    'function run(){ return "x".repeat(2**28).split("").sort().join("").length; }',
  );
  assert.ok(["memory", "time"].includes(sorted.failure!.kind), sorted.failure!.kind);
  const endless = await evaluate(lease, "function run(){ for(;;) 'x'.repeat(1e7); }");
  assert.equal(endless.failure?.kind, "time");
  assert.equal(await evaluateValue(lease, "function run(){ return 2; }"), 2);
});

Deno.test("QJS-04: a regular expression that explodes ends at the deadline, and the next script works", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: LIMITS });
  const { failure } = await evaluate(
    lease,
    'function run(){ return /^(a+)+$/.test("a".repeat(40) + "!"); }',
  );
  assert.equal(failure?.kind, "time");
  const second = await evaluate(lease, 'function run(){ return new RegExp("()*?a").exec(","); }');
  assert.ok(second.failure?.kind === "time" || second.valueJson === "null");
  assert.equal(await evaluateValue(lease, "function run(){ return 2; }"), 2);
});

Deno.test("QJS-05: a script that fills its memory fails for that, and the next one works", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: { ...LIMITS, guestTimeMs: 10_000 } });
  const filled = await evaluate(
    lease,
    'function run(){ const keep = []; while (true) keep.push("x".repeat(1048576) + keep.length); }',
  );
  assert.equal(filled.failure?.kind, "memory");
  assert.match(filled.failure!.message, /64 MiB/);
  assert.equal(await evaluateValue(lease, "function run(){ return 1 + 1; }"), 2);
  const survived = await evaluate(
    lease,
    "function run(){ const a=[]; try { while(true) a.push({}); } catch (e) {} return 'survived'; }",
  );
  assert.ok(survived.valueJson === '"survived"' || survived.failure?.kind === "memory");
});

Deno.test("QJS-10: NUL, keys with NUL and four-byte characters cross the border unharmed", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host);
  const value = await evaluateValue(
    lease,
    String
      .raw`function run(args){ return { s: "a\u0000b", "k\u0000x": 1, e: "🎉", same: args.s === "a\u0000b", len: args.s.length }; }`,
    { args: { s: "a\u0000b" } },
  );
  assert.deepEqual(value, { s: "a\u0000b", "k\u0000x": 1, e: "🎉", same: true, len: 3 });
});
