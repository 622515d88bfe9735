/** Attacks on computing time: each ends within its time, and what can be caught is a clean error. */
import assert from "node:assert/strict";
import { attack, OVER_MEMORY, OVER_TIME, PATIENT, type StartedSuite } from "./attack.ts";

/** Statements that sit in a builtin which never polls, by what they attack: only a kill ends them. */
export const UNPOLLED: Readonly<Record<string, string>> = {
  "ATK-09 repeating without a poll": "for (;;) 'x'.repeat(1e7)",
  "ATK-07 a length that is no number at first": '[].indexOf.call({ length: "9e15" }, 1)',
  "ATK-07 a length that grows between two looks":
    "let n = 0; [].indexOf.call({ get length() { return n++ ? 2 ** 53 - 1 : 0 } }, 1)",
  "ATK-08 joining to a sparse array": "[].concat(new Array(2 ** 32 - 1))",
  "ATK-08 flattening a sparse array": "[new Array(2 ** 32 - 1)].flat()",
  "ATK-06 raw text of 2 ** 53 parts": "String.raw({ raw: { length: 2 ** 53 - 1 } })",
};

/** Defines the tests of this area. */
export function cpuAttacks(suite: StartedSuite): void {
  loops(suite);
  builtins(suite);
  hostileCallbacks(suite);
  hugeNumbers(suite);
}

function loops(suite: StartedSuite): void {
  attack(suite, "ATK-01 an endless loop ends with time", {}, async ({ fails }) => {
    await fails("function run() { for (;;) {} }", "time", OVER_TIME);
    await fails("for (;;) {}", "time", OVER_TIME);
    await fails("async function run() { for (;;) {} }", "time", OVER_TIME);
  });
  attack(suite, "ATK-02 the end of time cannot be caught", {}, async ({ fails }) => {
    await fails(
      "function run() { while (1) { try { for (;;) {} } catch {} } }",
      "time",
      OVER_TIME,
    );
    await fails(
      "async function run() { for (;;) { try { await (async () => { for (;;) {} })(); } catch {} } }",
      "time",
      OVER_TIME,
    );
  });
  attack(suite, "ATK-03 finally does not outlive the end of time", {}, async ({ fails }) => {
    await fails("function run() { try { throw 1 } finally { for (;;) {} } }", "time", OVER_TIME);
    await fails(
      "function run() { try { for (;;) {} } finally { for (;;) {} } }",
      "time",
      OVER_TIME,
    );
  });
  attack(
    suite,
    "ATK-10 recursion that catches its own overflow ends",
    // Each overflow notes a deep stack, so that polls are far apart.
    { process: "either" },
    async ({ fails }) => {
      await fails(
        "function run() { function f() { try { f() } catch { f() } } f() }",
        ["time", "stack"],
      );
    },
  );
  attack(suite, "ATK-11 an endless chain of microtasks ends with time", {}, async ({ fails }) => {
    await fails("async function run() { for (;;) await null }", "time", OVER_TIME);
    await fails(
      "function run() { const again = () => Promise.resolve().then(again); return again() }",
      ["time", "memory"],
    );
    await fails(
      "function run() { const again = () => { Promise.resolve().then(again) }; again(); return new Promise(() => {}) }",
      "time",
      OVER_TIME,
    );
  });
  attack(
    suite,
    "ATK-12 an endless generator ends with time or memory",
    {},
    async ({ fails }) => {
      await fails("function run() { return [...function* () { for (;;) yield 1 }()] }", [
        "time",
        "memory",
      ]);
      await fails(
        "function run() { for (const _ of function* () { for (;;) yield 1 }()); }",
        "time",
      );
    },
  );
}

