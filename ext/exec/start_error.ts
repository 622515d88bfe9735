/** What a script is told when a command does not start: the command as it was written and why, no path of this machine. */

/** Whether the program may start it; asks nobody. */
export function mayRun(command: string): boolean {
  return Deno.permissions.querySync({ name: "run", command }).state === "granted";
}

/** The error for a command that the program may not start. A plain name that does not exist looks the same to the runtime. */
export function notAllowed(command: string): Error {
  return new Error(
    `exec: there is no command ${quoted(command)} that the program may run (--allow-run).`,
  );
}

/** The error for a start that failed. */
export function startError(command: string, error: unknown): Error {
  if (error instanceof Deno.errors.NotFound) {
    // A script whose interpreter is missing fails the same way.
    return new Error(`exec: there is no command ${quoted(command)}, or not what it needs to run.`);
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return new Error(`exec: ${quoted(command)} is not executable.`);
  }
  if (error instanceof Deno.errors.NotCapable) return notAllowed(command);
  const reason = error instanceof Error ? /([\w ]+) \(os error \d+\)/.exec(error.message) : null;
  return new Error(
    `exec: ${quoted(command)} could not be started: ${reason?.[1]?.trim() ?? "unknown reason"}.`,
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
