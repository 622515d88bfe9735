import { deepEqual, equal } from "node:assert/strict";
import { DEFAULT_SANDBOX_LIMITS } from "../../contracts/sandbox.ts";
import { type Engine, loadEngine } from "./engine.ts";
import { measureLayout } from "./memory_template.ts";
import { createRealmFactory, type RealmFactory } from "./realm_factory.ts";

/** A factory, and how often it has set up the engine: what starts from a copy makes no runtime. */
async function countingFactory(): Promise<{ factory: RealmFactory; setups: () => number }> {
  const loaded = await loadEngine();
  const layout = await measureLayout(loaded);
  let setups = 0;
  const engine: Engine = {
    ...loaded,
    async createInstance(memoryBytes) {
      const instance = await loaded.createInstance(memoryBytes);
      const { newRuntime } = instance.exports;
      Object.assign(instance.exports, {
        newRuntime() {
          setups++;
          return newRuntime();
        },
      });
      return instance;
    },
  };
  return {
    factory: createRealmFactory(engine, layout),
    setups: () => setups,
  };
}

/** Makes the first realm of a new kind, with so many bytes of stack less than usual, and runs a script in it. */
async function makeRealm(factory: RealmFactory, less: number): Promise<void> {
  const limits = {
    ...DEFAULT_SANDBOX_LIMITS,
    stackBytes: DEFAULT_SANDBOX_LIMITS.stackBytes - less,
  };
  const realm = await factory.kindOf(limits, [{ functions: ["echo"] }]).create();
  equal((await realm.evaluate("var kept = [1, 2].map((n) => n * 2)")).threw, false);
}

Deno.test("realm factory: kinds with the same limits of the engine start from one memory", async () => {
  const { factory, setups } = await countingFactory();
  const counts = [];
  for (const less of [0, 0, 64, 64, 0]) {
    await makeRealm(factory, less);
    counts.push(setups());
  }
  deepEqual(counts, [1, 1, 2, 2, 2]);
});

Deno.test("realm factory: of more than eight memories to start from, the one that was not used for the longest goes", async () => {
  const { factory, setups } = await countingFactory();
  for (let at = 0; at < 8; at++) await makeRealm(factory, 64 * at);
  equal(setups(), 8);
  await makeRealm(factory, 0);
  await makeRealm(factory, 64 * 8);
  equal(setups(), 9);
  // The first is still there, since it was used again; the second is not.
  await makeRealm(factory, 0);
  equal(setups(), 9);
  await makeRealm(factory, 64);
  equal(setups(), 10);
  // And took the place of the third.
  for (const at of [3, 4, 5, 6, 7, 8, 0, 1]) await makeRealm(factory, 64 * at);
  equal(setups(), 10);
  await makeRealm(factory, 64 * 2);
  equal(setups(), 11);
});