function builtins(suite: StartedSuite): void {
  attack(suite, "ATK-04 a pattern that backtracks without end ends with time", {}, async (a) => {
    await a.fails(
      'function run() { return /^(a+)+$/.test("a".repeat(40) + "!") }',
      "time",
      OVER_TIME,
    );
  });
  attack(suite, "ATK-05 a pattern of nested stars ends with time", {}, async ({ fails }) => {
    await fails('function run() { return /(.*)*x/.test("a".repeat(3000)) }', "time", OVER_TIME);
  });
  attack(
    suite,
    "ATK-06 joining four billion holes is a clean error",
    PATIENT,
    async ({ value, fails }) => {
      const source = 'new Array(2 ** 32 - 1).join("x")';
      const caught = `function run() { try { ${source} } catch (e) { return e.name } }`;
      assert.equal(await value(caught), "RangeError");
      await fails(`function run() { return ${source} }`, "threw", /20000000/);
      await fails("function run() { return (new Array(1e9) + '').length }", "threw", /20000000/);
    },
  );
  attack(suite, "ATK-07 searching 2 ** 53 places is a clean error", PATIENT, async ({ value }) => {
    const caught = (call: string): string =>
      `function run() { try { ${call} } catch (e) { return e.name } }`;
    assert.equal(await value(caught("[].indexOf.call({ length: 2 ** 53 - 1 }, 1)")), "RangeError");
    assert.equal(await value(caught("[].includes.call({ length: 1e15 }, 1)")), "RangeError");
    assert.equal(await value(caught("[].fill.call({ length: 1e15 }, 1)")), "RangeError");
  });
  attack(suite, "ATK-08 walking a sparse array is a clean error", PATIENT, async ({ value }) => {
    for (const method of ["forEach", "map", "filter", "some", "every", "find", "reduce", "sort"]) {
      const source = `function run() {
        const sparse = []; sparse.length = 4294967295;
        try { sparse.${method}(() => true, 0) } catch (e) { return e.name }
      }`;
      assert.equal(await value(source), "RangeError", method);
    }
  });
  for (const [name, statement] of Object.entries(UNPOLLED)) {
    attack(
      suite,
      `${name} ends with time, by a kill`,
      { needsKill: true, process: "replaced" },
      async ({ fails }) => {
        await fails(`function run() { ${statement} }`, "time", OVER_TIME);
      },
    );
  }
  attack(
    suite,
    "ATK-19 writing two million items as JSON is done or ends",
    { process: "either", limits: { memoryBytes: 128 * 1024 * 1024 } },
    async ({ run }) => {
      const { failure, valueJson } = await run(
        "function run() { return JSON.stringify(new Array(2e6).fill({ a: 1, b: 'x' })).length }",
      );
      if (failure === undefined) assert.equal(Number(valueJson), 32_000_001);
      else assert.ok(["time", "memory"].includes(failure.kind), failure.kind);
    },
  );
  attack(
    suite,
    "ATK-20 nested counted groups are bounded",
    { process: "either" },
    async ({ run }) => {
      const { failure } = await run(
        'function run() { return new RegExp("((a{1000}){1000}){1000}").test("a".repeat(5000)) }',
      );
      const kind = failure?.kind ?? "value";
      assert.ok(["value", "threw", "time", "memory"].includes(kind), kind);
    },
  );
}

