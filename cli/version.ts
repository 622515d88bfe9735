/** The version of this package, as the command prints it. A test holds it equal to deno.json. */
export const VERSION = "0.1.0";
