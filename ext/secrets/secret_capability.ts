/** The `secret` capability: the function that scripts call, and the source that placeholders are filled from. Who may have what is for the gate. */
import type { Capability, Pack } from "../../contracts/sandbox.ts";
import type { SecretSource } from "../../contracts/secret.ts";

/** Options of {@linkcode secretCapability}: the source itself. */
export type SecretOptions = SecretSource;

/**
 * A capability named `secret`: `secret(name)` for scripts, and `{{secret:NAME}}` in the URL, headers and body of `fetch` and `http` and in the arguments,
 * variables and input of `exec`.
 *
 * The default policy asks about `secret`, with the target `NAME`, `NAME for HOST` or `NAME for command COMMAND`; `allowTools: ["secret"]` lets all of them pass.
 *
 * @throws {TypeError} when `get` is no function, there are `hosts` beside it, or a name is none that a placeholder could hold.
 */
export function secretCapability(options: SecretOptions): Capability {
  const pack = secretPack(options);
  return { name: "secret", description: "secrets by their names", build: () => [pack] };
}

/**
 * The pack of {@linkcode secretCapability}, for those who compose capabilities of their own.
 *
 * @throws {TypeError} see there.
 */
export function secretPack(source: SecretOptions): Pack {
  if (typeof source?.get !== "function") {
    throw new TypeError("secretCapability: get must be a function that gives a secret by its name");
  }
  if ("hosts" in source) {
    throw new TypeError(
      "secretCapability: hosts are bound to each value: get gives { value, hosts } for a secret that is bound",
    );
  }
  for (const name of source.names ?? []) {
    if (/^[A-Za-z_][\w.-]{0,127}$/.test(name)) continue;
    throw new TypeError(
      `secretCapability: ${
        JSON.stringify(name)
      } is no name of a secret: letters, digits, "_", "." and "-", beginning with a letter or "_"`,
    );
  }
  return {
    name: "secret",
    prompt: declaration(source.names),
    functions: [{
      name: "secret",
      sideEffect: true,
      target: ([name]) => typeof name === "string" ? name : undefined,
      preview: ([name]) => `The script itself gets the value of ${name}.`,
      execute: ([name], context) => context.secret(String(name)),
    }],
    secrets: source,
  };
}

function declaration(names: readonly string[] | undefined): string {
  const type = names === undefined || names.length === 0
    ? "string"
    : names.map((name) => JSON.stringify(name)).join(" | ");
  return `// Prefer "{{secret:NAME}}" in fetch (url, headers, body) and exec (argv, env, stdin): filled in outside, never seen here.
declare function secret(name: ${type}): string;`;
}
