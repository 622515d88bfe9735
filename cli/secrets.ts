/**
 * What the command must never show: the key of the endpoint, whatever else of its address is secret, and the secrets that scripts may use.
 */
import type { TextRedactor } from "../contracts/redaction.ts";
import { parseEndpoint } from "../llm/endpoint.ts";
import type { OpenAIConfig } from "../llm/openai.ts";
import { Redactor } from "../redact/redactor.ts";
import { readVariable } from "./environment.ts";
import type { SecretValues } from "./secret_values.ts";

/** Shorter ones are refused by the redactor: their text stands in much that is no secret. */
const LEAST_LENGTH = 4;

/** What people write where a local server wants some key and looks at none; answers that speak of these are to stay whole. */
const PLACEHOLDERS = new Set([
  "anything",
  "dummy",
  "empty",
  "fake",
  "llama.cpp",
  "lm-studio",
  "local",
  "localhost",
  "no-key",
  "none",
  "not-needed",
  "null",
  "ollama",
  "placeholder",
  "sk-no-key-required",
  "test",
  "token",
  "undefined",
  "unused",
  "vllm",
]);

/** Takes the secrets of the environment, of a client's options and of scripts, where there are some, out of text. */
export function commandRedactor(
  { apiKey, baseUrl }: Pick<OpenAIConfig, "apiKey" | "baseUrl"> = {},
  { ofScripts = new Map(), withheld = [] }: {
    readonly ofScripts?: SecretValues;
    readonly withheld?: readonly string[];
  } = {},
): TextRedactor {
  const keys = [
    readVariable("OPENAI_API_KEY"),
    readVariable("AGENTLOOP_TOKEN"),
    readVariable("AGENTLOOP_WEBHOOK_SECRET"),
    apiKey,
    ...withheld,
    ...endpointSecrets(baseUrl ?? readVariable("OPENAI_BASE_URL")),
  ].map((value) => value?.trim() ?? "").filter(isSecret);
  const secrets = [...new Set([...keys, ...[...ofScripts.values()].map(({ value }) => value)])];
  return Redactor.fromSecrets(
    Object.fromEntries(secrets.map((value, index) => [`secret_${index}`, value])),
  );
}

function isSecret(value: string): boolean {
  return value.length >= LEAST_LENGTH && !PLACEHOLDERS.has(value.toLowerCase());
}

function endpointSecrets(baseUrl: string | undefined): readonly string[] {
  if (baseUrl === undefined) return [];
  try {
    return parseEndpoint(baseUrl).secrets;
  } catch {
    // Whoever asks the endpoint says what is wrong with its address.
    return [];
  }
}
