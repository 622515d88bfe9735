/**
 * The first step of the command: what must answer before anything else is loaded, the version and a start as guest.
 * The rest is left to `dispatch.ts`, which is imported only when it is needed.
 */
import type { dispatch as Dispatch } from "./dispatch.ts";
import type { enterGuestMode as EnterGuestMode } from "./guest_mode.ts";
import { ownFolder } from "./own_folder.ts";
import { RESULT_BASE } from "./result_base.ts";
import { VERSION } from "./version.ts";

// Not written into the imports themselves: the runtime would then read and parse every module of the project before the first line runs, which costs
// half as much again as a bare start. A compiled program needs both files named with `--include`.
const DISPATCH = "./dispatch.ts";
const GUEST_MODE = "./guest_mode.ts";

/** First argument with which a compiled program starts itself as its own guest. */
export const GUEST_ARGUMENT = "--agentloop-guest";

/**
 * Runs the command with its arguments and resolves with the exit code, once all output is written and every part is disposed.
 * Never throws: a failure is printed and becomes an exit code. As a guest it never returns.
 */
export async function main(args: readonly string[]): Promise<number> {
  if (args[0] === GUEST_ARGUMENT) {
    const guest = await import(GUEST_MODE) as { readonly enterGuestMode: typeof EnterGuestMode };
    return await guest.enterGuestMode(args);
  }
  if (args.length === 1 && args[0] === "--version") {
    return print(`agentloop ${VERSION}`);
  }
  const folder = ownFolder();
  if (folder !== undefined && !mayRead(folder)) {
    return cannotLoad(`Requires read access to "${decodeURIComponent(folder.pathname)}"`, args);
  }
  let command: { readonly dispatch: typeof Dispatch };
  try {
    command = await import(DISPATCH);
  } catch (error) {
    return cannotLoad(error instanceof Error ? error.message : String(error), args);
  }
  return await command.dispatch(args);
}

/** Writes a line to stdout. A disk that is full ends this start like any other: with a line and a code. */
function print(line: string): number {
  try {
    console.log(line);
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`agentloop: Cannot write to stdout: ${reason}`);
    return 1;
  }
}

/** Looked up before the import, which would ask at a terminal. */
function mayRead(path: URL): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

/** Without permissions, or without a place for its packages, not even the rest of the command can be loaded. */
function cannotLoad(reason: string, args: readonly string[]): number {
  // The place in the code is of no use to who started the command.
  const message = `The command cannot be loaded: ${reason.split("\n")[0]}`;
  // The loader has an error class of its own for everything; only the message tells.
  const [, name, value] = /Requires (\w+) access(?: to "([^"]*)")?/.exec(message) ?? [];
  const flag = name && `--allow-${name}${value === undefined ? "" : `=${value}`}`;
  const type = flag === undefined ? "config" : "permission";
  console.error(`agentloop: ${message}${flag === undefined ? "" : `\n${grantHint(flag)}`}`);
  if (args.includes("--json")) {
    const duration_ms = Math.round(performance.now());
    const result = { ...RESULT_BASE, reason: type, error: { type, message }, duration_ms };
    print(JSON.stringify(result));
  }
  return RESULT_BASE.exit_code;
}

function grantHint(flag: string): string {
  return `It needs at least ${flag}. Start the command with: deno run -A cli.ts, ` +
    "or with the few flags that README.md names for each job.";
}
