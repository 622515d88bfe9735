/** Processes that die at any of their writes while a run comes to wait, or goes on: nothing is done twice, and what is not known is told. */
import assert from "node:assert/strict";
import type { JsonValue } from "../contracts/json.ts";
import type { LoopConfig } from "../contracts/loop.ts";
import type { CallableTool } from "../contracts/tool.ts";
import type { ScriptedStep } from "../llm/scripted.ts";
import { Redactor } from "../redact/redactor.ts";
import { MemoryStore } from "../stores/memory.ts";
import { block, fixture } from "./_run_fixture.ts";
import { YES } from "./_waiting_fixture.ts";
import { DefaultPolicy } from "./policy.ts";

const WRITES: ReadonlySet<string> = new Set([
  "append",
  "appendAll",
  "updateData",
  "finalize",
  "startCall",
  "endCall",
  "keep",
  "claim",
  "keepCall",
  "drop",
  "keepResult",
]);
const PARTS: ReadonlySet<string> = new Set(["scripts", "results"]);

/** A store as one process has it that dies at its n-th write: before that takes effect, or right after. */
class Dying {
  readonly died = new AbortController();
  readonly store: MemoryStore;
  #writes = 0;

  constructor(
    store: MemoryStore,
    readonly death: { readonly at: number; readonly after: boolean },
  ) {
    this.store = this.#wrap(store);
  }

  #wrap<T extends object>(whole: T): T {
    return new Proxy(whole, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value === "function") {
          return (...args: unknown[]) =>
            this.#call(String(key), () => Reflect.apply(value, target, args));
        }
        return PARTS.has(String(key)) ? this.#wrap(value as object) : value;
      },
    });
  }

  async #call(name: string, work: () => unknown): Promise<unknown> {
    if (this.died.signal.aborted) throw new Error("it is dead");
    if (!WRITES.has(name) || ++this.#writes !== this.death.at) return await work();
    try {
      if (this.death.after) await work();
    } finally {
      this.died.abort();
    }
    throw new Error("it died");
  }
}

const SOURCE = `async function run() {
  const a = await look("a");
  await send("swordfish-9");
  const b = await look("b");
  await pay("b");
  return [a.length, b.length];
}`;
const CALLS: ScriptedStep = {
  toolCalls: [["look", "a"], ["send", "swordfish-9"], ["look", "b"], ["pay", "b"]].map((
    [name = "", text],
    at,
  ) => ({ id: `c${at}`, name, arguments: { text } })),
};

/** How the calls come: out of a script, by name, or by name and all at once. */
type Way = "code" | "tools" | "tools at once";

/** One process: a loop over the store, and what its functions did. */
function open(
  { store, done, protocol, replies = [] }: {
    readonly store: MemoryStore;
    readonly done: string[];
    readonly protocol: Way;
    readonly replies?: readonly ScriptedStep[];
  },
) {
  const functions = ["look", "send", "pay"].map((name) => ({
    name,
    sideEffect: name !== "look",
    execute: async ([given]: readonly JsonValue[]) => {
      const text = (given as { readonly text?: string }).text ?? given;
      done.push(`${name} ${text}`);
      await Promise.resolve();
      return name === "look" ? "x".repeat(20_000) : "ok";
    },
  }));
  const callable = functions.map((hostFunction): CallableTool => ({
    declaration: {
      name: hostFunction.name,
      description: "does it",
      parameters: { type: "object" },
    },
    hostFunction,
    safe: protocol === "tools at once",
  }));
  const config: Partial<LoopConfig> = {
    protocol: protocol === "code" ? "code" : "tools",
    ...(protocol === "code" ? {} : { tools: { callable: () => callable } }),
    policy: new DefaultPolicy(),
    approve: () => ({ decision: "wait" }),
    calls: store,
    redactor: Redactor.fromSecrets({ KEY: "swordfish-9" }),
  };
  return fixture(replies, { store, sandbox: { functions }, model: { otherwise: "over" }, config });
}

/** Runs until the process dies in the given phase; false when it outlived it. */
async function dieIn(
  phase: number,
  { store, done, protocol, death }: {
    readonly store: MemoryStore;
    readonly done: string[];
    readonly protocol: Way;
    readonly death: Dying["death"];
  },
): Promise<boolean> {
  for (let now = 0;; now++) {
    const dying = new Dying(store, now === phase ? death : { at: 0, after: false });
    const { signal } = dying.died;
    const replies = now > 0 ? [] : [protocol === "code" ? block(SOURCE) : CALLS];
    const { loop } = open({ store: dying.store, done, protocol, replies });
    if (now === 0) await loop.run({ sessionId: "s", message: "go", signal });
    else await loop.resume({ ...YES, signal });
    if (now === phase) return signal.aborted;
  }
}

for (const protocol of ["code", "tools", "tools at once"] as const) {
  for (const phase of [0, 1, 2]) {
    Deno.test(`waiting (${protocol}): a process that dies at any write of its part ${phase + 1} leaves nothing that is done twice`, async () => {
      let deaths = 0;
      for (const after of [false, true]) {
        for (let at = 1;; at++) {
          const store = new MemoryStore();
          const done: string[] = [];
          if (!await dieIn(phase, { store, done, protocol, death: { at, after } })) break;
          deaths++;
          const told: string[] = [];
          for (;;) {
            const { loop, llm } = open({ store, done, protocol });
            const { status } = await loop.resume(YES);
            told.push(JSON.stringify(llm.requests));
            if (status !== "waiting") break;
          }
          const where = `write ${at}, ${after ? "after" : "before"}: ${done}`;
          assert.equal(new Set(done).size, done.length, where);
          const isWhole = done.length === 4;
          const isKnown = isWhole || /under way/.test(told.join());
          // Of a run that had not come to wait, nothing that was asked about was done.
          assert.ok(isKnown || !done.some((one) => /send|pay/.test(one)), where);
          assert.ok(done.every((one) => !one.includes("redacted")), where);
          const { loop } = open({ store, done, protocol });
          assert.equal((await loop.run({ sessionId: "s", message: "then" })).status, "completed");
          assert.equal(await store.scripts.kept("s"), undefined, where);
          const trace = JSON.stringify([await store.lastN("s", 99), await store.calls("s")]);
          assert.equal(trace.includes("swordfish-9"), false, where);
        }
      }
      assert.ok(deaths >= 10, `${deaths}`);
    });
  }
}
