/**
 * The secrets that `--secret` names: read from the environment, else from the `.env` file of the project, once and at the start, so that the redactor knows
 * them before anything runs. A value never stands in an error.
 */
import { parseEnv } from "node:util";
import type { Secret, SecretSource } from "../contracts/secret.ts";
import { HostList } from "../loop/host_list.ts";
import { readVariable } from "./environment.ts";
import { CliError, usageError } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";
import { isGranted } from "./permission.ts";
import { flagFor } from "./permission_flag.ts";
import { oneLine } from "./terminal_text.ts";
import { reasonOf } from "./text_input.ts";

/** Secrets by their names. */
export type SecretValues = ReadonlyMap<string, Secret>;

/** The file beside the project that people keep such values in. */
const ENV_FILE = ".env";
/** Larger ones are no such files. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Shorter values are refused by the redactor. */
const LEAST_LENGTH = 4;

/**
 * Reads the secrets that the options name, `NAME` or `NAME@HOST`; several hosts for one name add up.
 *
 * @throws {CliError} `usage` for what is no name, or has no value that could be kept secret.
 */
export function readSecretValues(
  { secret = [], cwd = "." }: Pick<CliOptions, "secret" | "cwd">,
): SecretValues {
  const wanted = new Map<string, string[]>();
  for (const entry of secret) {
    const [, name, , host] = /^([A-Za-z_]\w{0,127})(@(.+))?$/.exec(entry) ?? [];
    if (name === undefined) throw badEntry(entry);
    const hosts = wanted.get(name) ?? [];
    if (host !== undefined) hosts.push(checkedHost(host));
    wanted.set(name, hosts);
  }
  if (wanted.size === 0) return new Map();
  const file = `${cwd}/${ENV_FILE}`;
  const inFile = [...wanted.keys()].every((name) => readVariable(name) !== undefined)
    ? {}
    : readEnvFile(file);
  return new Map(
    [...wanted].map(([name, hosts]) => {
      const value = readVariable(name) ?? (Object.hasOwn(inFile, name) ? inFile[name] : undefined);
      return [name, { value: checkedValue(name, { value, file }), ...(hosts[0] && { hosts }) }];
    }),
  );
}

/** The secrets as calls ask for them. */
export function secretSource(values: SecretValues): SecretSource {
  return { names: [...values.keys()], get: (name) => values.get(name) };
}

function badEntry(entry: string): Error {
  // Whoever writes NAME=VALUE has shown the value to everybody who sees the list of processes.
  const shown = entry.includes("=") ? `${entry.slice(0, entry.indexOf("="))}=…` : entry;
  return usageError(
    `--secret takes the name of a variable, NAME or NAME@HOST, not ${
      oneLine(shown, 60)
    }; its value is read from the environment or from ${ENV_FILE}`,
  );
}

function checkedHost(host: string): string {
  try {
    new HostList("--secret", [host]);
    return host;
  } catch {
    throw usageError(
      `--secret NAME@HOST takes a host such as api.example.com, not ${oneLine(host, 60)}`,
    );
  }
}

function checkedValue(
  name: string,
  { value, file }: { readonly value: string | undefined; readonly file: string },
): string {
  if (value === undefined || value.trim() === "") {
    const where = oneLine(file, 200);
    const variable = { name: "env", variable: name } as const;
    const ofEnvironment = isGranted(variable)
      ? "no such variable in the environment"
      : `reading the variable takes ${flagFor(variable)}`;
    const ofFile = mayRead(file)
      ? `none in ${where}`
      : `reading ${where} takes ${flagFor({ name: "read", path: file })}`;
    throw usageError(`--secret ${name}: ${ofEnvironment}, and ${ofFile}`);
  }
  if (value.trim().length >= LEAST_LENGTH) return value;
  throw usageError(
    `--secret ${name}: a value of fewer than ${LEAST_LENGTH} characters cannot be kept out of what is shown`,
  );
}

/** Looked up before the file is: the runtime would ask at a terminal. */
function mayRead(path: string): boolean {
  return isGranted({ name: "read", path });
}

/** The variables of the file; none where there is no file, or it may not be read. */
function readEnvFile(file: string): NodeJS.Dict<string> {
  if (!mayRead(file)) return {};
  try {
    const { isFile, size } = Deno.statSync(file);
    if (!isFile || size > MAX_FILE_BYTES) throw usageError(`${oneLine(file, 200)} is no env file`);
    return parseEnv(Deno.readTextFileSync(file));
  } catch (error) {
    const { NotFound, NotCapable } = Deno.errors;
    if (error instanceof NotFound || error instanceof NotCapable) return {};
    if (error instanceof CliError) throw error;
    throw usageError(`${oneLine(file, 200)} cannot be read: ${reasonOf(error)}`);
  }
}
