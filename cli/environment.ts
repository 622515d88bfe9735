/**
 * The environment variables that the command reads. An empty one counts as not set.
 */

/** The value of a variable; `undefined` when it is not set, empty, or not allowed to be read. */
export function readVariable(name: string): string | undefined {
  // Looked up first: the runtime would ask at a terminal.
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? Deno.env.get(name) || undefined : undefined;
}
