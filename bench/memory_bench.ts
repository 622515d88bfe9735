/**
 * Peak memory of one run of 20 turns, the guest process included, beside `bare`: the sum of PSS over the process tree.
 *
 *     deno run -A bench/memory_bench.ts [rounds]
 */
import { report } from "./figures.ts";
import { startModel } from "./model_process.ts";
import { treePss } from "./process_memory.ts";

const rounds = Number(Deno.args[0] ?? 5);
const root = new URL("..", import.meta.url).pathname;
await using model = await startModel();

/** Runs a program and looks at its tree until it ends. */
async function peakMiB(script: string): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", script, model.baseUrl, "loop:20"],
    cwd: root,
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  let ended = false;
  const status = child.status.then((status) => {
    ended = true;
    if (!status.success) throw new Error(`${script} failed`);
  });
  let peak = 0;
  while (!ended) {
    peak = Math.max(peak, await treePss(child.pid));
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  await status;
  await model.stats();
  return peak / 2 ** 20;
}

const bare: number[] = [], engine: number[] = [];
for (let round = 0; round < rounds; round++) {
  bare.push(await peakMiB("bench/bare.ts"));
  engine.push(await peakMiB("bench/engine.ts"));
}
report({ name: "peak memory of a run, bare (the floor)", unit: "MiB PSS", values: bare });
report({ name: "peak memory of a run, guest process included", unit: "MiB PSS", values: engine });
