/**
 * Several models in order of preference behind one client: when one is overloaded, out of quota or out of reach, or has spent its share, the next is asked.
 * What is wrong with the request itself is not tried elsewhere.
 */
import { refuseUnknown } from "../contracts/known_names.ts";
import { AgentLoopError, type ErrorCode } from "../contracts/errors.ts";
import type { Client, Completion, CompletionRequest } from "../contracts/model.ts";

/** One of the models. */
export interface FallbackModel {
  /** Its client; stays the caller's. */
  readonly client: Client;
  /** The model to ask it for, whatever the request names. @default the request's, for the first; the client's own for the others */
  readonly model?: string;
  /** Tokens of prompts and replies that it may spend through this client; then it is passed over. @default no bound */
  readonly maxTotalTokens?: number;
}

/** Failures of one model that another may not share. */
const PASSED_ON: ReadonlySet<ErrorCode> = new Set([
  "model_overloaded",
  "model_rate_limited",
  "model_connection",
  "model_not_found",
  "model_tools_unsupported",
]);

const OF_A_MODEL: Readonly<Record<keyof FallbackModel, true>> = {
  client: true,
  model: true,
  maxTotalTokens: true,
};

/**
 * Creates a client that asks the first model that can answer. A change of model is told through `onNotice`, which the loop turns into an event.
 *
 * Each model's own client retries first; a reply that had begun is begun anew only where the request has an `onRestart`.
 *
 * @throws {TypeError} when there is no model, one has no client, or something that there is not.
 * @throws {RangeError} when a bound is not a number of at least 1.
 */
export function createFallbackClient(models: readonly FallbackModel[]): Client {
  if (!Array.isArray(models)) {
    throw new TypeError(
      "createFallbackClient: expected a list of models, such as [{ client: createOpenAIClient(…) }]",
    );
  }
  if (models.length === 0) throw new TypeError("createFallbackClient needs at least one model.");
  for (const [at, model] of models.entries()) {
    const { client, maxTotalTokens } = model;
    if (typeof client?.complete !== "function") {
      throw new TypeError(
        `createFallbackClient: models[${at}] must be an object with a client, such as { client: createOpenAIClient(…) }`,
      );
    }
    refuseUnknown(`createFallbackClient: models[${at}]`, model, OF_A_MODEL);
    if (maxTotalTokens !== undefined && !(maxTotalTokens >= 1)) {
      throw new RangeError(`maxTotalTokens must be a number of at least 1, not ${maxTotalTokens}.`);
    }
  }
  return new FallbackClient(models);
}

class FallbackClient implements Client {
  readonly #models: readonly FallbackModel[];
  readonly #spent: number[];

  constructor(models: readonly FallbackModel[]) {
    this.#models = models;
    this.#spent = models.map(() => 0);
  }

  async warmUp(): Promise<void> {
    await this.#models[0]!.client.warmUp?.();
  }

  async complete(request: CompletionRequest): Promise<Completion> {
    let failure: AgentLoopError | undefined;
    for (const [at, model] of this.#models.entries()) {
      const left = (model.maxTotalTokens ?? Infinity) - this.#spent[at]!;
      if (left <= 0) {
        request.onNotice?.(`${nameOf(model, at)} has spent its ${model.maxTotalTokens} tokens.`);
        continue;
      }
      try {
        return await this.#ask(at, request);
      } catch (error) {
        if (!(error instanceof AgentLoopError) || !PASSED_ON.has(error.code)) throw error;
        this.#spend(at, error.tokens);
        failure = error;
        if (at + 1 < this.#models.length) {
          request.onNotice?.(
            `${nameOf(model, at)} cannot answer, the next model is asked: ${error.message}`,
          );
        }
      }
    }
    throw failure ?? new AgentLoopError(
      "Every model has spent the tokens that it may. Raise maxTotalTokens, or add a model.",
      {
        code: "model_rate_limited",
        why: "every model has spent the tokens that it may",
        advice: "Raise the bound (maxTotalTokens), or add a model.",
      },
    );
  }

  async #ask(at: number, request: CompletionRequest): Promise<Completion> {
    const { client, model } = this.#models[at]!;
    // Another provider knows no model of the first one's name.
    const name = model ?? (at === 0 ? request.model : undefined);
    const completion = await client.complete({ ...request, model: name });
    this.#spend(at, completion.usage);
    return completion;
  }

  #spend(
    at: number,
    tokens: { readonly prompt: number; readonly completion: number } | undefined,
  ): void {
    this.#spent[at]! += (tokens?.prompt ?? 0) + (tokens?.completion ?? 0);
  }
}

function nameOf({ model }: FallbackModel, at: number): string {
  return model === undefined ? `Model ${at + 1}` : `The model ${model}`;
}
