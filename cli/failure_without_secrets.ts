/**
 * Takes secrets out of a failure before it is printed or written into a result. Runs answer for their own; this is for all that fails beside them.
 * Loaded only when something failed.
 */
import { redactError } from "../redact/redact_error.ts";
import type { Failure } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";
import { readSecretValues, type SecretValues } from "./secret_values.ts";
import { commandRedactor } from "./secrets.ts";

/** The options that name secrets. */
export type SecretOptions = Pick<CliOptions, "baseUrl" | "secret" | "cwd">;

/** The failure without the secrets of environment and options, its cause included. */
export function failureWithoutSecrets(
  failure: Failure,
  { baseUrl, ...given }: SecretOptions,
): Failure {
  const redactor = commandRedactor(baseUrl === undefined ? {} : { baseUrl }, {
    ofScripts: secretsOf(given),
  });
  return {
    ...failure,
    message: redactor.redact(failure.message),
    ...(failure.hint === undefined ? {} : { hint: redactor.redact(failure.hint) }),
    cause: redactError(failure.cause, redactor),
  };
}

/** Secrets that could not be read are what the failure is about. */
function secretsOf(given: Pick<CliOptions, "secret" | "cwd">): SecretValues {
  try {
    return readSecretValues(given);
  } catch {
    return new Map();
  }
}
