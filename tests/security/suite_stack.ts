/** Attacks on the stack: each is a clean error that the script can catch, or the outcome stack; never the end of a process. */
import assert from "node:assert/strict";
import { attack, OVER_STACK, PATIENT, type StartedSuite } from "./attack.ts";

/** A script that catches what a statement throws and goes on. */
function catching(statement: string, before = ""): string {
  return `function run() {
    ${before}
    let caught = "nothing";
    try { ${statement} } catch (e) { caught = e.name }
    return { caught, after: echo("goes on") };
  }`;
}

/** Defines the tests of this area. */
export function stackAttacks(suite: StartedSuite): void {
  recursion(suite);
  nestedText(suite);
  nestedData(suite);
}

function recursion(suite: StartedSuite): void {
  attack(suite, "ATK-21 endless recursion is caught or ends with stack", PATIENT, async (a) => {
    assert.deepEqual(await a.value(catching("(function f() { f() })()")), {
      caught: "InternalError",
      after: "goes on",
    });
    await a.fails("function run() { (function f() { f() })() }", "stack", OVER_STACK);
    await a.fails("async function run() { (function f() { f() })() }", "stack", OVER_STACK);
    await a.fails("(function f() { f() })()", "stack", OVER_STACK);
    await a.fails(
      "async function run() { async function f() { await f() } await f() }",
      ["stack", "memory", "time"],
    );
  });
  attack(suite, "ATK-26 recursion through conversions and traps is clean", PATIENT, async (a) => {
    const statements = [
      "const o = { toString() { return `${o}` } }; `${o}`",
      "const o = { valueOf() { return +o } }; +o",
      "const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x",
      "const o = { get x() { return this.x } }; o.x",
      "const o = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o)",
      "[1].map(function f() { return [1].map(f) })",
      "'a'.replace(/a/, function f(m) { return m.replace(/a/, f) })",
    ];
    for (const statement of statements) {
      const { caught, after } = await a.value(catching(statement)) as Record<string, string>;
      assert.deepEqual([caught, after], ["InternalError", "goes on"], statement);
    }
  });
  attack(
    suite,
    "ATK-27 a stack that ends inside a host call harms the script alone",
    { limits: { hostCalls: 100_000, guestTimeMs: 5000 } },
    async (a) => {
      await a.fails(
        "function run() { echo(() => run()) }",
        "threw",
        /echo arguments\[0\] is a function/,
      );
      await a.fails("function run() { (function f() { echo(1); f() })() }", "stack", OVER_STACK);
      await a.fails("function run() { (function f() { f(echo(1)) })() }", "stack", OVER_STACK);
      await a.fails("function run() { (function f() { echo({ get a() { f() } }) })() }", "stack");
      const deepest = catching(
        "(function f() { try { f() } catch (e) { echo(1); log(1); throw e } })()",
      );
      assert.deepEqual(await a.value(deepest), { caught: "InternalError", after: "goes on" });
    },
  );
}

function nestedText(suite: StartedSuite): void {
  attack(suite, "ATK-22 JSON nested a million deep is clean", PATIENT, async (a) => {
    for (const [open, close] of [["[", "]"], ['{"a":', "}"]]) {
      const text = `'${open}'.repeat(1e6) + '1' + '${close}'.repeat(1e6)`;
      const { caught, after } = await a.value(catching(`JSON.parse(${text})`)) as Record<
        string,
        string
      >;
      assert.match(caught!, /^(Internal|Syntax)Error$/);
      assert.equal(after, "goes on");
    }
    await a.fails("function run() { JSON.parse('['.repeat(1e6)) }", ["stack", "threw"]);
  });
  attack(
    suite,
    "ATK-23 fifty thousand parentheses in the script end it",
    PATIENT,
    async ({ fails }) => {
      const nested = "(".repeat(50_000) + "1" + ")".repeat(50_000);
      await fails(`function run() { return ${nested} }`, ["stack", "syntax"]);
      await fails(`${"{".repeat(50_000)}${"}".repeat(50_000)} function run() {}`, [
        "stack",
        "syntax",
      ]);
      await fails(`function run() { return ${"!".repeat(200_000)}1 }`, ["stack", "syntax"]);
    },
  );
  attack(
    suite,
    "ATK-24 fifty thousand brackets in the script end it",
    PATIENT,
    async ({ fails }) => {
      const nested = "[".repeat(50_000) + "]".repeat(50_000);
      await fails(`function run() { return ${nested} }`, ["stack", "syntax"]);
      await fails(`function run() { return eval(${JSON.stringify(nested)}) }`, ["stack", "threw"]);
      await fails(`function run() { new Function(${JSON.stringify(nested)}) }`, ["stack", "threw"]);
    },
  );
  attack(suite, "ATK-28 patterns without measure are refused", PATIENT, async (a) => {
    const patterns = [
      "'(?:'.repeat(2e4) + ')'.repeat(2e4)",
      "'('.repeat(1e5) + ')'.repeat(1e5)",
      "'()'.repeat(1e5)",
    ];
    for (const pattern of patterns) {
      const { caught, after } = await a.value(catching(`new RegExp(${pattern})`)) as Record<
        string,
        string
      >;
      assert.match(caught!, /^(Syntax|Internal)Error$/, pattern);
      assert.equal(after, "goes on");
    }
  });
}

function nestedData(suite: StartedSuite): void {
  const deep = "let deep = []; for (let i = 0; i < 1e5; i++) deep = [deep];";
  attack(
    suite,
    "ATK-25 an array nested a hundred thousand deep is clean everywhere",
    { limits: { guestTimeMs: 5000 } },
    async (a) => {
      const statements = [
        "deep.flat(Infinity)",
        "String(deep)",
        "echo(deep)",
        "answer(deep)",
      ];
      for (const statement of statements) {
        const { caught, after } = await a.value(catching(statement, deep)) as Record<
          string,
          string
        >;
        assert.match(caught!, /^(Internal|Range)Error$/, statement);
        assert.equal(after, "goes on");
      }
      // The engine does not look at its stack here: the instance is lost, not the process.
      await a.fails(catching("JSON.stringify(deep)", deep), "stack", OVER_STACK);
      assert.deepEqual(await a.value(catching("log(deep)", deep)), {
        caught: "nothing",
        after: "goes on",
      });
      await a.fails(`function run() { ${deep} throw deep }`, "threw");
    },
  );
  attack(
    suite,
    "ATK-29 long chains of classes and proxies are clean or end with stack",
    { limits: { guestTimeMs: 5000, memoryBytes: 128 * 1024 * 1024 } },
    async (a) => {
      const chains = [
        "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x",
        "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p",
        "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return Object.keys(p)",
        "let p = {}; for (let i = 0; i < 1e5; i++) p = Object.create(p); return 'x' in p",
        "let A = class {}; for (let i = 0; i < 1e4; i++) A = class extends A {}; return typeof new A()",
        "let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(); return f()",
      ];
      for (const chain of chains) {
        const { failure } = await a.run(`function run() { ${chain} }`);
        const kind = failure?.kind ?? "value";
        assert.ok(["value", "stack", "threw", "memory"].includes(kind), `${kind}: ${chain}`);
      }
    },
  );
}
