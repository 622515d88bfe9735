/** Runs one command of the gate: shown or kept, and ended when it takes too long, so that nothing hangs. */

/** How one command is run. */
export interface BoundedOptions {
  /** Time after which it is ended. */
  readonly timeoutMs: number;
  /** The folder it runs in. @default this process's own */
  readonly cwd?: string;
  /** What is added to the environment; `null` takes a variable away. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** Show the output as it comes, instead of keeping it. @default false */
  readonly show?: boolean;
}

/** How one command ended. */
export interface BoundedResult {
  /** Its exit code; 124 when it was ended for taking too long. */
  readonly code: number;
  /** Whether it took too long. */
  readonly timedOut: boolean;
  /** What it wrote, both streams together; "" when it was shown. */
  readonly output: string;
  /** How long it took. */
  readonly durationMs: number;
}

/** Runs the runtime itself with these arguments, without standard input. */
export async function runBounded(
  args: readonly string[],
  options: BoundedOptions,
): Promise<BoundedResult> {
  const start = performance.now();
  const stream = options.show === true ? "inherit" : "piped";
  await using child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: options.cwd,
    env: environment(options.env ?? {}),
    clearEnv: true,
    stdin: "null",
    stdout: stream,
    stderr: stream,
  }).spawn();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill("SIGKILL");
  }, options.timeoutMs);
  const [status, out, err] = await Promise.all([
    child.status,
    stream === "piped" ? new Response(child.stdout).text() : "",
    stream === "piped" ? new Response(child.stderr).text() : "",
  ]);
  clearTimeout(timer);
  const durationMs = performance.now() - start;
  return { code: timedOut ? 124 : status.code, timedOut, output: err + out, durationMs };
}

function environment(changes: Readonly<Record<string, string | null>>): Record<string, string> {
  const result: Record<string, string> = { ...Deno.env.toObject(), NO_COLOR: "1" };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete result[name];
    else result[name] = value;
  }
  return result;
}
