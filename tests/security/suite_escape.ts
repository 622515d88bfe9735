/** Attacks that look for a way out of the realm: to the engine, to our own code inside it, to the host. */
import assert from "node:assert/strict";
import { attack, type StartedSuite } from "./attack.ts";

/** Defines the tests of this area. */
export function escapeAttacks(suite: StartedSuite): void {
  globals(suite);
  imports(suite);
  bridge(suite);
}

/** What a script must not find, under any name it may be reached by. */
const HOST_NAMES =
  '["process","Deno","require","std","os","Worker","WebAssembly","fetch","postMessage","navigator","performance","setTimeout","setInterval","queueMicrotask","SharedArrayBuffer","Atomics","WeakRef","FinalizationRegistry"]';

function globals(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-65 the constructor of constructors gives the guest's own global",
    {},
    async ({ value }) => {
      const found = await value(`function run() {
      const reach = [
        (() => {}).constructor.constructor("return this")(),
        (async () => {}).constructor("return this"),
        ({}).constructor.constructor("return globalThis")(),
        [].at.constructor("return this")(),
        log.constructor("return this")(),
        answer.constructor("return this")(),
        echo.constructor("return this")(),
      ];
      return reach.map((g) => typeof g === "function" ? "later" : g === globalThis && typeof g.Deno);
    }`);
      assert.deepEqual(found, ["undefined", "later", ...Array(5).fill("undefined")]);
    },
  );
  attack(suite, "ATK-66 nothing of the host is among the globals", {}, async ({ value }) => {
    const found = await value(
      `function run() { return ${HOST_NAMES}.filter((name) => name in globalThis || typeof globalThis[name] !== "undefined") }`,
    );
    assert.deepEqual(found, []);
    const own = await value(`function run() {
      return Reflect.ownKeys(globalThis).map(String).filter((key) => /host|intrinsic|control|bridge|agentloop/i.test(key))
    }`);
    assert.deepEqual(own, []);
  });
  attack(
    suite,
    "ATK-69 eval, Function, with and the hidden constructors work and stay inside",
    {},
    async ({ value }) => {
      const found = await value(`function run() {
      const scope = { inner: 5 };
      const w = new Function("scope", "with (scope) { return inner }")(scope);
      function Made() { return new.target === Made }
      return [
        eval("1 + 1"),
        (0, eval)("typeof Deno"),
        w,
        new Made() instanceof Made,
        Object.getPrototypeOf(function* () {}).constructor("yield typeof process")().next().value,
        Object.getPrototypeOf(async function () {}).constructor("return 1")() instanceof Promise,
      ];
    }`);
      assert.deepEqual(found, [2, "undefined", 5, true, "undefined", true]);
    },
  );
}

function imports(suite: StartedSuite): void {
  attack(suite, "ATK-67 import() of anything is rejected", {}, async ({ value }) => {
    const found = await value(`async function run() {
      const wanted = ["node:fs", "data:text/javascript,export default 1", "file:///etc/passwd", "npm:openai", "./main.ts", "std", "os"];
      const ends = [];
      for (const name of wanted) ends.push(await import(name).then(() => "loaded", (error) => error.name));
      return ends;
    }`) as string[];
    assert.equal(found.length, 7);
    for (const end of found) assert.notEqual(end, "loaded");
  });
  attack(suite, "ATK-68 static import and export do not parse", {}, async ({ fails }) => {
    await fails('import fs from "node:fs";\nfunction run() {}', "syntax");
    await fails('import "node:fs";\nfunction run() {}', "syntax");
    await fails("export function run() {}", "syntax");
    await fails("export default function run() {}", "syntax");
  });
}

/** Overrides of everything that our own code in the realm could lean on. */
const OVERRIDES = `
  const lie = () => { throw new Error("overridden") };
  for (const name of ["then", "catch", "finally"]) Promise.prototype[name] = lie;
  for (const name of Object.getOwnPropertyNames(Array.prototype)) {
    if (name !== "length" && name !== "constructor") try { Array.prototype[name] = lie } catch {}
  }
  for (const name of ["slice", "indexOf", "toString", "charCodeAt", "split"]) String.prototype[name] = lie;
  Object.prototype.toJSON = lie;
  Array.prototype.toJSON = lie;
  for (const name of ["defineProperty", "keys", "getPrototypeOf", "setPrototypeOf", "is"]) Object[name] = lie;
  for (const name of ["apply", "getPrototypeOf", "setPrototypeOf", "defineProperty", "ownKeys"]) Reflect[name] = lie;
  JSON.parse = lie;
  JSON.stringify = lie;
  Math.floor = lie;
  for (const name of ["has", "add", "delete"]) WeakSet.prototype[name] = lie;
  Array.prototype[Symbol.iterator] = lie;
`;

