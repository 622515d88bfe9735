/**
 * `grep`, `glob` and `listDir` over 50 MB in 20,000 files, beside GNU grep, `find` and `ls` on the same warm tree, in turns. The functions are
 * called as the host calls them for a script, in this process, without a guest. Beside them stands the least that any program of this runtime
 * needs: list each folder, open, read and close each file, nothing else. The memory is that of a process of its own for each size of tree.
 *
 *     deno run -A bench/workspace_bench.ts [rounds]
 */
import { closeSync, openSync, readSync } from "node:fs";
import type { JsonValue } from "../contracts/json.ts";
import type { CallContext, HostFunction } from "../contracts/sandbox.ts";
import { workspaceCapability } from "../ext/workspace/mod.ts";
import { median, report, timed } from "./figures.ts";
import { makeTree } from "./workspace_tree.ts";

const EXCLUDED = ["--exclude-dir=.git", "--exclude-dir=node_modules", "--exclude-dir=dist"];
const PRUNED = "-name .git -prune -o -name node_modules -prune -o -name dist -prune -o -type f";
const PATTERNS = [
  { name: "rare literal", pattern: "needle_in_haystack", literal: true },
  {
    name: "rare literal, whatever its case",
    pattern: "NEEDLE_in",
    literal: true,
    ignoreCase: true,
  },
  { name: "rare expression", pattern: "needle_[a-z_]+ +here" },
  { name: "rare expression without a literal", pattern: "[a-z]+_[a-z]+_\\w+" },
  { name: "expression of frequent words", pattern: "(import|export) +\\w+ from needle" },
  { name: "alternatives", pattern: "needle_x|needle_in|TODO" },
];

// deno-lint-ignore no-explicit-any -- each function returns something else
type Call = (name: string, ...args: JsonValue[]) => Promise<any>;

if (Deno.args[0] === "memory") await printPeak(Deno.args[1] ?? "");
else await measureAll(Number(Deno.args[0] ?? 7));

async function measureAll(rounds: number): Promise<void> {
  const base = await Deno.makeTempDir({ prefix: "agentloop-bench-" });
  try {
    const root = `${base}/tree`;
    Deno.mkdirSync(root);
    makeTree(root, { files: 20_000, bytes: 50_000_000 });
    Deno.mkdirSync(`${base}/flat/folder`, { recursive: true });
    for (let n = 0; n < 10_000; n++) Deno.writeTextFileSync(`${base}/flat/folder/${n}.txt`, "x");
    await measureSearch(root, rounds);
    await measureNames(root, rounds);
    await measureList(`${base}/flat`, rounds);
    await measureMemory(base, root);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

async function measureSearch(root: string, rounds: number): Promise<void> {
  const call = await callsOf(root);
  for (const { name, pattern, literal = false, ignoreCase = false } of PATTERNS) {
    const flags = `-rn${literal ? "F" : "E"}${ignoreCase ? "i" : ""}`;
    const found = { grep: 0, ours: 0 };
    const [ours, grep, floor] = await inTurns(rounds, [
      async () => {
        found.ours =
          (await call("grep", pattern, { literal, ignoreCase, max: 2_000 })).matches.length;
      },
      async () =>
        found.grep = await linesOf("grep", [flags, ...EXCLUDED, "-e", pattern, "."], root),
      () => readAll(root),
    ]);
    if (found.grep !== found.ours) throw new Error(`${pattern}: ${JSON.stringify(found)}`);
    reportRatio(`grep, ${name} (${found.ours} lines)`, { ours, theirs: grep, floor, tool: "grep" });
  }
}

async function measureNames(root: string, rounds: number): Promise<void> {
  const call = await callsOf(root);
  for (
    const [pattern, test] of [["**/*7.ts", "-name *7.ts"], [
      "**/index*/**/*.md",
      "-path */index*/*.md",
    ]]
  ) {
    const found = { find: 0, ours: 0 };
    const args = [".", ...`${PRUNED} ${test} -print`.split(" ")];
    const [ours, find, floor] = await inTurns(rounds, [
      async () => found.ours = (await call("glob", pattern ?? "")).length,
      async () => found.find = await linesOf("find", args, root),
      () => void namesBelow(root),
    ]);
    if (found.find !== found.ours) throw new Error(`${pattern}: ${JSON.stringify(found)}`);
    reportRatio(`glob, ${pattern} (${found.ours} files)`, {
      ours,
      theirs: find,
      floor,
      tool: "find",
    });
  }
}

async function measureList(root: string, rounds: number): Promise<void> {
  const call = await callsOf(root);
  const [ours, ls, floor] = await inTurns(rounds, [
    async () => void await call("listDir", "folder"),
    async () => void await linesOf("ls", ["-A", "folder"], root),
    () => void [...Deno.readDirSync(`${root}/folder`)],
  ]);
  reportRatio("listDir of 10,000 files", { ours, theirs: ls, floor, tool: "ls", bar: false });
}

async function measureMemory(base: string, root: string): Promise<void> {
  const [small, large] = [`${base}/small`, `${base}/large`];
  Deno.mkdirSync(small);
  Deno.mkdirSync(large);
  makeTree(small, { files: 5_000, bytes: 12_500_000 });
  makeTree(large, { files: 60_000, bytes: 150_000_000 });
  for (
    const [name, tree] of [["5,000 files", small], ["20,000 files", root], ["60,000 files", large]]
  ) {
    const values: number[] = [];
    for (let round = 0; round < 3; round++) {
      const { stdout, success } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-lock", new URL(import.meta.url).pathname, "memory", tree ?? ""],
        stderr: "inherit",
      }).output();
      if (!success) throw new Error("the memory was not measured");
      values.push(Number(new TextDecoder().decode(stdout)));
    }
    report({ name: `growth of the peak by a grep and a glob, ${name}`, unit: "MiB", values });
  }
}

