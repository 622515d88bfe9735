/** Attacks through what a script returns: it arrives as it is, or is refused with its path; nothing is changed in silence. */
import assert from "node:assert/strict";
import { attack, MEMORY_BYTES, OVER_TIME, PATIENT, type StartedSuite } from "./attack.ts";

/** Defines the tests of this area. */
export function resultAttacks(suite: StartedSuite): void {
  size(suite);
  kinds(suite);
  promises(suite);
  overrides(suite);
  keysAndGetters(suite);
}

function size(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-42 a text over every bound never leaves the sandbox",
    { limits: { argsBytes: 100_000, guestTimeMs: 10_000 }, ownHost: true },
    async ({ fails, peakBytes }) => {
      const before = await peakBytes();
      await fails('function run() { return "x".repeat(5e8) }', ["memory", "limit"]);
      await fails('function run() { return "x".repeat(8e6) }', "limit", /100000/);
      await fails(
        'function run() { return ["x".repeat(60000), "y".repeat(60000)] }',
        "limit",
        /100000/,
      );
      await fails('function run() { return { ["k".repeat(200000)]: 1 } }', "limit", /100000/);
      await fails("function run() { return new Array(200000) }", "limit", /100000/);
      assert.ok(await peakBytes() < before + 3 * MEMORY_BYTES + 96 * 1024 * 1024);
    },
  );
  attack(
    suite,
    "ATK-56 depth and keys without measure are a limit",
    { limits: { guestTimeMs: 10_000, memoryBytes: 256 * 1024 * 1024, argsBytes: 1_000_000 } },
    async ({ fails }) => {
      await fails(
        "function run() { let deep = {}; for (let i = 0; i < 1e5; i++) deep = { deep }; return deep }",
        "limit",
        /nested deeper than 100 levels/,
      );
      await fails(
        "function run() { const o = {}; for (let i = 0; i < 1e6; i++) o['k' + i] = i; return o }",
        "limit",
        /1000000/,
      );
    },
  );
}

function kinds(suite: StartedSuite): void {
  attack(suite, "ATK-43 a cycle is refused with its path", PATIENT, async ({ fails, value }) => {
    await fails(
      "function run() { const a = { b: [{}] }; a.b[0].c = a; return a }",
      "result",
      /\$\.b\[0\]\.c refers back/,
    );
    await fails("function run() { const a = []; a.push(a); return a }", "result", /\$\[0\] refers/);
    // The same object twice is no cycle.
    assert.deepEqual(
      await value("function run() { const a = { n: 1 }; return { x: a, y: [a, a] } }"),
      { x: { n: 1 }, y: [{ n: 1 }, { n: 1 }] },
    );
  });
  attack(suite, "ATK-44 a BigInt is refused with its path", PATIENT, async ({ fails }) => {
    await fails("function run() { return { n: [10n] } }", "result", /\$\.n\[0\] is a BigInt/);
    await fails("function run() { return 1n }", "result", /\$ is a BigInt/);
    await fails("function run() { return { n: Object(1n) } }", "result", /\$\.n/);
  });
  attack(
    suite,
    "ATK-45 symbols and functions are refused with their path",
    PATIENT,
    async ({ fails }) => {
      await fails("function run() { return { s: Symbol('x') } }", "result", /\$\.s is a Symbol/);
      await fails("function run() { return { f() {} } }", "result", /\$\.f is a function/);
      await fails("function run() { return [class {}] }", "result", /\$\[0\] is a function/);
      await fails("function run() { return run }", "result", /\$ is a function/);
      await fails(
        "function run() { return { 'a b': { é: () => 1 } } }",
        "result",
        /\["a b"\].*é.* is a function/,
      );
    },
  );
  attack(suite, "ATK-46 no value is not null", PATIENT, async ({ run }) => {
    for (
      const source of [
        "function run() {}",
        "function run() { return undefined }",
        "async function run() {}",
      ]
    ) {
      const { failure, valueJson } = await run(source);
      assert.deepEqual([failure, valueJson], [undefined, undefined], source);
    }
    assert.equal((await run("function run() { return null }")).valueJson, "null");
    assert.equal(
      (await run("function run() { return { a: undefined, b: null } }")).valueJson,
      '{"b":null}',
    );
  });
  attack(suite, "ATK-47 numbers that JSON lacks are named", PATIENT, async ({ run }) => {
    const { valueJson, notes } = await run(
      "function run() { return { a: NaN, b: [Infinity, -Infinity], c: -0, d: 1e21, e: 5e-324 } }",
    );
    assert.equal(valueJson, '{"a":null,"b":[null,null],"c":0,"d":1e+21,"e":5e-324}');
    assert.deepEqual(notes, [
      "$.a: NaN stored as null",
      "$.b[0]: Infinity stored as null",
      "$.b[1]: -Infinity stored as null",
      "$.c: -0 stored as 0",
    ]);
  });
  attack(
    suite,
    "ATK-48 objects of other kinds are refused or named",
    PATIENT,
    async ({ fails, run }) => {
      const refused: Readonly<Record<string, RegExp>> = {
        "new Map([[1, 2]])": /\$\.x is a Map/,
        "new Set([1])": /\$\.x is a Set/,
        "/x/": /\$\.x is a RegExp/,
        "new Uint8Array(3)": /\$\.x is binary data/,
        "new ArrayBuffer(3)": /\$\.x is binary data/,
        "new DataView(new ArrayBuffer(3))": /\$\.x is binary data/,
        "new WeakMap()": /\$\.x is a weak collection/,
        "new (class extends Map {})()": /\$\.x is a Map/,
        "Object.setPrototypeOf(new Map(), Array.prototype)": /\$\.x is a Map/,
      };
      for (const [value, pattern] of Object.entries(refused)) {
        await fails(`function run() { return { x: ${value} } }`, "result", pattern);
      }
      const { valueJson, notes } = await run(`class Point { x = 1; #y = 2; get z() { return 3 } }
      function run() {
        return [new Date(0), new Date(NaN), new TypeError("no"), new Point(), new Number(1), new String("s"), [, 1]];
      }`);
      assert.equal(
        valueJson,
        '["1970-01-01T00:00:00.000Z",null,{"name":"TypeError","message":"no"},{"x":1},1,"s",[null,1]]',
      );
      for (const index of [0, 1, 2, 3, 6]) {
        assert.ok(notes.some((note) => note.startsWith(`$[${index}]: `)), `a note on $[${index}]`);
      }
    },
  );
}

