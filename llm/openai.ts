/**
 * A client for any server that speaks OpenAI's chat completions. This file joins the parts: which model, which body, how many tries; each part
 * has its own file.
 *
 * Importing it loads no package and needs no permission. A call needs `--allow-net` for the endpoint's host.
 *
 * @example
 * ```ts
 * import { configFromEnv, createOpenAIClient } from "@agentloop/core/llm/openai";
 *
 * async function ask(question: string): Promise<string> {
 *   const client = createOpenAIClient(configFromEnv());
 *   const reply = await client.complete({ messages: [{ role: "user", content: question }] });
 *   return reply.text;
 * }
 * ```
 *
 * @module
 */
import type { AgentLoopError } from "../contracts/errors.ts";
import type { Client, Completion, CompletionRequest, TokenUsage } from "../contracts/model.ts";
import { type Failure, toError } from "./failure.ts";
import { exchange } from "./http.ts";
import { requestModelList } from "./list_models.ts";
import { onlyModel } from "./models.ts";
import {
  DEFAULT_OPENAI_MODEL,
  type OpenAIConfig,
  resolveConfig,
  type ResolvedConfig,
} from "./openai_config.ts";
import { ReplyBuilder } from "./reply.ts";
import { readReply } from "./reply_reader.ts";
import {
  adapt,
  type Adaptation,
  buildBody,
  firstAdaptation,
  MAX_ADAPTATIONS,
} from "./request_body.ts";
import { type Outcome, withRetries } from "./retry.ts";
import { type LazySdk, lazySdk } from "./sdk.ts";
import { callIds, type ToolCallContext } from "./tool_calls.ts";
import { failureOfTooManyTools, failureWithTools } from "./tool_failure.ts";
import { addUsage, NO_USAGE } from "./usage.ts";
import { assertTools } from "./wire_tools.ts";

export { configFromEnv, type EnvironmentReader } from "./config_from_env.ts";
export { OPENAI_BASE_URL } from "./endpoint.ts";
export { DEFAULT_OPENAI_MODEL, type FetchFunction, type OpenAIConfig } from "./openai_config.ts";
export type {
  Client,
  Completion,
  CompletionRequest,
  FinishReason,
  Message,
  ModelToolCall,
  TokenUsage,
  ToolArgumentsFault,
  ToolChoice,
  ToolDeclaration,
} from "../contracts/model.ts";
import { assertToolOrder } from "../contracts/tool_order.ts";

/** Tools that OpenAI takes in one request. Source: the reference of `tools` in "Create chat completion". */
const OPENAI_TOOLS = 128;

/**
 * Creates a client for one endpoint. It holds no connection and needs no disposal; it remembers which parameters a model refused, and the model that the server's list
 * decided on.
 *
 * Its `complete` rejects with an `AgentLoopError` that names endpoint and model and says what to do, and never holds a key. It tries again after 429, 5xx, failed
 * connections, and streams that stalled, were cut or were empty. Where text was delivered already, it does so only if the request has an `onRestart`, which it calls first.
 *
 * Calls of tools are given as the model made them, with ids that are unique in the conversation; a server that takes no tools is `model_tools_unsupported`. `complete`
 * rejects with a `TypeError` where results of calls do not stand behind their calls.
 *
 * @throws {TypeError} when there is no such option, or it has a value that it cannot have.
 * @throws {AgentLoopError} `config` when the endpoint is OpenAI itself and there is no API key.
 */
export function createOpenAIClient(config: OpenAIConfig = {}): Client {
  return new OpenAIClient(resolveConfig(config));
}

class OpenAIClient implements Client {
  readonly #config: ResolvedConfig;
  readonly #sdk: LazySdk;
  readonly #adaptations = new Map<string, Adaptation>();
  #discovered: string | undefined;

  constructor(config: ResolvedConfig) {
    this.#config = config;
    this.#sdk = lazySdk(config);
  }

  async warmUp(): Promise<void> {
    // The first call meets the same failure, and tells it.
    await this.#sdk.load().catch(() => {});
  }

