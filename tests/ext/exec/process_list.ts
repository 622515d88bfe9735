/** The machine's processes as `ps` tells them, for tests of what commands leave behind. Needs permission to run `ps`. */

/** One process. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Begins with `Z` when it has ended and waits to be collected. */
  readonly state: string;
  readonly command: string;
}

/** Every process but `ps` itself. */
export async function listProcesses(): Promise<readonly ListedProcess[]> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-A", "-o", "pid=,ppid=,stat=,args="],
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout).split("\n").flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (command === undefined || /^\S*ps -A -o /.test(command)) return [];
    return [{ pid: Number(pid), parent: Number(parent), state: state!, command }];
  });
}

/** Whether all of these have ended; one that waits to be collected has. */
export async function allGone(pids: readonly number[]): Promise<boolean> {
  if (pids.length === 0 || pids.some((pid) => !(pid > 1))) throw new Error(`No processes: ${pids}`);
  const running = (await listProcesses()).filter(({ state }) => !state.startsWith("Z"));
  return !running.some(({ pid }) => pids.includes(pid));
}

/** What runs directly under a process, ended ones that wait to be collected included. */
export async function childrenOf(root: number): Promise<readonly ListedProcess[]> {
  return (await listProcesses()).filter(({ parent }) => parent === root);
}
