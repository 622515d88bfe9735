/**
 * The gate: everything that a change must pass, in one command. Each step has a time bound, all steps run even when one fails,
 * and only the output of the failing ones is shown. `--tested` leaves the tests out, for where they have just run.
 */
import { runBounded } from "./bounded_command.ts";
import { readExports } from "./check_publish.ts";

/** One step of the gate. */
export interface GateStep {
  /** What it is called. */
  readonly name: string;
  /** Arguments for the runtime. */
  readonly args: readonly string[];
  /** Time after which it counts as failed. */
  readonly timeoutMs: number;
}

/** What a step's tool may do: the checks read the tree, write scratch files and start the runtime. */
const TOOL = [
  "run",
  "--no-prompt",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-run",
];

/** The steps, given the files behind the package's entries. Types are those of the examples in the sources' comments too. */
export function gateSteps(entries: readonly string[], tested: boolean): readonly GateStep[] {
  const frozen = Deno.env.has("CI") ? ["--frozen"] : [];
  const tool = (file: string) => [...TOOL, ...frozen, `_tools/${file}`];
  const steps: GateStep[] = [
    { name: "format", args: ["fmt", "--check"], timeoutMs: 60_000 },
    { name: "lint", args: ["lint"], timeoutMs: 60_000 },
    { name: "types", args: ["check", ...frozen, "--doc", "."], timeoutMs: 180_000 },
    {
      name: "examples in documents",
      args: ["check", ...frozen, "--doc-only", "README.md", "docs"],
      timeoutMs: 120_000,
    },
    { name: "layers", args: tool("check_layers.ts"), timeoutMs: 60_000 },
    { name: "sizes", args: tool("check_sizes.ts"), timeoutMs: 30_000 },
    { name: "doc comments", args: ["doc", "--lint", ...entries], timeoutMs: 120_000 },
    { name: "package", args: tool("check_publish.ts"), timeoutMs: 120_000 },
    { name: "tests", args: tool("run_tests.ts"), timeoutMs: 500_000 },
  ];
  return steps.filter((step) => !(tested && step.name === "tests"));
}

async function main(): Promise<number> {
  const start = performance.now();
  const steps = gateSteps(await readExports(Deno.cwd()), Deno.args.includes("--tested"));
  let failed = 0;
  for (const step of steps) {
    const result = await runBounded(step.args, { timeoutMs: step.timeoutMs });
    const seconds = (result.durationMs / 1000).toFixed(1);
    if (result.code === 0) {
      console.log(`${step.name}: in order, ${seconds} s`);
      continue;
    }
    failed += 1;
    console.log(result.output.trim());
    const why = result.timedOut ? `not done after ${seconds} s` : `exit code ${result.code}`;
    console.log(`${step.name}: FAILED (${why}): deno ${step.args.join(" ")}`);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`gate: ${steps.length - failed} passed, ${failed} failed, in ${seconds} s`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
