/**
 * Runs one command to its end: feeds it, reads both outputs at once, ends it when its time is up or nobody waits any more. When it returns,
 * nothing of the command's process group is left.
 */
import { startGroupGuard } from "./group_guard.ts";
import { captureOutput, type OutputCapture } from "./output_capture.ts";
import { mayRun, notAllowed, startError } from "./start_error.ts";

/** A command that is ready to be started. */
export interface CommandPlan {
  /** The command as the script wrote it, for messages. */
  readonly name: string;
  /** What is started: a plain name or an absolute path. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Where it runs: an absolute path. */
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads; absent for nothing. */
  readonly stdin?: string;
  /** Time that it gets, in ms. */
  readonly timeoutMs: number;
  /** What is kept of each output, in bytes. */
  readonly maxOutputBytes: number;
}

/** How a command ended. */
export interface CommandResult {
  /** What it wrote, within the bound. */
  readonly stdout: string;
  /** What it wrote as errors, within the bound. */
  readonly stderr: string;
  /** Its exit code; 128 and the signal's number when a signal ended it. */
  readonly code: number;
  /** The signal that ended it, such as `SIGTERM`. */
  readonly signal: string | null;
  /** Whether its time was up. */
  readonly timedOut: boolean;
  /** Whether something of an output was left out. */
  readonly truncated: boolean;
}

type Timer = ReturnType<typeof setTimeout>;

/** Between the first signal and the one that cannot be ignored, when the time is up. */
const TIMEOUT_GRACE_MS = 2000;
/** The same when nobody waits for the result any more. */
const ABORT_GRACE_MS = 500;
/** How long outputs may stay open when the command has ended: what it started may hold them. */
const OPEN_OUTPUT_MS = 500;
/** A write takes at most this much at once, so that a command that reads slowly holds up little. */
const INPUT_PIECE = 65_536;

/** What a command may take beyond its own time, at most, in ms: the graces, and room for a loaded machine. */
export const OVERTIME_MS = 10_000;

/**
 * Runs a command.
 *
 * @throws {Error} when it could not be started; `signal`'s reason when that ended first.
 */
export async function runCommand(plan: CommandPlan, signal: AbortSignal): Promise<CommandResult> {
  signal.throwIfAborted();
  await using running = await startCommand(plan);
  const { child, guard } = running;
  let timedOut = false;
  let overdue: Timer | undefined;
  const stop = (graceMs: number): void => {
    guard.signal("TERM");
    clearTimeout(overdue);
    overdue = setTimeout(() => guard.signal("KILL"), graceMs);
  };
  const onAbort = (): void => stop(ABORT_GRACE_MS);
  const timeout = setTimeout(() => {
    timedOut = true;
    stop(TIMEOUT_GRACE_MS);
  }, plan.timeoutMs);
  signal.addEventListener("abort", onAbort);
  const outputs = [child.stdout, child.stderr].map((stream) =>
    captureOutput(stream, plan.maxOutputBytes)
  );
  const input = plan.stdin === undefined ? undefined : feed(child.stdin, plan.stdin);
  try {
    const status = await child.status;
    clearTimeout(timeout);
    await haveEnded(outputs);
    await guard.end();
    await haveEnded(outputs);
    await Promise.all(outputs.map((output) => output.letGo()));
    signal.throwIfAborted();
    const [stdout, stderr] = outputs.map((output) => output.read());
    return {
      stdout: stdout!.text,
      stderr: stderr!.text,
      code: status.code,
      signal: status.signal,
      timedOut,
      truncated: stdout!.truncated || stderr!.truncated,
    };
  } finally {
    clearTimeout(timeout);
    clearTimeout(overdue);
    signal.removeEventListener("abort", onAbort);
    input?.letGo();
  }
}

/** A started command and its guard; disposing kills what is left. */
async function startCommand(plan: CommandPlan) {
  const { name, command } = plan;
  const needed = Deno.build.os === "windows" ? [command] : ["sh", command];
  const refused = needed.find((program) => !mayRun(program));
  if (refused !== undefined) throw notAllowed(refused === command ? name : refused);
  const guard = startGuard();
  try {
    await guard.ready();
    const child = new Deno.Command(command, {
      args: [...plan.args],
      cwd: plan.cwd,
      clearEnv: true,
      env: { ...plan.env },
      detached: Deno.build.os !== "windows",
      stdin: plan.stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    guard.watch(child);
    return { child, guard, [Symbol.asyncDispose]: () => guard.end() };
  } catch (error) {
    await guard.end();
    throw startError(name, error);
  }
}

function startGuard() {
  try {
    return startGroupGuard();
  } catch (error) {
    throw startError("sh", error);
  }
}

/** Waits until both outputs have ended, for a while. */
async function haveEnded(outputs: readonly OutputCapture[]): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, OPEN_OUTPUT_MS));
  await Promise.race([Promise.all(outputs.map((output) => output.done)), late]);
  clearTimeout(timer);
}

/** Writes a command's input as fast as it reads. That it stops reading is no failure. */
function feed(
  stdin: WritableStream<Uint8Array<ArrayBuffer>>,
  text: string,
): { letGo(): void } {
  const writer = stdin.getWriter();
  writer.closed.catch(() => {});
  const write = async (): Promise<void> => {
    const bytes = new TextEncoder().encode(text);
    for (let start = 0; start < bytes.length; start += INPUT_PIECE) {
      await writer.write(bytes.subarray(start, start + INPUT_PIECE));
    }
    await writer.close();
  };
  write().catch(() => {});
  return { letGo: () => void writer.abort().catch(() => {}) };
}
