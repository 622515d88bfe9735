/**
 * Checks of the model's side: what the environment resolves to, and whether it answers.
 */
import { tokensTexts } from "../activity.ts";
import { describeFailure } from "../failure.ts";
import { type ModelAccess, modelName, openModel, requireModelAccess } from "../model.ts";
import type { CliOptions } from "../option_table.ts";
import { formatDuration } from "../units.ts";
import type { CheckResult } from "./checks.ts";

/** How long the one request may take, unless told otherwise: a local server may have to load the model first. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The checks one after the other; each is made when it is asked for. */
export async function* checkEndpoint(
  options: CliOptions,
  signal: AbortSignal,
): AsyncGenerator<CheckResult> {
  const { OPENAI_BASE_URL } = await import("../../llm/openai.ts");
  const { parseEndpoint } = await import("../../llm/endpoint.ts");
  let access: ModelAccess;
  try {
    // One try: whoever asks for a diagnosis wants the first failure, at once.
    access = await openModel(options, { maxRetries: 0 });
    const { apiKey, baseUrl } = access.config;
    const { label } = parseEndpoint(baseUrl ?? OPENAI_BASE_URL);
    const key = apiKey === undefined ? "not set" : "set";
    yield {
      name: "endpoint",
      state: "ok",
      detail: `${label}, key ${key}`,
      data: { base_url: label, key_set: apiKey !== undefined },
    };
    const resolved = await modelName(access.config);
    yield {
      name: "model",
      state: "ok",
      detail: resolved ?? "none named; the endpoint's list of models decides",
      data: { model: resolved ?? null },
    };
  } catch (error) {
    const { message, type } = describeFailure(error);
    yield { name: "endpoint", state: "failed", detail: message, data: { error_type: type } };
    yield { name: "request", state: "skipped", detail: "there is nothing to ask" };
    return;
  }
  if (options.offline) yield { name: "request", state: "skipped", detail: "--offline" };
  else yield await checkRequest(access, { options, signal });
}

async function checkRequest(
  { client, config }: ModelAccess,
  { options, signal }: { readonly options: CliOptions; readonly signal: AbortSignal },
): Promise<CheckResult> {
  const name = "request";
  const timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
  const timeout = AbortSignal.timeout(timeoutMs);
  const startedAt = performance.now();
  try {
    await requireModelAccess(config);
    const reply = await client.complete({
      messages: [{ role: "user", content: "Reply with the word: ready" }],
      // Enough for a model that thinks a little first.
      maxTokens: 64,
      signal: AbortSignal.any([signal, timeout]),
    });
    const took = performance.now() - startedAt;
    return {
      name,
      state: "ok",
      detail: [`${reply.model} answered in ${formatDuration(took)}`, ...tokensTexts(reply.usage)]
        .join(", "),
      data: { answered_by: reply.model, duration_ms: Math.round(took) },
    };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      return { name, state: "failed", detail: `no answer within ${formatDuration(timeoutMs)}` };
    }
    const { message, type } = describeFailure(error);
    return { name, state: "failed", detail: message, data: { error_type: type } };
  }
}
