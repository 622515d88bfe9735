/** Runs of several tenants at once, drawn at random but the same each time: every script ends as it must, and nothing is left over. */
import assert from "node:assert/strict";
import { DEFAULT_SANDBOX_LIMITS, type Execution } from "../../contracts/sandbox.ts";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { inTime } from "./evaluation.ts";
import { openProcessTable } from "./process_table.ts";

/** A number below the one that is given. */
type Draw = (below: number) => number;

function createDraw(seed: number): Draw {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Script {
  readonly source: string;
  readonly ends: (execution: Execution) => boolean;
}

const SCRIPTS: readonly Script[] = [
  { source: "function run(a) { return a.x + 1 }", ends: (e) => e.valueJson === "6" },
  {
    source:
      "function run() { let sum = 0; for (let i = 0; i < 10; i++) sum += echo(i); return sum }",
    ends: (e) => e.valueJson === "45",
  },
  {
    source:
      "async function run() { const p = await Promise.all([1, 2, 3].map(echo)); await echo(9); return p }",
    ends: (e) => e.valueJson === "[1,2,3]",
  },
  {
    source: "function run() { globalThis.n = (globalThis.n ?? 0) + 1; throw new Error('n' + n) }",
    ends: (e) => e.failure?.message === "Error: n1",
  },
  {
    source: "function run() { let n = 0; for (let i = 0; i < 2e5; i++) n += i; return n }",
    ends: (e) => e.valueJson === "19999900000",
  },
  {
    source: "function run() { return 'x'.repeat(1e6) }",
    ends: (e) => e.valueJson?.length === 1_000_002,
  },
  {
    source: "async function run() { sleep(1); await sleep(2); log('slept') }",
    ends: (e) => e.logs === "slept",
  },
  {
    source: "function run() { const keep = []; for (;;) keep.push(new Uint8Array(1e6)) }",
    ends: (e) => e.failure?.kind === "memory",
  },
];

for (const seed of [1, 2, 3, 4, 5]) {
  Deno.test(`scripts of three tenants end as they must, cancelled or not (${seed})`, async () => {
    await using table = openProcessTable();
    const draw = createDraw(seed);
    const host = createProcessHost({
      maxProcesses: 1 + draw(4),
      maxGuests: [2, 8, 1024][draw(3)]!,
      maxExecutions: [5, 50, 2000][draw(3)]!,
      spares: draw(2),
      idleMs: [0, 20][draw(2)]!,
    });
    const runs = Array.from({ length: 20 }, () => runSome(host, draw));
    await inTime(Promise.all(runs), "every run ends", 60_000);
    await host[Symbol.asyncDispose]();
    assert.deepEqual(await table.below(), []);
  });
}

/** One run: a lease and a few scripts, one after the other. */
async function runSome(host: ReturnType<typeof createProcessHost>, draw: Draw): Promise<void> {
  await using lease = host.lease({
    scopeKey: `tenant ${draw(3)}`,
    limits: { ...DEFAULT_SANDBOX_LIMITS, memoryBytes: [32, 64][draw(2)]! * 1024 * 1024 },
    packs: [{ functions: ["echo"] }],
  });
  for (let i = 1 + draw(4); i > 0; i--) {
    const { source, ends } = SCRIPTS[draw(SCRIPTS.length)]!;
    const abort = new AbortController();
    const cancelled = draw(4) === 0;
    const timer = cancelled ? setTimeout(() => abort.abort(), draw(60)) : undefined;
    const execution = await lease.evaluate({
      source,
      argsJson: '{"x":5}',
      seed: 1,
      now: () => new Date(0),
      signal: abort.signal,
      onCall: async ({ argsJson }) => {
        if (draw(3) > 0) await new Promise((resolve) => setTimeout(resolve, draw(10)));
        return { ok: true, json: JSON.stringify(JSON.parse(argsJson)[0]) };
      },
    });
    clearTimeout(timer);
    const told = JSON.stringify(execution).slice(0, 300);
    assert.ok(ends(execution) || (cancelled && execution.failure?.kind === "cancelled"), told);
  }
}
