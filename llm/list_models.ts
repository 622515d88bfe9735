/** Which models an endpoint has, by its own list. */
import { type Failure, toError } from "./failure.ts";
import { exchange } from "./http.ts";
import { readModelList } from "./models.ts";
import { type OpenAIConfig, resolveConfig, type ResolvedConfig } from "./openai_config.ts";
import { lazySdk, type Sender } from "./sdk.ts";

/** The ids of the list, or why there is none. */
export type ModelListReply =
  | { readonly ids: readonly string[] }
  | { readonly failure: Failure };

/**
 * Asks once; trying again is left to the caller.
 *
 * @throws the signal's reason when it ends.
 */
export async function requestModelList(
  sender: Sender,
  { config: { requestTimeoutMs, now }, signal }: {
    readonly config: ResolvedConfig;
    readonly signal: AbortSignal | undefined;
  },
): Promise<ModelListReply> {
  let ids: readonly string[] = [];
  const failure = await exchange(sender, {
    request: { kind: "models" },
    read: async (bytes) => {
      const list = await readModelList(bytes, requestTimeoutMs);
      if ("failure" in list) return list.failure;
      ids = list.ids;
      return undefined;
    },
    options: { requestTimeoutMs, now, ...(signal === undefined ? {} : { signal }) },
  });
  return failure === undefined ? { ids } : { failure };
}

/**
 * Reads the list of an endpoint, for people: nothing secret is in it.
 *
 * @throws {AgentLoopError} when there is none, and the signal's reason when it ends.
 */
export async function listModels(
  options: OpenAIConfig,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const config = resolveConfig(options);
  const { scrub, endpoint } = config;
  const reply = await requestModelList(await lazySdk(config).load(), { config, signal });
  if ("ids" in reply) return reply.ids.map(scrub);
  const task = `Reading the list of models at ${endpoint.label}/models`;
  throw toError(reply.failure, { task, tries: 1, scrub });
}
