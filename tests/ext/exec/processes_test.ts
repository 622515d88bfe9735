import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { execCapability } from "../../../ext/exec/mod.ts";
import { runScripts } from "../../packs/script_loop.ts";
import { until } from "../../sandbox/process_table.ts";
import { makeWorkspace, type Workspace } from "./workspace.ts";
import { allGone, childrenOf } from "./process_list.ts";

/** What is sent has arrived when `exec` returns; that the process is taken away may take the machine a moment more. */
async function soonGone(pids: readonly number[]): Promise<void> {
  await until(`${pids} are gone`, () => allGone(pids), 2000);
}

function pidsIn(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

/** The numbers that a command wrote into the file `pids` once it has. */
async function writtenPids(workspace: Workspace, count: number): Promise<readonly number[]> {
  const read = async () =>
    pidsIn(await Deno.readTextFile(join(workspace.root, "pids")).catch(() => ""));
  await until("the command has started", async () => (await read()).length === count);
  return await read();
}

/** A command with a grandchild, each of which ignores what it can, that says who they are and stays. */
const STAYING = 'trap "" TERM HUP INT; sleep 300 & echo "$$ $!" > pids; wait';

Deno.test("EXE-01 exec: at the timeout the whole group is gone, and the output so far is there", async () => {
  await using workspace = await makeWorkspace();
  const start = performance.now();
  const result = await workspace.exec([
    ["sh", "-c", "(while :; do echo tick; sleep 1; done) & echo $$ $!; sleep 60"],
    { timeoutMs: 1000 },
  ]);
  const { timedOut, signal, code, stdout } = result;
  deepEqual([timedOut, signal, code], [true, "SIGTERM", 143]);
  ok(stdout.includes("tick"));
  ok(performance.now() - start < 10_000);
  await soonGone(pidsIn(stdout));
});

Deno.test("exec: a command that ignores the first signal is killed after the grace", async () => {
  await using workspace = await makeWorkspace();
  const start = performance.now();
  const { timedOut, signal } = await workspace.exec([["sh", "-c", STAYING], { timeoutMs: 300 }]);
  deepEqual([timedOut, signal], [true, "SIGKILL"]);
  ok(performance.now() - start >= 2200);
  await soonGone(await writtenPids(workspace, 2));
});

Deno.test("exec: within the grace a command can put things in order", async () => {
  await using workspace = await makeWorkspace();
  const { timedOut, signal, code, stdout } = await workspace.exec([
    ["sh", "-c", 'trap "sleep 0.7; echo tidy; exit 7" TERM; echo go; while :; do sleep 0.1; done'],
    { timeoutMs: 500 },
  ]);
  deepEqual([timedOut, signal, code, stdout], [true, null, 7, "go\ntidy\n"]);
});

Deno.test("exec: a stopped command is ended too", async () => {
  await using workspace = await makeWorkspace();
  const { signal } = await workspace.exec([["sh", "-c", "kill -s STOP $$"], { timeoutMs: 100 }]);
  equal(signal, "SIGKILL");
});

Deno.test("exec: what a command leaves behind with its outputs open does not hold the call up, and is killed", async () => {
  await using workspace = await makeWorkspace();
  const start = performance.now();
  const { code, stdout, timedOut } = await workspace.exec([
    ["sh", "-c", '(trap "" TERM HUP; sleep 300 & echo $!; wait) & echo $!; sleep 0.1; exit 4'],
  ]);
  deepEqual([code, timedOut], [4, false]);
  ok(performance.now() - start < 10_000);
  equal(pidsIn(stdout).length, 2);
  await soonGone(pidsIn(stdout));
});

Deno.test("exec: what a command leaves behind with its outputs closed is killed as well", async () => {
  await using workspace = await makeWorkspace();
  const { code, stdout } = await workspace.exec([
    ["sh", "-c", "sleep 300 >/dev/null 2>&1 & echo $!"],
  ]);
  equal(code, 0);
  await soonGone(pidsIn(stdout));
});

Deno.test("exec: what steps out of the group is not found (documented), but does not hold the call up either", async () => {
  await using workspace = await makeWorkspace();
  const start = performance.now();
  const { code, stdout } = await workspace.exec([["sh", "-c", "setsid sleep 300 & echo $!"]]);
  const [pid] = pidsIn(stdout);
  try {
    equal(code, 0);
    ok(performance.now() - start < 10_000);
    equal(await allGone([pid!]), false);
  } finally {
    Deno.kill(pid!, "SIGKILL");
  }
});

Deno.test("EXE-06 exec: when its signal ends, the call rejects with the reason and the group is gone", async () => {
  await using workspace = await makeWorkspace();
  const aborting = new AbortController();
  const call = workspace.exec([["sh", "-c", STAYING]], {}, aborting.signal);
  const pids = await writtenPids(workspace, 2);
  aborting.abort(new Error("no longer wanted"));
  await rejects(call, /^Error: no longer wanted$/);
  await soonGone(pids);
});

Deno.test("exec: a signal that has ended starts nothing", async () => {
  await using workspace = await makeWorkspace();
  const call = workspace.exec([["touch", "made"]], {}, AbortSignal.abort(new Error("over")));
  await rejects(call, /^Error: over$/);
  deepEqual([...Deno.readDirSync(workspace.root)], []);
});

Deno.test("EXE-06 exec: a signal that ends during the grace of a timeout shortens it", async () => {
  await using workspace = await makeWorkspace();
  const aborting = new AbortController();
  const command = 'trap "echo > termed" TERM; echo $$ > pids; while :; do sleep 0.05; done';
  const call = workspace.exec([["sh", "-c", command], { timeoutMs: 400 }], {}, aborting.signal);
  const pids = await writtenPids(workspace, 1);
  await until("the first signal was sent", () => exists(join(workspace.root, "termed")));
  const start = performance.now();
  aborting.abort(new Error("over"));
  await rejects(call, /^Error: over$/);
  ok(performance.now() - start < 1900);
  await soonGone(pids);
});

for (const ending of ["abort", "time"] as const) {
  Deno.test(`EXE-06 exec: a run that ends by ${ending} during a call leaves no process`, async () => {
    await using workspace = await makeWorkspace();
    const aborting = new AbortController();
    const running = runScripts(
      [`function run() { return exec(["sh", "-c", ${JSON.stringify(STAYING)}]); }`],
      {
        capabilities: [execCapability({ root: workspace.root })],
        request: ending === "abort" ? { signal: aborting.signal } : { timeoutMs: 1500 },
      },
    ).catch(() => undefined);
    const pids = await writtenPids(workspace, 2);
    aborting.abort();
    await running;
    await soonGone(pids);
  });
}

/** A program that runs one command and may run nothing but what that takes. */
function startProgram(workspace: Workspace): Deno.ChildProcess {
  const program = `
    import { execCapability } from ${
    JSON.stringify(import.meta.resolve("../../../ext/exec/mod.ts"))
  };
    const signal = new AbortController().signal;
    const [pack] = execCapability({ root: ${JSON.stringify(workspace.root)} }).build({});
    const context = { signal, fill: (text) => Promise.resolve(text) };
    const running = pack.functions[0].execute([["sh", "-c", ${JSON.stringify(STAYING)}]], context);
    // What a kill in the instant of a command's start leaves is not held. The guard has heard by now.
    setTimeout(() => Deno.writeTextFileSync(${
    JSON.stringify(`${workspace.root}/under-way`)
  }, ""), 200);
    await running;`;
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-check",
      `--allow-read=${workspace.root}`,
      `--allow-write=${workspace.root}`,
      "--allow-run=sh",
      "--allow-env=PATH",
      `data:text/javascript,${encodeURIComponent(program)}`,
    ],
    detached: true,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
}

