/**
 * The model that options and environment name.
 */
import { AgentLoopError } from "../contracts/errors.ts";
import type { Client } from "../contracts/model.ts";
import type { OpenAIConfig } from "../llm/openai.ts";
import { CliError, usageError } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";
import { isGranted, netPermission, requirePermissions } from "./permission.ts";

/** A client and what it was made from. */
export interface ModelAccess {
  /** The client. */
  readonly client: Client;
  /** Its options; the key is in there. */
  readonly config: OpenAIConfig;
}

/** The model that requests name; `undefined` when the endpoint's list of models decides. */
export async function modelName({ model, baseUrl }: OpenAIConfig): Promise<string | undefined> {
  if (model !== undefined) return model;
  const { DEFAULT_OPENAI_MODEL, OPENAI_BASE_URL } = await import("../llm/openai.ts");
  const { parseEndpoint } = await import("../llm/endpoint.ts");
  return parseEndpoint(baseUrl ?? OPENAI_BASE_URL).isOpenAI ? DEFAULT_OPENAI_MODEL : undefined;
}

/**
 * Checks that the runtime lets the model be asked, before anything is made that would be in vain.
 *
 * @throws {CliError} `permission`, naming the flag.
 */
export async function requireModelAccess(
  { baseUrl }: Pick<OpenAIConfig, "baseUrl">,
): Promise<void> {
  const { OPENAI_BASE_URL } = await import("../llm/openai.ts");
  const { parseEndpoint } = await import("../llm/endpoint.ts");
  const { label } = parseEndpoint(baseUrl ?? OPENAI_BASE_URL);
  // An address that may not be read looks like one that is not set.
  const hidden = baseUrl === undefined && !isGranted({ name: "env", variable: "OPENAI_BASE_URL" });
  requirePermissions([netPermission(label)], {
    problem: `The model at ${label} cannot be asked`,
    ...(hidden
      ? { otherwise: "where OPENAI_BASE_URL names another, --allow-env=OPENAI_BASE_URL" }
      : {}),
  });
}

/**
 * Makes the client; no request is made yet, but what the first one needs is being loaded.
 *
 * @throws {CliError} `usage` for an option, `config` for a variable that cannot be used and for a missing key.
 */
export async function openModel(
  options: Pick<CliOptions, "model" | "baseUrl">,
  overrides: Pick<OpenAIConfig, "maxRetries"> = {},
): Promise<ModelAccess> {
  const { configFromEnv, createOpenAIClient } = await import("../llm/openai.ts");
  try {
    const config = {
      ...configFromEnv(),
      ...(options.model === undefined ? {} : { model: options.model }),
      ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
      ...overrides,
    };
    const client = createOpenAIClient(config);
    // Failures are told by the first call, which meets them again.
    client.warmUp?.().catch(() => {});
    return { client, config };
  } catch (error) {
    if (error instanceof AgentLoopError && error.code === "config") {
      throw new CliError("config", error.message, {
        cause: error,
        hint: isGranted({ name: "env", variable: "OPENAI_API_KEY" })
          ? "No key at hand? agentloop demo shows it at work without one."
          : "The runtime does not permit to read the key: --allow-env=OPENAI_API_KEY among the flags of deno run does.",
      });
    }
    if (!(error instanceof TypeError)) throw error;
    if (options.baseUrl !== undefined && /base URL/i.test(error.message)) {
      throw usageError(`--base-url: ${error.message}`);
    }
    throw new CliError("config", error.message, {
      cause: error,
      hint: "Look at the variables whose names begin with OPENAI_.",
    });
  }
}
