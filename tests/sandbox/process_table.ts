/**
 * The machine's processes as tests see them: what runs under a program, in which state, with how much memory. Linux only.
 * Needs permission to run the runtime itself.
 */

/** One process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** One letter: `R` runs, `S` sleeps, `Z` has ended and waits to be collected. */
  readonly state: string;
  /** Processor time used so far. */
  readonly cpuTicks: number;
  /** When it started; with the pid it names one process for good. */
  readonly startTicks: number;
  readonly residentBytes: number;
  /** The most that it ever held. */
  readonly peakBytes: number;
  readonly command: readonly string[];
  /** Names of the variables it was started with. */
  readonly environment: readonly string[];
}

/** Looks at processes. Owned by whoever opened it. */
export interface ProcessTable extends AsyncDisposable {
  /** Everything under a process, ended ones that wait to be collected included. @param root default: this program */
  below(root?: number): Promise<readonly ProcessEntry[]>;
  /** The guest processes under a process that have not ended. @param root default: this program */
  guests(root?: number): Promise<readonly ProcessEntry[]>;
  /** One process; `undefined` when there is none. */
  find(pid: number): Promise<ProcessEntry | undefined>;
  /** Whether that very process still runs. */
  isRunning(entry: ProcessEntry): Promise<boolean>;
}

/** Opens the table before a file's tests and closes it after them. */
export function processTableOfTests(): () => ProcessTable {
  let table: ProcessTable;
  Deno.test.beforeAll(() => {
    table = openProcessTable();
  });
  Deno.test.afterAll(async () => {
    await table[Symbol.asyncDispose]();
  });
  return () => table;
}

/** Opens the table: a small program that reads it. */
export function openProcessTable(): ProcessTable {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-config",
      "--no-lock",
      "--allow-all",
      import.meta.resolve("./process_table_main.ts"),
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let turn = Promise.resolve<unknown>(undefined);

  async function ask(line: string): Promise<readonly ProcessEntry[]> {
    await writer.write(new TextEncoder().encode(line + "\n"));
    let text = "";
    while (!text.endsWith("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error("The program that reads the process table ended.");
      text += value;
    }
    return JSON.parse(text);
  }
  function read(root: number, others: readonly number[] = []): Promise<readonly ProcessEntry[]> {
    const asked = turn.then(() => ask([root, ...others].join(" ")));
    turn = asked.catch(() => {});
    return asked;
  }
  async function find(pid: number): Promise<ProcessEntry | undefined> {
    return (await read(0, [pid])).find((entry) => entry.pid === pid);
  }

  return {
    below: async (root = Deno.pid) => (await read(root)).filter(({ pid }) => pid !== child.pid),
    guests: async (root = Deno.pid) => (await read(root)).filter(isGuest),
    find,
    async isRunning({ pid, startTicks }) {
      const found = await find(pid);
      return found !== undefined && found.startTicks === startTicks && found.state !== "Z";
    },
    async [Symbol.asyncDispose]() {
      await turn;
      await writer.close();
      await reader.cancel();
      await child.status;
    },
  };
}

function isGuest({ command, state }: ProcessEntry): boolean {
  return state !== "Z" && command.some((word) => word.endsWith("sandbox/guest/main.ts"));
}

/** Asks again until the answer is yes; gives up after `boundMs`, naming what was waited for. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  boundMs = 20_000,
): Promise<void> {
  const start = performance.now();
  while (!await condition()) {
    if (performance.now() - start > boundMs) throw new Error(`Waited in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
