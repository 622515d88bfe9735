/**
 * Checks what no kind of value tells: hosts, commands and addresses, by the parts that will use them, so that a mistake is told with its place in the file.
 */
import { usageError } from "../failure.ts";
import type { OptionSpec } from "../option_table.ts";
import { OPTION_USES } from "../option_use.ts";
import type { OptionValue } from "../option_value.ts";
import { oneLine } from "../terminal_text.ts";
import { readTimeZone } from "../time_zone.ts";

/** A value as it was read. */
export interface ReadValue {
  /** Its key. */
  readonly key: string;
  /** The value. */
  readonly value: OptionValue | false;
}

/** The name of a variable, and perhaps the host that its value is for. */
const SECRET_NAME = /^[A-Za-z_]\w{0,127}(@.+)?$/;

/**
 * Checks the value of an option.
 *
 * @throws {CliError} `usage` for a value that could not be used.
 */
export async function checkMeaning(
  spec: OptionSpec,
  { key, value }: ReadValue,
): Promise<void> {
  const { field } = spec;
  const { completes } = OPTION_USES[field];
  if (Array.isArray(completes) && !completes.includes(String(value))) {
    throw usageError(
      `"${key}" must be one of ${completes.join(", ")}, not ${oneLine(String(value), 60)}`,
    );
  }
  if (field === "approve" && value === "stdio") {
    throw usageError(
      `"${key}" cannot be stdio in a file: only a program that drives the command can say that it answers`,
    );
  }
  if (field === "db" && value === ":memory:") {
    throw usageError('a database in memory ends with the command: that is "ephemeral": true');
  }
  // What is none of these may be the secret itself, and is not shown.
  if (field === "secret" && !(value as readonly string[]).every((name) => SECRET_NAME.test(name))) {
    throw usageError(
      `"${key}" takes names of variables, NAME or NAME@HOST; a secret itself does not belong into a file of the project`,
    );
  }
  if (field === "timezone") readTimeZone(`"${key}"`, String(value));
  if (field === "baseUrl") await checkEndpoint(key, String(value));
  if (field === "allowNet" || field === "allowPrivateNet" || field === "allowExec") {
    const { commandPolicy } = await import("../command_policy.ts");
    try {
      commandPolicy({ [field]: value as readonly string[] });
    } catch (error) {
      throw usageError(
        (error as Error).message.replaceAll(`--${spec.name}`, `"${key}"`),
      );
    }
  }
}

async function checkEndpoint(key: string, value: string): Promise<void> {
  const { parseEndpoint } = await import("../../llm/endpoint.ts");
  let secrets: readonly string[];
  try {
    ({ secrets } = parseEndpoint(value));
  } catch (error) {
    throw usageError(`"${key}": ${(error as Error).message}`);
  }
  if (secrets.length > 0) {
    throw usageError(
      `"${key}" holds a password or a key, which does not belong into a file of the project; set OPENAI_API_KEY or OPENAI_BASE_URL in the environment`,
    );
  }
}
