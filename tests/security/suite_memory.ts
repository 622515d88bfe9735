/** Attacks on memory: the cap holds in the whole process, and what can be caught is a clean error. */
import assert from "node:assert/strict";
import { evaluate } from "../sandbox/evaluation.ts";
import { attack, MEMORY_BYTES, OVER_MEMORY, type StartedSuite } from "./attack.ts";

/** What a process may hold beyond its guests' caps: copies on their way, and instances that wait to be collected. */
const SLACK_BYTES = 96 * 1024 * 1024;
/** Filling the memory takes computing time, on a loaded machine much. */
const LIMITS = { guestTimeMs: 10_000 };
const ALONE = { limits: LIMITS, ownHost: true };

/** Defines the tests of this area. */
export function memoryAttacks(suite: StartedSuite): void {
  const floods: Readonly<Record<string, string>> = {
    "ATK-30 a flood of long texts": 'for (;;) keep.push("x".repeat(1e6))',
    "ATK-31 a flood of typed arrays": "for (;;) keep.push(new Uint8Array(512 * 1024))",
    "ATK-32 a flood of objects": "for (;;) keep.push({ a: 1, b: [2] })",
    "ATK-39 a flood of map entries":
      "const map = new Map(); for (let i = 0;; i++) map.set(i, { i })",
    "ATK-39 a flood of set members": "const set = new Set(); for (let i = 0;; i++) set.add(i)",
    "ATK-39 a flood of weak map entries":
      "const map = new WeakMap(); for (;;) { const key = {}; keep.push(key); map.set(key, [1]) }",
    "ATK-39 a flood of closures": "for (let i = 0;; i++) keep.push(() => i)",
    "ATK-39 a flood of symbols": "for (let i = 0;; i++) keep.push(Symbol('s' + i))",
    "ATK-39 a flood of properties": "const o = {}; for (let i = 0;; i++) o['k' + i] = i",
    "ATK-39 a flood of scripts": "for (let i = 0;; i++) keep.push(new Function('return ' + i))",
    "ATK-39 a flood of promises": "for (;;) keep.push(new Promise(() => {}).then(() => 1))",
  };
  for (const [name, statement] of Object.entries(floods)) {
    attack(suite, `${name} ends with memory`, ALONE, async ({ fails, peakBytes }) => {
      const before = await peakBytes();
      await fails(`function run() { const keep = []; ${statement} }`, "memory", OVER_MEMORY);
      const after = await peakBytes();
      assert.ok(after < before + MEMORY_BYTES + SLACK_BYTES, `${before} → ${after} bytes`);
    });
  }
  singleRequests(suite);
  recovery(suite);
  manyAtOnce(suite);
}

function singleRequests(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-33 a text that doubles is a clean error or memory",
    ALONE,
    async (a) => {
      const before = await a.peakBytes();
      const { failure, valueJson } = await a.run(
        'function run() { let s = "x"; try { for (;;) s += s } catch (e) { return String(e) } }',
      );
      if (failure === undefined) assert.match(valueJson!, /string too long|out of memory/);
      else assert.equal(failure.kind, "memory");
      assert.ok(await a.peakBytes() < before + MEMORY_BYTES + SLACK_BYTES);
    },
  );
  attack(suite, "ATK-34 buffers over every bound are clean errors", {}, async ({ value }) => {
    for (
      const request of ["new Uint8Array(2 ** 31)", "new ArrayBuffer(2 ** 40)", "new Array(-1)"]
    ) {
      const script = `function run() { try { ${request} } catch (e) { return e.name } }`;
      assert.equal(await value(script), "RangeError", request);
    }
  });
  attack(suite, "ATK-35 an array from 2 ** 53 places is a clean error", {}, async ({ value }) => {
    const script =
      "function run() { try { Array.from({ length: 2 ** 53 - 1 }) } catch (e) { return e.name } }";
    assert.equal(await value(script), "RangeError");
  });
  attack(
    suite,
    "ATK-36 filling an array beyond the memory ends with memory",
    ALONE,
    async ({ fails, peakBytes }) => {
      const before = await peakBytes();
      await fails("function run() { new Array(15e6).fill(0) }", "memory", OVER_MEMORY);
      await fails("function run() { new Array(1e8).fill(0) }", ["memory", "threw"]);
      await fails(
        "function run() { const a = []; for (let i = 0; i < 1e8; i++) a[i] = i }",
        "memory",
      );
      assert.ok(await peakBytes() < before + 2 * MEMORY_BYTES + SLACK_BYTES);
    },
  );
  attack(
    suite,
    "ATK-40 a script of ten megabytes never reaches a sandbox",
    {},
    async ({ fails }) => {
      const source = `function run() { return 1 } // ${"x".repeat(10_000_000)}`;
      const bytes = new TextEncoder().encode(source).length;
      await fails(source, "limit", new RegExp(`${bytes} bytes.*262144`));
    },
  );
}

