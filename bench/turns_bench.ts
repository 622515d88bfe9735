/**
 * What a turn costs over the floor: 20 turns and an answer, through the sandbox, with a memory store and with SQLite, beside `bare` in the same rounds.
 *
 *     deno run -A bench/turns_bench.ts [rounds]
 */
import { createProcessHost } from "../sandbox/process_host.ts";
import { openSqliteStore } from "../stores/sqlite/mod.ts";
import { runBare } from "./bare.ts";
import { createBenchLoop } from "./engine.ts";
import { report, timed } from "./figures.ts";
import { startModel } from "./model_process.ts";

const TURNS = 20;
const CALLS = TURNS + 1;
const rounds = Number(Deno.args[0] ?? 12);

await using model = await startModel();
await using host = createProcessHost({ idleMs: 60_000 });
const folder = await Deno.makeTempDir({ prefix: "agentloop-bench-" });
try {
  await using sqlite = openSqliteStore(`${folder}/turns.db`);
  const setting = { baseUrl: model.baseUrl, model: `loop:${TURNS}`, host };
  const inMemory = createBenchLoop(setting);
  const inSqlite = createBenchLoop({ ...setting, store: sqlite });
  const run = (loop: ReturnType<typeof createBenchLoop>, id: string) => async () => {
    const result = await loop.run({ sessionId: id, message: id });
    if (result.finalText !== `done ${TURNS}`) throw new Error(`wrong answer: ${result.reason}`);
  };
  const figures = { bare: [] as number[], memory: [] as number[], sqlite: [] as number[] };
  for (let round = -2; round < rounds; round++) {
    const bare = await timed(() =>
      runBare(model.baseUrl, { model: setting.model, id: `bare ${round}` })
    );
    const memory = await timed(run(inMemory, `memory ${round}`));
    const durable = await timed(run(inSqlite, `sqlite ${round}`));
    if (round < 0) continue; // the first rounds warm the compiler
    figures.bare.push(bare / CALLS);
    figures.memory.push(memory / CALLS);
    figures.sqlite.push(durable / CALLS);
  }
  const over = (values: number[]) => values.map((value, at) => value - figures.bare[at]!);
  report({ name: "a turn, bare (the floor)", unit: "ms", values: figures.bare });
  report({ name: "a turn, sandbox and memory store", unit: "ms", values: figures.memory });
  report({ name: "a turn, sandbox and SQLite log", unit: "ms", values: figures.sqlite });
  report({ name: "  over bare, memory store", unit: "ms", values: over(figures.memory) });
  report({ name: "  over bare, SQLite log", unit: "ms", values: over(figures.sqlite), bar: 3 });
} finally {
  await Deno.remove(folder, { recursive: true });
}
