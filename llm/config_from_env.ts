/**
 * The client's options from the environment. Nothing is read before it is called.
 */
import type { OpenAIConfig } from "./openai_config.ts";

/** Reads one variable of the environment; `undefined` where it is not set. */
export type EnvironmentReader = (name: string) => string | undefined;

/**
 * Reads `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_CHAT_MODEL` and `OPENAI_MAX_RETRIES`. A variable that is not set, is blank, or may not be
 * read (no `--allow-env` for it) is left out; nobody is asked for a permission.
 *
 * @throws {TypeError} when `OPENAI_MAX_RETRIES` is no whole number from 0 to 100.
 */
export function configFromEnv(env: EnvironmentReader = readEnvironment): OpenAIConfig {
  const apiKey = set(env("OPENAI_API_KEY"));
  const baseUrl = set(env("OPENAI_BASE_URL"));
  const model = set(env("OPENAI_CHAT_MODEL"));
  const maxRetries = retries(set(env("OPENAI_MAX_RETRIES")));
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(model === undefined ? {} : { model }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
  };
}

function set(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}

function retries(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,3}$/.test(value) || Number(value) > 100) {
    throw new TypeError(
      `OPENAI_MAX_RETRIES must be a whole number from 0 (never try again) to 100; got ${
        JSON.stringify(value)
      }`,
    );
  }
  return Number(value);
}

function readEnvironment(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? Deno.env.get(name) : undefined;
}
