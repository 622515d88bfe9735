/** Two processes that go on with one session at once, at any pace: nothing is done twice, and one of them brings it to its end. */
import assert from "node:assert/strict";
import type { RunResult } from "../contracts/loop.ts";
import { Redactor } from "../redact/redactor.ts";
import type { MemoryStore } from "../stores/memory.ts";
import { block } from "./_run_fixture.ts";
import { byName, calls, Waiting, YES } from "./_waiting_fixture.ts";

/** How the calls come: out of a script, by name, or by name and all at once. */
const WAYS = ["code", "tools", "tools at once"] as const;
const ROUNDS = 30;

/** Numbers from 0 up to 1 that are the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A store as a process has it whose reads and writes take their time; an object of its own. */
function paced<T extends object>(whole: T, pace: () => Promise<void>): T {
  const seen = new Map<PropertyKey, unknown>();
  return new Proxy(whole, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      const isPart = key === "scripts" || key === "results";
      if (typeof value !== "function" && !isPart) return value;
      const known = seen.get(key) ?? (isPart ? paced(value as object, pace) : undefined) ??
        (async (...args: unknown[]) => {
          await pace();
          const result: unknown = await Reflect.apply(value as () => unknown, target, args);
          await pace();
          return result;
        });
      seen.set(key, known);
      return known;
    },
  });
}

for (const way of WAYS) {
  Deno.test(`resume (${way}): of two processes that go on at once one comes to the end, and nothing is done twice`, async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const random = randomFrom(round);
      const pace = async () => {
        for (let ticks = Math.floor(random() * 5); ticks > 0; ticks--) await null;
        if (random() < 0.3) await new Promise((resolve) => setTimeout(resolve, 0));
      };
      const w = new Waiting();
      w.onCall = pace;
      const config = way === "code" ? {} : {
        ...byName(w, { safe: way === "tools at once" }),
        redactor: Redactor.fromSecrets({ KEY: 'at":1' }),
      };
      const reply = way === "code"
        ? block(`async function run() {
          await look(1); await send(2); await look(3); await pay(4); await look(5);
        }`)
        : calls("look", "send", "look", "pay", "look");
      const first = w.open([reply], { config });
      await first.loop.run({ sessionId: "s", message: "go" });
      const goOn = async (): Promise<RunResult> => {
        const store: MemoryStore = paced(w.store, pace);
        const own = { steps: store, sessions: store, calls: store, random };
        const { loop } = w.open(["over"], { config: { ...config, ...own } });
        await pace();
        return await loop.resume(YES);
      };
      const ends: string[] = [];
      while (!ends.includes("completed") && ends.length < 12) {
        const two = await Promise.all([goOn(), goOn()]);
        ends.push(...two.map(({ status, error }) => error?.code ?? status));
      }
      const what = `round ${round}: ${ends}; ${w.done}`;
      assert.equal(ends.filter((end) => end === "completed").length, 1, what);
      const fair = new Set(["completed", "waiting", "not_waiting"]);
      assert.ok(ends.every((end) => fair.has(end)), what);
      assert.equal(new Set(w.done).size, w.done.length, what);
    }
  });
}
