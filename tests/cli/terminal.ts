/**
 * Starts the command at a terminal: `script` (util-linux, part of every Debian) gives it a pseudo-terminal as stdin, stdout and stderr.
 */
import type { Home } from "./cli_process.ts";

/** Whether these tests can run here. */
export const HAS_TERMINAL = Deno.build.os === "linux";

/** Far beyond what anything here takes; a test that waits for what never comes is to fail, not to hang. */
const MAX_WAIT_MS = 60_000;

/** A command at a terminal. Disposing ends it. */
export interface Terminal extends AsyncDisposable {
  /** Everything that was shown so far, control sequences included. */
  readonly shown: string;
  /** Types something. */
  type(text: string): Promise<void>;
  /** Waits until something is shown; fails when the command ends without it, or when it does not come in good time. */
  until(pattern: RegExp): Promise<void>;
  /** Waits for the end and gives the exit code. */
  ended(): Promise<number>;
}

/** What the runtime itself writes to a terminal when it has loaded modules: it takes a progress bar away that was never there. */
const RUNTIME_PROGRESS = "\x1b[0G\x1b[2K\x1b[J";

/** Starts the command at a terminal of 100 columns, or as many as are wanted. */
export function openTerminal(
  home: Home,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { cwd = home.path, columns }: { readonly cwd?: string; readonly columns?: number } = {},
): Terminal {
  const quoted = [Deno.execPath(), ...home.args(args)]
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  return openShellLine(`exec ${quoted}`, {
    env: home.env({ TERM: "xterm", ...env }),
    cwd,
    ...(columns === undefined ? {} : { columns }),
  });
}

/** Runs a line of shell at such a terminal. */
export function openShellLine(
  line: string,
  { env, cwd, columns = 100 }: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    /** @default 100 */
    readonly columns?: number;
  },
): Terminal {
  const child = new Deno.Command("script", {
    args: ["-qefc", `stty cols ${columns} rows 30; ${line}`, "/dev/null"],
    clearEnv: true,
    env: { ...env },
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  let shown = "";
  let ended = false;
  let changed = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      shown += text;
      changed.resolve();
      changed = Promise.withResolvers();
    }
    ended = true;
    changed.resolve();
  })();

  return {
    get shown() {
      return shown.replaceAll(RUNTIME_PROGRESS, "");
    },
    async type(text) {
      await writer.write(new TextEncoder().encode(text));
    },
    async until(pattern) {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        changed.resolve();
      }, MAX_WAIT_MS);
      while (!pattern.test(shown)) {
        if (ended || late) {
          clearTimeout(timer);
          throw new Error(`${pattern} was never shown in ${JSON.stringify(shown)}`);
        }
        await changed.promise;
      }
      clearTimeout(timer);
    },
    async ended() {
      const timer = setTimeout(() => child.kill("SIGKILL"), MAX_WAIT_MS);
      const { code } = await child.status;
      clearTimeout(timer);
      await reading;
      return code;
    },
    async [Symbol.asyncDispose]() {
      await writer.close().catch(() => {});
      if (!ended) child.kill("SIGTERM");
      await child.status;
      await reading;
    },
  };
}

/** What is left of each line when carriage returns and erasures have done their work; one line for each line feed. */
export function screenOf(shown: string): string[] {
  return shown.replaceAll("\r\n", "\n").split("\n").map((line) => {
    const last = line.split("\r").at(-1) ?? "";
    return last.replaceAll("\x1b[2K", "").trimEnd();
  });
}