for (const signal of ["SIGKILL", "SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.test(`EXE-06 exec: when the program with its whole group is ended by ${signal}, nothing of its commands is left`, async () => {
    await using workspace = await makeWorkspace();
    const program = startProgram(workspace);
    const pids = await writtenPids(workspace, 2);
    await until("the command is under way", () => exists(join(workspace.root, "under-way")));
    const guards = (await childrenOf(program.pid)).map(({ pid }) => pid);
    // A service manager sends it to every process; a guard that obeyed would leave the command alone.
    if (signal !== "SIGKILL") { for (const pid of guards) Deno.kill(pid, signal); }
    // As a terminal does: everything in the program's group gets it.
    Deno.kill(-program.pid, signal);
    await program.status;
    await soonGone([...pids, ...guards]);
  });
}

Deno.test("exec: calls at the same time do not end each other, and leave no guard", async () => {
  await using workspace = await makeWorkspace();
  const results = await Promise.all(
    Array.from(
      { length: 20 },
      (_, index) => workspace.exec([["sh", "-c", `sleep 0.${index % 4}; echo ${index}`]]),
    ),
  );
  deepEqual(results.map(({ stdout }) => Number(stdout)), [...results.keys()]);
  const left = await childrenOf(Deno.pid);
  deepEqual(left.map(({ command }) => command), []);
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
