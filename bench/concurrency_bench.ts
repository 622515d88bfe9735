/**
 * Many at once: 300 runs of 300 sessions in one scope, ten turns each, against a model that answers in 50 ms, beside `bare`; 1,000 scripts that wait for one
 * slow host call; and how long a short host call takes while a neighbour computes.
 *
 *     deno run -A bench/concurrency_bench.ts [rounds]
 */
import { DEFAULT_SANDBOX_LIMITS, type EvaluateRequest } from "../contracts/sandbox.ts";
import { createProcessHost } from "../sandbox/process_host.ts";
import { runBare } from "./bare.ts";
import { createBenchLoop } from "./engine.ts";
import { median, report, timed } from "./figures.ts";
import { startModel } from "./model_process.ts";
import { peakPss, treePss } from "./process_memory.ts";

const RUNS = 300;
const MODEL = "delay:50:9"; // nine scripts and an answer: ten calls
const rounds = Number(Deno.args[0] ?? 3);

function request(source: string, onCall: EvaluateRequest["onCall"]): EvaluateRequest {
  return { source, seed: 1, now: () => new Date(), onCall };
}

const LEASE = {
  scopeKey: "bench",
  limits: DEFAULT_SANDBOX_LIMITS,
  packs: [{ functions: ["slow", "echo"] }],
};

if (Deno.args[0] === "engine" || Deno.args[0] === "bare") await runAll(Deno.args[0], Deno.args[1]!);
else {
  await measureRuns();
  await measureWaiting();
  await measureNeighbours();
}

/** One process with all runs; prints its wall time. */
async function runAll(kind: "engine" | "bare", baseUrl: string): Promise<void> {
  await using host = createProcessHost({ idleMs: 60_000 });
  const loop = createBenchLoop({ baseUrl, model: MODEL, host });
  const one = async (id: string): Promise<void> => {
    const text = kind === "bare"
      ? await runBare(baseUrl, { model: MODEL, id })
      : (await loop.run({ sessionId: id, message: id })).finalText;
    if (text !== "done 9") throw new Error(`wrong answer: ${text}`);
  };
  if (kind === "engine") await one("warm");
  const wall = await timed(() => Promise.all(Array.from({ length: RUNS }, (_, n) => one(`s${n}`))));
  console.log(wall);
}

async function measureRuns(): Promise<void> {
  const figures = { bare: [] as number[], engine: [] as number[], memory: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    await using model = await startModel();
    const start = (kind: "bare" | "engine"): Deno.ChildProcess =>
      new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-lock", import.meta.filename!, kind, model.baseUrl],
        stdout: "piped",
      }).spawn();
    for (const kind of ["bare", "engine"] as const) {
      figures[kind].push(await wallOf(start(kind).output()));
      await model.stats();
    }
    // Apart from the time: to have the kernel add memory up every 20 ms takes a tenth of the machine.
    const watched = start("engine");
    const { value, peakBytes } = await peakPss(watched.pid, () => watched.output());
    await wallOf(Promise.resolve(value));
    figures.memory.push(peakBytes / 1e6);
  }
  report({ name: "300 runs of ten turns, bare (the floor)", unit: "ms", values: figures.bare });
  report({ name: "300 runs of ten turns, engine", unit: "ms", values: figures.engine });
  const ratio = median(figures.engine) / median(figures.bare);
  report({ name: "  against bare", unit: "x", values: [ratio], bar: 2.1 });
  report({ name: "  peak PSS, all processes", unit: "MB", values: figures.memory, bar: 350 });
}

async function wallOf(output: Promise<Deno.CommandOutput>): Promise<number> {
  const { success, stdout } = await output;
  if (!success) throw new Error("the runs failed");
  return Number(new TextDecoder().decode(stdout));
}

async function measureWaiting(): Promise<void> {
  const perScript: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using host = createProcessHost();
    await using guest = host.lease(LEASE);
    const release = Promise.withResolvers<void>();
    const echo = request("function run() { return 1; }", () => Promise.resolve({ ok: true }));
    await guest.evaluate(echo);
    const before = await treePss(Deno.pid);
    let arrived = 0;
    const all = Promise.withResolvers<void>();
    const script = request("function run() { slow(); return 1; }", async () => {
      if (++arrived === 1000) all.resolve();
      await release.promise;
      return { ok: true };
    });
    const scripts = Array.from({ length: 1000 }, () => guest.evaluate(script));
    await all.promise;
    perScript.push((await treePss(Deno.pid) - before) / 1000 / 2 ** 20);
    release.resolve();
    for (const { failure } of await Promise.all(scripts)) {
      if (failure !== undefined) throw new Error(failure.message);
    }
  }
  report({ name: "1,000 scripts that wait at once, each", unit: "MiB", values: perScript, bar: 1 });
}

async function measureNeighbours(): Promise<void> {
  const worst: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using host = createProcessHost();
    await using guest = host.lease(LEASE);
    const answered = (): Promise<{ ok: true; json: string }> =>
      Promise.resolve({ ok: true, json: "1" });
    await guest.evaluate(request("function run() { return 1; }", answered));
    const busy = guest.evaluate(
      request(
        "function run() { const end = 2e7; let n = 0; while (n < end) n++; return n; }",
        answered,
      ),
    );
    let computing = true;
    busy.finally(() => computing = false);
    let longest = 0;
    while (computing) {
      let calledAt = performance.now();
      await guest.evaluate(
        request("function run() { for (let i = 0; i < 20; i++) echo(i); }", () => {
          const now = performance.now();
          longest = Math.max(longest, now - calledAt);
          calledAt = now;
          return answered();
        }),
      );
    }
    await busy;
    worst.push(longest);
  }
  report({
    name: "a host call beside a neighbour that computes, worst",
    unit: "ms",
    values: worst,
    bar: 50,
  });
}