function bridge(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-70 overriding the intrinsics does not reach the bridge",
    {},
    async ({ run }) => {
      for (const style of ["function", "async function"]) {
        const execution = await run(
          `${style} run(args) {
        ${OVERRIDES}
        log("still", { here: [1, 2] });
        const call = echo({ a: [1, { b: "x" }] });
        ${style === "function" ? "return { call, args }" : "return { call: await call, args }"};
      }`,
          { argsJson: '{"n":7}' },
        );
        assert.equal(execution.failure, undefined);
        assert.deepEqual(JSON.parse(execution.valueJson!), {
          call: { a: [1, { b: "x" }] },
          args: { n: 7 },
        });
        assert.equal(execution.logs, 'still {"here": [1, 2]}');
      }
    },
  );
  attack(
    suite,
    "ATK-70 a replaced Promise does not catch what host calls give",
    {},
    async ({ value }) => {
      const found = await value(`async function run() {
      const Own = Promise;
      let stolen = 0;
      globalThis.Promise = function () { stolen++; return new Own(() => {}) };
      const call = echo(3);
      return [await call, call instanceof Own, stolen];
    }`);
      assert.deepEqual(found, [3, true, 0]);
    },
  );
  attack(
    suite,
    "ATK-71 host functions are the guest's own, and replacing them changes nothing but the guest",
    {},
    async ({ value }) => {
      const found = await value(`function run() {
      const before = echo;
      const seen = [
        echo.call({ any: 1 }, 1), echo.apply(null, [2]), echo.bind(null)(3),
        Object.getPrototypeOf(echo) === Function.prototype, "caller" in echo && String(Object.getOwnPropertyDescriptor(echo, "caller")),
        Object.getOwnPropertyNames(echo).sort().join(),
      ];
      echo = () => "mine";
      host = { call: () => "mine" };
      return [...seen, echo(4), before(5)];
    }`) as unknown[];
      assert.deepEqual(found.slice(0, 4), [1, 2, 3, true]);
      assert.deepEqual(found.slice(-2), ["mine", 5]);
      assert.equal(
        await value("function run() { return echo(6) }"),
        6,
        "the next script has its own",
      );
    },
  );
  attack(suite, "ATK-72 a patched Function.prototype.call is not asked", {}, async ({ value }) => {
    const found = await value(`function run() {
      let asked = 0;
      for (const name of ["call", "apply", "bind"]) Function.prototype[name] = function () { asked++; return "pwn" };
      log("x");
      return [echo("y"), asked];
    }`);
    assert.deepEqual(found, ["y", 0]);
  });
  attack(
    suite,
    "ATK-73 a host error is an error of the guest's own realm",
    {},
    async ({ value }) => {
      const functions = { echo: () => Promise.reject(new TypeError("no such key")) };
      const found = await value(
        `function run() {
      try { echo() } catch (error) {
        return [
          error instanceof Error, error.constructor === Error,
          typeof error.constructor.constructor("return typeof Deno")() , error.constructor.constructor("return typeof Deno")(),
          error.message, /\\.ts|file:|deno/i.test(String(error.stack)),
        ];
      }
    }`,
        { functions },
      );
      assert.deepEqual(found, [true, true, "string", "undefined", "no such key", false]);
    },
  );
  attack(
    suite,
    "ATK-74 the realm's own memory is all that a script can address",
    {},
    async ({ value }) => {
      // What code that broke the engine could reach is the process: its walls are tests of their own (tests/sandbox/walls_test.ts).
      const found = await value(`function run() {
      const buffer = new ArrayBuffer(8);
      const past = [new Uint8Array(buffer)[8], new Uint8Array(buffer)[-1], new DataView(buffer).byteLength];
      let refused = 0;
      for (const make of [() => new Uint8Array(buffer, 0, 9), () => new DataView(buffer, 9), () => new DataView(buffer).getInt8(8)]) {
        try { make() } catch { refused++ }
      }
      return [...past.map((x) => x ?? "none"), refused];
    }`);
      assert.deepEqual(found, ["none", "none", 8, 3]);
    },
  );
}
