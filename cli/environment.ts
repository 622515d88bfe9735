/**
 * The environment variables that the command reads. An empty one counts as not set.
 */

/** The value of a variable; `undefined` when it is not set, empty, or not allowed to be read. */
export function readVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
