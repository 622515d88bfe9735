/** Scripts of any shape that wait, and whose processes are ended at any point. For the sandbox of these tests, and for real guests. */
import assert from "node:assert/strict";
import type { HostFunction, SandboxBuilder } from "../contracts/sandbox.ts";
import { block } from "./_run_fixture.ts";
import { observed, Waiting, YES } from "./_waiting_fixture.ts";

/** Calls of one script at most. */
const MAX_CALLS = 14;
/** How often a session is taken up at most until it is over. */
const ATTEMPTS = 60;

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An expression that makes calls one after the other, at once, or in a race, and the value that it comes to; none where a race decides. */
function expression(random: () => number, budget: { calls: number }, depth = 0): string {
  const kind = random();
  if (depth > 3 || budget.calls <= 1 || kind < 0.35) {
    budget.calls--;
    const name = random() < 0.3 ? "send" : random() < 0.2 ? "fail" : "look";
    // Some have the same arguments.
    const arg = random() < 0.2 ? `"same"` : `"${MAX_CALLS - budget.calls}"`;
    return `${name}(${arg}).catch((error) => error.name === "Error" ? error.message : error.name)`;
  }
  const parts = Array.from(
    { length: 2 + Math.floor(random() * 2) },
    () => expression(random, budget, depth + 1),
  );
  if (kind < 0.65) return `Promise.all([${parts.join(", ")}])`;
  if (kind < 0.75) return `Promise.race([${parts.join(", ")}])`;
  return `(async () => [${parts.map((part) => `await ${part}`).join(", ")}])()`;
}

/** What the functions give. */
const plain = {
  look: (arg: unknown) => `looked ${arg}`,
  send: (arg: unknown) => `sent ${arg}`,
  fail: (arg: unknown) => {
    throw new Error(`no ${arg}`);
  },
};

/** Tries scripts; fails where one does something twice, or does not come to what it would have come to without waiting and dying. */
export async function tryRandomScripts(
  { from, rounds, sandboxFor }: {
    /** The first seed. */
    readonly from: number;
    readonly rounds: number;
    /** The sandbox that runs them. @default the double */
    readonly sandboxFor?: (functions: readonly HostFunction[]) => SandboxBuilder;
  },
): Promise<void> {
  for (let round = from; round < from + rounds; round++) {
    const random = randomFrom(round + 1);
    const source = `async function run() { return await ${
      expression(random, { calls: MAX_CALLS })
    }; }`;
    const w = new Waiting();
    w.functions.splice(0);
    for (const name of ["look", "send", "fail"]) {
      w.functions.push({
        name,
        sideEffect: name === "send",
        execute: async ([arg = null]) => {
          w.done.push(`${name} ${JSON.stringify(arg)}`);
          await pace();
          return plain[name as keyof typeof plain](arg);
        },
      });
    }
    const config = sandboxFor === undefined ? {} : { sandboxBuilder: sandboxFor(w.functions) };
    let died: AbortController | undefined;
    const pace = async () => {
      for (let ticks = Math.floor(random() * 6); ticks > 0; ticks--) await null;
      if (random() < 0.3) await new Promise((resolve) => setTimeout(resolve, 0));
      if (died !== undefined && random() < 0.15) died.abort();
    };
    const first = w.open([block(source), "over"], { config });
    let { status } = await first.loop.run({ sessionId: "s", message: "go" });
    let told = "";
    let attempts = 0;
    while (status !== "completed" && attempts++ < ATTEMPTS) {
      died = random() < 0.4 ? new AbortController() : undefined;
      const run = w.open(["over"], { config });
      const signal = died?.signal;
      const result = await run.loop.resume({ ...YES, ...(signal && { signal }) });
      status = result.status;
      if (status === "completed") told = observed(run);
      if (result.error?.code === "not_waiting") break;
    }
    const what = `round ${round}: ${source}\n${told}\n${w.done.join("\n")}`;
    if (attempts === 0) continue; // nothing in it was asked about
    assert.equal(status, "completed", what);
    assert.doesNotMatch(told, /went another way/, what);
    if (/was under way/.test(told)) continue;
    if (!source.includes("race")) {
      const run: () => Promise<unknown> = new Function(
        ...Object.keys(plain),
        `${source}\nreturn run;`,
      )(...Object.values(plain).map((does) => async (arg: string) => await does(arg)));
      assert.deepEqual(JSON.parse((await w.store.get("s")).data!), await run(), what);
    }
    const twice = Map.groupBy(w.done, (line) => line);
    for (const [line, { length }] of twice) {
      const [name, arg] = line.split(" ");
      const sites = source.split(`${name}(${arg})`).length - 1;
      assert.ok(length <= sites, `${line} ${length} times, ${sites} meant; ${what}`);
    }
  }
}
