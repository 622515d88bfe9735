/** Runs the program beside this file with chosen permissions. Needs permission to run the runtime itself. */
import type { Mode } from "./host_program_main.ts";

/** The program while it runs. Disposing ends it. */
export interface HostProgram extends AsyncDisposable {
  readonly pid: number;
  /** The next line that it prints, read as JSON; `undefined` at the end. */
  next(): Promise<Record<string, unknown> | undefined>;
  /** Lets a script go on that holds. */
  go(): Promise<void>;
  kill(signal: Deno.Signal): void;
  /** Its exit code, once it has ended. */
  ended(): Promise<Deno.CommandStatus>;
}

/** Options of {@linkcode startHostProgram}. */
export interface HostProgramOptions {
  /** @default to run the runtime, and nothing else */
  readonly permissions?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the mode `inline` runs. */
  readonly statement?: string;
}

/** Starts the program. */
export function startHostProgram(mode: Mode, options: HostProgramOptions = {}): HostProgram {
  const { permissions = [`--allow-run=${Deno.execPath()}`] } = options;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-lock",
      "--no-config",
      ...permissions,
      import.meta.resolve("./host_program_main.ts"),
      mode,
      ...(options.statement === undefined ? [] : [options.statement]),
    ],
    env: { NO_COLOR: "1", ...options.env },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  let over = false;

  async function next(): Promise<Record<string, unknown> | undefined> {
    for (;;) {
      const end = pending.indexOf("\n");
      if (end >= 0) {
        const line = pending.slice(0, end);
        pending = pending.slice(end + 1);
        return JSON.parse(line);
      }
      const { value, done } = await reader.read();
      if (done) return undefined;
      pending += value;
    }
  }

  return {
    pid: child.pid,
    next,
    go: () => writer.write(new TextEncoder().encode("go\n")),
    kill: (signal) => child.kill(signal),
    async ended() {
      const status = await child.status;
      over = true;
      return status;
    },
    async [Symbol.asyncDispose]() {
      if (!over) {
        try {
          child.kill("SIGKILL");
        } catch {
          // It has ended by itself.
        }
      }
      await child.status;
      await reader.cancel();
      await writer.close().catch(() => {});
    },
  };
}
