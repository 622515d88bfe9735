/**
 * Starts the command as a user does: a process of its own, with a home and an environment of its own, and no terminal.
 */
import { fileURLToPath } from "node:url";

/** The command's main module. */
export const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));

/** How a command is started. */
export interface CliOptions {
  /** Variables beside those that every test sets. */
  readonly env?: Readonly<Record<string, string>>;
  /** What comes on stdin: text and then its end, or a pipe that stays open. @default "null" */
  readonly stdin?: string | "null" | "open";
  /** The folder that it is started in. @default the home */
  readonly cwd?: string;
}

/** How a command ended. */
export interface CliResult {
  /** The exit code. */
  readonly code: number;
  /** All of stdout. */
  readonly stdout: string;
  /** All of stderr. */
  readonly stderr: string;
}

/** A folder that stands for a user's home. Disposing removes it. */
export interface Home extends AsyncDisposable {
  /** The folder. */
  readonly path: string;
  /** Runs the command to its end. */
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** Starts the command; the caller awaits its end. */
  start(args: readonly string[], options?: CliOptions): Deno.ChildProcess;
  /** The environment that commands get. */
  env(more?: Readonly<Record<string, string>>): Record<string, string>;
  /** The arguments of the runtime that start the command. */
  args(args: readonly string[]): string[];
}

/** Makes an empty home. With a base URL the commands find their model there. */
export async function openHome(baseUrl?: string): Promise<Home> {
  const path = await Deno.makeTempDir({ prefix: "agentloop-cli-" });

  function env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      HOME: path,
      DENO_DIR: denoDir(),
      PATH: Deno.env.get("PATH") ?? "",
      TZ: "UTC",
      NO_COLOR: "1",
      OPENAI_MAX_RETRIES: "0",
      ...(baseUrl === undefined
        ? {}
        : { OPENAI_BASE_URL: baseUrl, OPENAI_CHAT_MODEL: "test-model" }),
      ...more,
    };
  }

  function args(words: readonly string[]): string[] {
    return ["run", "--no-lock", "-A", CLI, ...words];
  }

  function start(words: readonly string[], options: CliOptions = {}): Deno.ChildProcess {
    const { stdin = "null" } = options;
    return new Deno.Command(Deno.execPath(), {
      args: args(words),
      clearEnv: true,
      env: env(options.env),
      cwd: options.cwd ?? path,
      stdin: stdin === "null" ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  return {
    path,
    env,
    args,
    start,
    async run(words, options = {}) {
      const { stdin = "null" } = options;
      const child = start(words, options);
      if (stdin !== "null" && stdin !== "open") {
        const writer = child.stdin.getWriter();
        await writer.write(new TextEncoder().encode(stdin));
        await writer.close();
      }
      const { code, stdout, stderr } = await child.output();
      if (stdin === "open") await child.stdin.close();
      const decoder = new TextDecoder();
      return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
    },
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** The lines of stdout in JSON mode. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever was written
export function jsonLines(stdout: string): any[] {
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** The one result line, after a check that it is the only one and the last. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever was written
export function onlyResult(stdout: string): any {
  const lines = jsonLines(stdout);
  const results = lines.filter((line) => line.type === "result");
  if (results.length !== 1 || lines.at(-1) !== results[0]) {
    throw new Error(`expected one result line, the last one, in:\n${stdout}`);
  }
  return results[0];
}

/** Processes whose environment names a home, whoever their parent is by now; zombies have no environment. */
export async function processesOf(home: Home): Promise<string[]> {
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", 'grep -lF "HOME=$0" /proc/[0-9]*/environ 2>/dev/null', home.path],
    stdout: "piped",
  }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

/** A reply of the model that holds one script. */
export function script(source: string): string {
  return `Let me see.\n\n\`\`\`javascript\n${source}\n\`\`\`\n`;
}

function denoDir(): string {
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`;
  return Deno.env.get("DENO_DIR") ?? `${cache}/deno`;
}