function promises(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-49 a promise that can never settle is told at once",
    { limits: { guestTimeMs: 60_000 } },
    async ({ fails }) => {
      for (
        const source of [
          "function run() { return new Promise(() => {}) }",
          "async function run() { await new Promise(() => {}) }",
          "async function run() { await echo(1); await new Promise(() => {}) }",
          "function run() { return { then() {} } }",
        ]
      ) {
        await fails(source, "threw", /can never settle/);
      }
    },
  );
  attack(suite, "ATK-50 a rejected promise is a throw", PATIENT, async ({ fails }) => {
    await fails(
      "function run() { return Promise.reject(new Error('no')) }",
      "threw",
      /^Error: no$/,
    );
    await fails("async function run() { throw new TypeError('bad') }", "threw", /^TypeError: bad$/);
    await fails("async function run() { await Promise.reject(7) }", "threw", /^7$/);
    await fails("async function run() { await Promise.any([Promise.reject(1)]) }", "threw");
  });
  attack(suite, "ATK-51 thenables that lead nowhere are bounded", {}, async ({ fails, value }) => {
    await fails(
      "function run() { let r; const p = new Promise((f) => r = f); r(p); return p }",
      "threw",
      /TypeError/,
    );
    await fails(
      "async function run() { const o = { then(r) { r(o) } }; return o }",
      ["time", "threw"],
    );
    await fails(
      "function run() { return { get then() { throw new Error('trap') } } }",
      "threw",
      /trap/,
    );
    await fails(
      "function run() { return { then() { throw new Error('in then') } } }",
      "threw",
      /in then/,
    );
    await fails("function run() { return { then() { for (;;) {} } } }", "time", OVER_TIME);
    assert.equal(await value("function run() { return { then(r) { r(1); r(2); throw 3 } } }"), 1);
    assert.deepEqual(await value("function run() { return { then: 5 } }"), { then: 5 });
    await fails(
      "function run() { return { a: [Promise.resolve(1)] } }",
      "result",
      /\$\.a\[0\].*await/,
    );
  });
}