  async complete(request: CompletionRequest): Promise<Completion> {
    request.signal?.throwIfAborted();
    assertTools(request);
    assertToolOrder(request.messages);
    const model = request.model ?? this.#config.model ?? await this.#defaultModel(request.signal);
    this.#assertToolCount(model, request);
    const asked: Asked = { delivered: false, spent: NO_USAGE };
    const tried = await withRetries<Completion>(() => this.#ask(model, request, asked), {
      policy: this.#config,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      onRetry: () => {
        if (asked.delivered) request.onRestart?.();
      },
    });
    if (tried.ok) return { ...tried.value, usage: addUsage(asked.spent, tried.value.usage) };
    throw this.#error(tried.failure, {
      task: this.#taskOf(model),
      tries: tried.tries,
      tokens: asked.spent,
    });
  }

  #taskOf(model: string): string {
    return `Asking ${JSON.stringify(model)} at ${this.#config.endpoint.label}/chat/completions`;
  }

  // Told before anything is sent. Only OpenAI itself: other servers of this wire have bounds of their own, or none.
  #assertToolCount(model: string, { tools = [] }: CompletionRequest): void {
    if (!this.#config.endpoint.isOpenAI || tools.length <= OPENAI_TOOLS) return;
    const failure = failureOfTooManyTools({
      offered: tools.length,
      most: OPENAI_TOOLS,
      whose: "OpenAI",
    });
    throw this.#error(failure, { task: this.#taskOf(model), tries: 0 });
  }

  // One try, adapted as often as the provider names something that it does not accept. An adaptation is no retry: it waits for nothing.
  async #ask(
    model: string,
    request: CompletionRequest,
    asked: Asked,
  ): Promise<Outcome<Completion>> {
    for (let adaptations = 0;; adaptations++) {
      const adaptation = this.#adaptations.get(model) ??
        firstAdaptation(this.#config.endpoint.isOpenAI);
      const body = buildBody(request, { model, defaults: this.#config, adaptation });
      const builder = new ReplyBuilder(listenerOf(request), contextOf(request));
      const failed = await exchange(await this.#sdk.load(), {
        request: { kind: "completion", body },
        read: (bytes) => readReply(bytes, { builder, idleTimeoutMs: this.#config.idleTimeoutMs }),
        options: this.#optionsFor(request.signal),
      });
      asked.delivered = builder.delivered;
      const failure = failed && body.tools ? failureWithTools(failed) : failed;
      if (failure === undefined) return { ok: true, value: builder.finish(model) };
      const adapted = adaptations < MAX_ADAPTATIONS && !builder.delivered
        ? adaptedTo(failure, { adaptation, body })
        : undefined;
      if (adapted !== undefined) {
        this.#adaptations.set(model, adapted);
        continue;
      }
      asked.spent = addUsage(asked.spent, builder.usage);
      // Text that was shown can only be taken back from a listener that knows how.
      const stuck = builder.delivered && request.onRestart === undefined;
      return { ok: false, failure: stuck ? { ...failure, retryable: false } : failure };
    }
  }

  async #defaultModel(signal: AbortSignal | undefined): Promise<string> {
    const { endpoint, scrub } = this.#config;
    if (endpoint.isOpenAI) return DEFAULT_OPENAI_MODEL;
    if (this.#discovered !== undefined) return this.#discovered;
    const sdk = await this.#sdk.load();
    const tried = await withRetries<readonly string[]>(async () => {
      const reply = await requestModelList(sdk, { config: this.#config, signal });
      return "ids" in reply ? { ok: true, value: reply.ids } : { ok: false, ...reply };
    }, { policy: this.#config, ...(signal === undefined ? {} : { signal }) });
    const listUrl = `${endpoint.label}/models`;
    if (!tried.ok) {
      const { failure, tries } = tried;
      // A server that cannot be reached is not asked for anything else either.
      const hint = failure.code === "model_connection"
        ? failure.hint
        : `${failure.hint} Or name the model (OPENAI_CHAT_MODEL): then the list is not needed.`;
      const task = `Reading the list of models at ${listUrl}`;
      throw this.#error({ ...failure, hint }, { task, tries });
    }
    this.#discovered = onlyModel(tried.value.map(scrub), scrub(listUrl));
    return this.#discovered;
  }

  #optionsFor(
    signal: AbortSignal | undefined,
  ): { requestTimeoutMs: number; now: () => Date; signal?: AbortSignal } {
    const { requestTimeoutMs, now } = this.#config;
    return { requestTimeoutMs, now, ...(signal === undefined ? {} : { signal }) };
  }

  #error(
    failure: Failure,
    details: { readonly task: string; readonly tries: number; readonly tokens?: TokenUsage },
  ): AgentLoopError {
    return toError(failure, { ...details, scrub: this.#config.scrub });
  }
}

/** What came of the tries so far. */
interface Asked {
  /** Whether the newest one showed text. */
  delivered: boolean;
  /** What those cost that failed. */
  spent: TokenUsage;
}

// After an abort the caller has gone on; what is still in flight must not reach it.
function listenerOf({ onText, signal }: CompletionRequest): ((chunk: string) => void) | undefined {
  if (onText === undefined) return undefined;
  return (chunk) => {
    if (!signal?.aborted) onText(chunk);
  };
}

function contextOf({ messages, tools = [] }: CompletionRequest): ToolCallContext {
  return {
    earlierIds: callIds(messages),
    toolNames: tools.map(({ name }) => name),
  };
}

function adaptedTo(
  failure: Failure,
  { adaptation, body }: {
    readonly adaptation: Adaptation;
    readonly body: ReturnType<typeof buildBody>;
  },
): Adaptation | undefined {
  if (failure.status === undefined || failure.provider === undefined) return undefined;
  return adapt(adaptation, body, { status: failure.status, error: failure.provider });
}
