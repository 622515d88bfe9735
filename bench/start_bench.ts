/**
 * What a start costs: library and command line until their first request reaches the model, beside `bare`; `--version` beside an empty `deno run`;
 * and the peak memory of each. Rounds are interleaved.
 *
 *     deno run -A bench/start_bench.ts [rounds]
 */
import { median, report } from "./figures.ts";
import { startModel } from "./model_process.ts";

const rounds = Number(Deno.args[0] ?? 7);
const root = new URL("..", import.meta.url).pathname;
await using model = await startModel();
const folder = await Deno.makeTempDir({ prefix: "agentloop-bench-" });

interface Start {
  /** From the start of the process to its first request; NaN when it makes none. */
  readonly firstRequestMs: number;
  /** From its start to its end. */
  readonly wallMs: number;
}

async function start(args: readonly string[]): Promise<Start> {
  await model.stats();
  const startedAt = performance.timeOrigin + performance.now();
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: root,
    env: {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "x",
      OPENAI_CHAT_MODEL: "loop:1",
      AGENTLOOP_DB: `${folder}/start.db`,
      NO_COLOR: "1",
    },
    stdin: "null",
  }).output();
  const wallMs = performance.timeOrigin + performance.now() - startedAt;
  if (code > 2) throw new Error(new TextDecoder().decode(stderr).slice(-500));
  const { firstRequestAt } = await model.stats();
  return { firstRequestMs: firstRequestAt === 0 ? NaN : firstRequestAt - startedAt, wallMs };
}

try {
  await Deno.writeTextFile(`${folder}/empty.ts`, "");
  const run = ["run", "-A", "--no-lock"];
  const programs = {
    empty: [...run, `${folder}/empty.ts`],
    version: [...run, "cli.ts", "--version"],
    bare: [...run, "bench/bare.ts", model.baseUrl],
    library: [...run, "bench/engine.ts", model.baseUrl],
    command: [...run, "cli.ts", "run", "--quiet", "start"],
  };
  const starts = Object.fromEntries(
    Object.keys(programs).map((name) => [name, [] as Start[]]),
  ) as Record<keyof typeof programs, Start[]>;
  for (let round = -1; round < rounds; round++) {
    for (const [name, args] of Object.entries(programs)) {
      const figures = await start(args);
      if (round >= 0) starts[name as keyof typeof programs].push(figures);
    }
  }
  const wall = (name: keyof typeof programs) => starts[name].map((one) => one.wallMs);
  const first = (name: keyof typeof programs) => starts[name].map((one) => one.firstRequestMs);
  report({ name: "empty deno run (the floor)", unit: "ms", values: wall("empty") });
  report({ name: "cli.ts --version", unit: "ms", values: wall("version") });
  const versionRatio = median(wall("version")) / median(wall("empty"));
  report({ name: "  against an empty deno run", unit: "x", values: [versionRatio], bar: 1.3 });
  report({ name: "bare, start to first request (the floor)", unit: "ms", values: first("bare") });
  report({ name: "library, start to first request", unit: "ms", values: first("library") });
  const libraryRatio = median(first("library")) / median(first("bare"));
  report({ name: "  against bare", unit: "x", values: [libraryRatio], bar: 4 });
  report({
    name: "command, exec to first request",
    unit: "ms",
    values: first("command"),
    bar: 400,
  });
  report({ name: "command, exec to exit", unit: "ms", values: wall("command") });
} finally {
  await Deno.remove(folder, { recursive: true });
}