function overrides(suite: StartedSuite): void {
  attack(suite, "ATK-52 a hostile proxy is a throw or its own lie", {}, async ({ fails, run }) => {
    const traps = [
      "{ ownKeys() { throw new Error('keys') } }",
      "{ ownKeys() { return ['a', 'a'] } }",
      "{ getPrototypeOf() { throw new Error('proto') } }",
      "{ ownKeys() { return ['a'] }, getOwnPropertyDescriptor() { throw new Error('own') } }",
      "{ ownKeys() { return ['a'] }, getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get() { throw new Error('get') } }",
    ];
    for (const trap of traps) {
      await fails(`function run() { return new Proxy({}, ${trap}) }`, "threw");
    }
    // The engine takes it for no keys.
    const noKeys = await run("function run() { return new Proxy({}, { ownKeys() { return 5 } }) }");
    assert.ok(noKeys.valueJson === "{}" || noKeys.failure?.kind === "threw");
    await fails(
      "function run() { return new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 53 : 1 }) }",
      ["limit", "time"],
    );
    for (const length of ["NaN", "-1e9", "'x'", "undefined"]) {
      const { valueJson } = await run(
        `function run() { return new Proxy([], { get: (t, k) => k === 'length' ? ${length} : 1 }) }`,
      );
      assert.equal(valueJson, "[]", length);
    }
    await fails(
      "function run() { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy }",
      "threw",
    );
  });
  attack(suite, "ATK-53 toJSON on every prototype changes nothing", PATIENT, async ({ run }) => {
    const { valueJson, logs, hostCalls } = await run(`function run() {
      for (const proto of [Object, Array, String, Number, Boolean, Function, Error, Date, Promise]) {
        Object.defineProperty(proto.prototype, "toJSON", { value: () => "lie", configurable: true });
      }
      log("plain", { a: 1 });
      return { a: [1, "x", true, { b: null }], echoed: echo({ c: [2] }) };
    }`);
    assert.equal(valueJson, '{"a":[1,"x",true,{"b":null}],"echoed":{"c":[2]}}');
    assert.equal(logs, 'plain {"a": 1}');
    assert.equal(hostCalls, 1);
  });
  attack(suite, "ATK-54 replaced intrinsics do not reach the encoder", PATIENT, async ({ run }) => {
    const { failure, valueJson, logs } = await run(`function run() {
      const pwn = () => "pwn";
      const protos = [Array.prototype, WeakSet.prototype, String.prototype, Function.prototype];
      const names = Object.getOwnPropertyNames;
      JSON.stringify = JSON.parse = pwn;
      Object.keys = Object.getPrototypeOf = Object.setPrototypeOf = Object.defineProperty = pwn;
      Reflect.apply = Reflect.ownKeys = pwn;
      Array.isArray = () => false;
      Number.isFinite = Object.is = pwn;
      String = Error = Promise = WeakSet = Map = pwn;
      for (const proto of protos) {
        for (const key of names(proto)) {
          if (!["constructor", "length", "name", "caller", "arguments"].includes(key)) proto[key] = pwn;
        }
      }
      Array.prototype[Symbol.iterator] = pwn;
      Date.prototype.toISOString = Date.prototype.getTime = pwn;
      Object.prototype.get = undefined;
      log("seen", [1, { two: 2 }]);
      return { list: [1, 2], date: new Date(0), echoed: echo("x", [3]) };
    }`);
    assert.equal(failure, undefined, failure?.message);
    assert.equal(valueJson, '{"list":[1,2],"date":"1970-01-01T00:00:00.000Z","echoed":"x"}');
    assert.equal(logs, 'seen [1, {"two": 2}]');
  });
}

function keysAndGetters(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-55 keys of the prototype chain arrive as data",
    PATIENT,
    async ({ run, value }) => {
      const text =
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"p2":1}},"prototype":2}';
      const { valueJson } = await run(`function run() { return JSON.parse('${text}') }`);
      assert.equal(valueJson, text);
      // Round trip through arguments, a call and the result.
      const again = await run("function run(args) { return echo(args) }", { argsJson: text });
      assert.equal(again.valueJson, text);
      assert.equal(
        await value("function run(args) { return [args.polluted, ({}).polluted].join() }", {
          argsJson: text,
        }),
        ",",
      );
      assert.deepEqual(
        [({} as Record<string, unknown>).polluted, ({} as Record<string, unknown>).p2],
        [
          undefined,
          undefined,
        ],
      );
    },
  );
  attack(suite, "ATK-57 a getter is read once", PATIENT, async ({ run, value }) => {
    const script = `function run() {
      let reads = 0;
      const value = { get a() { return ++reads }, get b() { return reads } };
      return value;
    }`;
    assert.deepEqual(await value(script), { a: 1, b: 1 });
    // A getter that is harmless at the first look only.
    const { valueJson } = await run(`function run() {
      let reads = 0;
      const value = { get a() { return reads++ === 0 ? "text" : () => 1 } };
      echo(value);
      reads = 0;
      return value;
    }`);
    assert.equal(valueJson, '{"a":"text"}');
  });
}
