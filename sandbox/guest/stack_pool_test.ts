/** Stacks that are used again: every call gets its own result or failure, however many are suspended at once. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import wabt from "npm:wabt@1.0.39";
import { createStackPool, type Jspi, stackLoop, type StackPool } from "./stack_pool.ts";

const assembler = await wabt();

function assemble(name: string, wat: string): Uint8Array<ArrayBuffer> {
  using parsed = disposable(assembler.parseWat(name, wat));
  return new Uint8Array(parsed.module.toBinary({}).buffer);
}

function disposable<T extends { destroy(): void }>(module: T): Disposable & { readonly module: T } {
  return { module, [Symbol.dispose]: () => module.destroy() };
}

/** Functions of three, five and six numbers that hand their first to `wait`, and add what it gives to the others. */
const SUMS = `(module
  (import "host" "wait" (func $wait (param i32) (result i32)))
  (func (export "three") (param i32 i32 i32) (result i32)
    (i32.add (call $wait (local.get 0)) (i32.add (local.get 1) (local.get 2))))
  (func (export "five") (param i32 i32 i32 i32 i32) (result i32)
    (i32.add (call $wait (local.get 0)) (i32.add (local.get 1) (local.get 4))))
  (func (export "six") (param i32 i32 i32 i32 i32 i32) (result i32)
    (i32.add (call $wait (local.get 0)) (i32.add (local.get 1) (local.get 5))))
  (func (export "trap") (param i32 i32 i32) (result i32) unreachable)
  (func $deep (export "deep") (param i32 i32 i32) (result i32)
    (i32.add (i32.const 1) (call $deep (local.get 0) (local.get 1) (local.get 2)))))`;

interface Fixture {
  readonly pool: StackPool;
  readonly functions: Record<"three" | "five" | "six" | "trap" | "deep", unknown>;
  /** How many stacks were made. */
  readonly made: () => number;
}

function fixture(wait: (value: number) => number | Promise<number>): Fixture {
  const { Suspending, promising } = WebAssembly as unknown as Jspi;
  let made = 0;
  const counting: Jspi = {
    Suspending,
    promising(fn) {
      const start = promising(fn);
      return (...args) => {
        made++;
        return start(...args);
      };
    },
  };
  const sums = new WebAssembly.Module(assemble("sums.wat", SUMS));
  const host = { wait: new Suspending((value) => wait(value!)) as WebAssembly.ImportValue };
  const { exports } = new WebAssembly.Instance(sums, { host });
  return {
    pool: createStackPool(counting),
    functions: exports as Fixture["functions"],
    made: () => made,
  };
}

Deno.test("stack pool: the bytes are what the text says", async () => {
  const wat = await Deno.readTextFile(new URL("stack_loop.wat", import.meta.url));
  deepEqual(stackLoop(), assemble("stack_loop.wat", wat));
});

Deno.test("stack pool: functions of three, five and six numbers get them in order", async () => {
  const { pool, functions } = fixture((value) => Promise.resolve(value));
  equal(await pool.call(functions.three, [1, 20, 300]), 321);
  equal(await pool.call(functions.five, [1, 20, 0, 0, 300]), 321);
  equal(await pool.call(functions.six, [1, 20, 0, 0, 0, 300]), 321);
});

Deno.test("stack pool: a thousand suspended calls end in an order of their own, each with its result", async () => {
  const waits = new Map<number, () => void>();
  const { pool, functions, made } = fixture((value) =>
    new Promise((resolve) => waits.set(value, () => resolve(value)))
  );
  const order: number[] = [];
  const calls = Array.from({ length: 1000 }, async (_, at) => {
    const sum = await pool.call(functions.three, [at, 10_000, 0]);
    order.push(at);
    return sum;
  });
  while (waits.size < 1000) await Promise.resolve();
  equal(made(), 1000);
  const backwards = [...waits.keys()].reverse();
  for (const at of backwards) {
    waits.get(at)!();
    await calls[at];
  }
  deepEqual(order, backwards);
  deepEqual(await Promise.all(calls), Array.from({ length: 1000 }, (_, at) => at + 10_000));
});

Deno.test("stack pool: a stack is used again, and given back after a while", async () => {
  const { pool, functions, made } = fixture((value) => Promise.resolve(value));
  for (let at = 0; at < 1000; at++) equal(await pool.call(functions.three, [at, 0, 0]), at);
  ok(made() > 1 && made() < 10, `${made()} stacks for a thousand calls`);
});

Deno.test("stack pool: what a call fails with is its own, and the pool goes on", async () => {
  const { pool, functions } = fixture((value) =>
    value < 0 ? Promise.reject(new Error(`refused ${value}`)) : Promise.resolve(value)
  );
  const good = pool.call(functions.three, [1, 0, 0]);
  const refused = pool.call(functions.three, [-7, 0, 0]);
  const trapped = pool.call(functions.trap, [0, 0, 0]);
  const tooDeep = pool.call(functions.deep, [0, 0, 0]);
  await rejects(refused, { message: "refused -7" });
  await rejects(trapped, WebAssembly.RuntimeError);
  await rejects(tooDeep, RangeError);
  equal(await good, 1);
  equal(await pool.call(functions.six, [1, 2, 0, 0, 0, 3]), 6);
});

Deno.test("stack pool: a closed one still takes calls, and keeps no stack", async () => {
  let release = (): void => {};
  const { pool, functions, made } = fixture((value) =>
    value === 0 ? value : new Promise((resolve) => release = () => resolve(value))
  );
  const suspended = pool.call(functions.three, [5, 0, 0]);
  equal(await pool.call(functions.three, [0, 1, 0]), 1);
  equal(made(), 2);
  pool.close();
  release();
  equal(await suspended, 5);
  for (let at = 0; at < 3; at++) equal(await pool.call(functions.three, [0, at, 0]), at);
  equal(made(), 5);
});