function recovery(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-37 memory that ran out stays capped after it was caught",
    { limits: { guestTimeMs: 2000 }, ownHost: true },
    async ({ run, fails, value, peakBytes }) => {
      const before = await peakBytes();
      const flood = 'const keep = []; for (;;) keep.push("x".repeat(1e6))';
      assert.equal(
        await value(
          `function run() { try { (() => { ${flood} })() } catch {} return "survived" }`,
        ),
        "survived",
      );
      const objects = "const keep = []; for (;;) keep.push({})";
      await fails(`function run() { for (;;) { try { ${objects} } catch {} } }`, [
        "time",
        "memory",
      ]);
      for (
        const source of [
          `function run() { try { (() => { ${objects} })() } catch (e) { throw e } }`,
          `function run() { try { (() => { ${objects} })() } catch (e) { throw null } }`,
          `async function run() { try { ${objects} } catch (e) { await null; throw e } }`,
          `async function run() { await Promise.all([1, 2].map(async () => { ${objects} })) }`,
        ]
      ) {
        await fails(source, "memory", OVER_MEMORY);
      }
      const later = await run(
        `function run() { try { ${objects} } catch {} throw new Error("mine") }`,
      );
      assert.ok(["threw", "memory"].includes(later.failure!.kind), later.failure!.kind);
      assert.ok(await peakBytes() < before + 4 * MEMORY_BYTES + SLACK_BYTES);
    },
  );
  attack(
    suite,
    "ATK-38 after memory ran out the next script has all of it",
    ALONE,
    async ({ fails, value }) => {
      for (let i = 0; i < 3; i++) {
        await fails("function run() { const keep = []; for (;;) keep.push([1]) }", "memory");
        const most =
          'function run() { return "x".repeat(8e6).length + [..."y".repeat(1e5)].length }';
        assert.equal(await value(most), 8_100_000);
      }
    },
  );
  attack(suite, "ATK-39 what would observe the collector is not there", {}, async ({ value }) => {
    const script =
      "function run() { return [typeof WeakRef, typeof FinalizationRegistry, typeof SharedArrayBuffer, typeof Atomics] }";
    assert.deepEqual(await value(script), Array(4).fill("undefined"));
  });
}

function manyAtOnce(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-41 fifty at the cap at once hold fifty caps and no more",
    // So much memory may cost the process its place, once nothing runs in it.
    { limits: { guestTimeMs: 30_000, memoryBytes: 20 * 1024 * 1024 }, process: "either" },
    async ({ lease, peakBytes }) => {
      const before = await peakBytes();
      const flood = "function run() { const keep = []; for (;;) keep.push(new Uint8Array(65536)) }";
      let running = true;
      const all = Promise.all(Array.from({ length: 50 }, () => evaluate(lease, flood)))
        .finally(() => running = false);
      let after = 0;
      while (running) after = Math.max(after, await peakBytes());
      for (const { failure } of await all) assert.equal(failure?.kind, "memory", failure?.message);
      // The mark is the process's highest of all: in the program itself an earlier attack may have set it as high.
      assert.ok(before > 0 && after >= before, `${before} → ${after} bytes`);
      assert.ok(after < before + 51 * 20 * 1024 * 1024 + SLACK_BYTES, `${before} → ${after} bytes`);
    },
  );
}