/** Prints by how much the process's peak of resident memory grows, in MiB. */
async function printPeak(root: string): Promise<void> {
  const peak = () =>
    Number(/VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync("/proc/self/status"))?.[1]) / 1024;
  const call = await callsOf(root);
  const before = peak();
  await call("grep", "needle_[a-z_]+ +here");
  await call("glob", "**/*7.ts");
  console.log(peak() - before);
}

/** Runs some works one after the other, again and again, so that a load of the machine meets all. Gives the times of each in ms. */
async function inTurns(rounds: number, works: readonly (() => unknown)[]): Promise<number[][]> {
  const times: number[][] = works.map(() => []);
  for (const work of works) await work();
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of works.entries()) times[index]?.push(await timed(work));
  }
  return times;
}

function reportRatio(
  name: string,
  { ours = [], theirs = [], floor = [], tool, bar = true }: {
    readonly ours?: readonly number[];
    readonly theirs?: readonly number[];
    readonly floor?: readonly number[];
    readonly tool: string;
    readonly bar?: boolean;
  },
): void {
  report({ name, unit: "ms", values: ours });
  report({ name: `  ${tool}`, unit: "ms", values: theirs });
  report({ name: "  the least that this runtime needs", unit: "ms", values: floor });
  report({
    name: `  times ${tool}`,
    unit: "x",
    values: [median(ours) / median(theirs)],
    ...(bar && { bar: 2 }),
  });
}

/** The functions, as the host calls them. */
async function callsOf(
  root: string,
): Promise<Call> {
  const { signal } = new AbortController();
  const [pack] = await workspaceCapability({ root }).build({ signal, sessionId: "bench" });
  const functions = new Map<string, HostFunction>(pack?.functions.map((one) => [one.name, one]));
  return async (name, ...args) =>
    await functions.get(name)?.execute(args, { signal } as CallContext);
}

/** Runs a program and counts the lines that it writes. */
async function linesOf(program: string, args: readonly string[], cwd: string): Promise<number> {
  const { stdout } = await new Deno.Command(program, { args: [...args], cwd }).output();
  return new TextDecoder().decode(stdout).split("\n").length - 1;
}

/** The files below a folder, of those that are not left out. */
function namesBelow(folder: string): string[] {
  const found: string[] = [];
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if ([".git", "node_modules", "dist"].includes(name)) continue;
    if (isDirectory) found.push(...namesBelow(`${folder}/${name}`));
    else found.push(`${folder}/${name}`);
  }
  return found;
}

function readAll(root: string): void {
  const buffer = new Uint8Array(1024 * 1024);
  for (const path of namesBelow(root)) {
    const file = openSync(path, "r");
    while (readSync(file, buffer) > 0);
    closeSync(file);
  }
}
