/**
 * Answers each line `root other …` on stdin with one line of JSON: the processes under `root`, and the others by their ids. A program of
 * its own, since the runtime shows /proc only to programs with every permission.
 */
import type { ProcessEntry } from "./process_table.ts";

function readEntry(pid: number): ProcessEntry | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    const bytes = (key: string): number =>
      1024 * Number(new RegExp(`^${key}:\\s*(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
    return {
      pid,
      parent: Number(fields[1]),
      state: fields[0]!,
      cpuTicks: Number(fields[11]) + Number(fields[12]),
      startTicks: Number(fields[19]),
      residentBytes: bytes("VmRSS"),
      peakBytes: bytes("VmHWM"),
      environment: readNames(pid),
      command: Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0").slice(0, -1),
    };
  } catch (error) {
    // It ended while it was being read.
    if (error instanceof Deno.errors.NotFound || String(error).includes("No such process")) {
      return undefined;
    }
    throw error;
  }
}

/** None of a process that is not ours to look into. */
function readNames(pid: number): readonly string[] {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/environ`);
    return text.split("\0").slice(0, -1).map((entry) => entry.split("=")[0]!);
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) return [];
    throw error;
  }
}

function answer(line: string): readonly ProcessEntry[] {
  const [root, ...others] = line.split(" ").map(Number) as [number, ...number[]];
  const all = [...Deno.readDirSync("/proc")]
    .filter(({ name }) => /^\d+$/.test(name))
    .map(({ name }) => readEntry(Number(name)))
    .filter((entry) => entry !== undefined && entry.pid !== Deno.pid) as ProcessEntry[];
  const under = new Set([root]);
  for (let size = 0; size !== under.size;) {
    size = under.size;
    for (const { pid, parent } of all) if (under.has(parent)) under.add(pid);
  }
  under.delete(root);
  const asked = new Set(others);
  return all.filter(({ pid }) => under.has(pid) || asked.has(pid));
}

async function main(): Promise<void> {
  let pending = "";
  const print = new TextEncoder();
  for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (pending + piece).split("\n");
    pending = lines.pop()!;
    for (const line of lines) {
      const bytes = print.encode(JSON.stringify(answer(line)) + "\n");
      for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
    }
  }
}

if (import.meta.main) await main();
