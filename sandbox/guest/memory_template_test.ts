import { equal, ok } from "node:assert/strict";
import { DEFAULT_SANDBOX_LIMITS } from "../../contracts/sandbox.ts";
import { type Engine, type EngineInstance, loadEngine } from "./engine.ts";
import { measureLayout } from "./memory_template.ts";
import { createRealmFactory } from "./realm_factory.ts";

const SECRET = "a secret of the script before";

/** Each leaves the secret in other parts of the heap, most of it freed. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "a few texts": `var kept = "${SECRET}" + 1`,
  "many texts": `var kept = []; for (let i = 0; i < 20000; i++) kept.push("${SECRET}" + i)`,
  "many texts that were freed":
    `{ const kept = []; for (let i = 0; i < 20000; i++) kept.push("${SECRET}" + i) }`,
  "large buffers": `var kept = [];
for (let i = 0; i < 20; i++) {
  const bytes = new Uint8Array(300000);
  for (let at = 0; at + 40 < bytes.length; at += 9973) bytes.set(Array.from("${SECRET}", (c) => c.charCodeAt(0)), at);
  kept.push(bytes);
}`,
};

function bytesOf({ memory }: EngineInstance): Uint8Array {
  return new Uint8Array(memory.buffer);
}

function holdsSecret(instance: EngineInstance): boolean {
  return new TextDecoder("latin1").decode(bytesOf(instance)).includes(SECRET);
}

for (const [name, script] of Object.entries(SCRIPTS)) {
  Deno.test(`memory template: ${name} are gone from the memory of a renewed realm`, async () => {
    const instances: EngineInstance[] = [];
    const loaded = await loadEngine();
    const engine: Engine = {
      ...loaded,
      async createInstance(memoryBytes) {
        const instance = await loaded.createInstance(memoryBytes);
        instances.push(instance);
        return instance;
      },
    };
    const layout = await measureLayout(loaded);
    ok(layout !== undefined);
    const { heapBase } = layout;
    const factory = createRealmFactory(engine, layout);
    const kind = factory.kindOf(DEFAULT_SANDBOX_LIMITS, [{ functions: ["echo"] }]);
    await kind.create();
    const realm = await kind.create();
    const used = instances.at(-1)!;
    const before = bytesOf(used).slice(heapBase);
    equal((await realm.evaluate(script)).threw, false);
    equal(holdsSecret(used), true);
    equal(realm.renew(), true);
    equal(holdsSecret(used), false);
    equal(bytesOf(used).subarray(heapBase).findIndex((byte, at) => byte !== before[at]), -1);
  });
}