function hostileCallbacks(suite: StartedSuite): void {
  attack(suite, "ATK-13 a trap in the result counts as computing", {}, async ({ fails }) => {
    const values = [
      "{ get a() { for (;;) {} } }",
      "new Proxy({}, { ownKeys() { for (;;) {} } })",
      "new Proxy([], { get() { for (;;) {} } })",
      "new Proxy({}, { getPrototypeOf() { for (;;) {} } })",
    ];
    for (const value of values) {
      await fails(`function run() { return ${value} }`, "time", OVER_TIME);
    }
    await fails("async function run() { return { get a() { for (;;) {} } } }", "time", OVER_TIME);
    await fails("function run() { echo({ get a() { for (;;) {} } }) }", "time", OVER_TIME);
    await fails("function run() { answer({ get a() { for (;;) {} } }) }", "time", OVER_TIME);
    await fails("function run() { log({ get a() { for (;;) {} } }) }", "time", OVER_TIME);
  });
  attack(suite, "ATK-14 conversions that loop end with time", {}, async ({ fails, value }) => {
    await fails("function run() { return `${{ toString() { for (;;) {} } }}` }", "time", OVER_TIME);
    await fails(
      "function run() { return +{ [Symbol.toPrimitive]() { for (;;) {} } } }",
      "time",
      OVER_TIME,
    );
    await fails(
      "function run() { return JSON.stringify({ toJSON() { for (;;) {} } }) }",
      "time",
      OVER_TIME,
    );
    // Ours never asks.
    const asked = "class A { n = 1; toJSON() { for (;;) {} } toString() { for (;;) {} } }";
    assert.deepEqual(await value(`${asked} function run() { log(new A()); return new A() }`), {
      n: 1,
    });
    await fails(`${asked} function run() { throw new A() }`, "threw", /"n": 1/);
  });
  attack(suite, "ATK-15 comparators that lie corrupt nothing", {}, async ({ value, fails }) => {
    const numbers = "Array.from({ length: 500 }, (_, i) => (i * 7919) % 500)";
    const sorted = Array.from({ length: 500 }, (_, i) => i);
    const comparators = [
      "() => Math.random() - 0.5",
      "() => 1",
      "() => NaN",
      "() => { if (Math.random() < 0.01) list.length = 10; return -1 }",
    ];
    for (const comparator of comparators.slice(0, 3)) {
      const result = await value(
        `function run() { const list = ${numbers}; list.sort(${comparator}); return list }`,
      ) as number[];
      assert.deepEqual(result.toSorted((a, b) => a - b), sorted, comparator);
    }
    const shrunk = await value(
      `function run() { const list = ${numbers}; list.sort(${comparators[3]}); return list }`,
    ) as unknown[];
    assert.ok(shrunk.length >= 10);
    await fails("function run() { [3, 2, 1].sort(() => { for (;;) {} }) }", "time", OVER_TIME);
    await fails(
      "function run() { [3, 2, 1].sort(() => { throw new Error('no order') }) }",
      "threw",
    );
  });
}

function hugeNumbers(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-16 numbers without bound are a clean error",
    PATIENT,
    async ({ value, run }) => {
      const caught = "function run() { try { 2n ** (2n ** 24n) } catch (e) { return e.name } }";
      assert.equal(await value(caught), "RangeError");
      const { failure, valueJson } = await run(
        "function run() { let x = 3n; try { for (;;) x *= x } catch (e) { return e.name } }",
      );
      if (failure === undefined) assert.equal(valueJson, '"RangeError"');
      else assert.ok(["time", "memory"].includes(failure.kind), failure.kind);
    },
  );
  attack(
    suite,
    "ATK-17 a number of a million digits is done, refused or ends",
    { process: "either" },
    async ({ run }) => {
      const { failure, valueJson } = await run(
        "function run() { try { return typeof BigInt('9'.repeat(1e6)) } catch (e) { return e.name } }",
      );
      if (failure !== undefined) assert.equal(failure.kind, "time");
      else assert.match(valueJson!, /bigint|RangeError|SyntaxError/);
    },
  );
  attack(
    suite,
    "ATK-18 text that grows when it is normalized stays in its memory",
    { process: "either", limits: { guestTimeMs: 2000 } },
    async ({ run, peakBytes }) => {
      const before = await peakBytes();
      const { failure } = await run(
        "function run() { return '\\uFDFA'.repeat(1e6).normalize('NFKD').length }",
      );
      if (failure !== undefined) {
        assert.ok(["time", "memory", "threw"].includes(failure.kind), failure.kind);
        if (failure.kind === "memory") assert.match(failure.message, OVER_MEMORY);
      }
      assert.ok(await peakBytes() < before + 96 * 1024 * 1024);
    },
  );
}
