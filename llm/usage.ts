/**
 * What a call cost, from the counts that providers put into replies. Pure.
 */
import type { TokenUsage } from "../contracts/model.ts";
import { isRecord } from "./provider_error.ts";

/** No tokens. */
export const NO_USAGE: TokenUsage = { prompt: 0, completion: 0 };

/** Tokens of one call at most; the largest windows of models hold a hundredth of them. */
const MAX_TOKENS = 1_000_000_000;
/** Money for one call at most, in whatever currency the provider counts. */
const MAX_COST = 1_000_000;

/**
 * Takes one more usage object of the same call into account. The larger number of each kind wins and nothing is added up: providers repeat
 * a running total in every chunk, and some repeat the last one. What is no usage object changes nothing, and neither do figures that no call
 * can have: a run's sums could not be kept with them.
 */
export function mergeUsage(known: TokenUsage, told: unknown): TokenUsage {
  if (!isRecord(told)) return known;
  const prompt = count(told["prompt_tokens"]) ?? 0;
  const completion = count(told["completion_tokens"]) ?? 0;
  const cached = within(told["prompt_tokens_details"], "cached_tokens") ??
    count(told["prompt_cache_hit_tokens"]) ?? count(told["cached_tokens"]);
  const reasoning = within(told["completion_tokens_details"], "reasoning_tokens") ??
    count(told["reasoning_tokens"]);
  return {
    prompt: Math.max(known.prompt, prompt),
    completion: Math.max(known.completion, completion),
    ...larger("cached", known.cached, cached),
    ...larger("reasoning", known.reasoning, reasoning),
    ...larger("cost", known.cost, amount(told["cost"])),
  };
}

/** The cost of two different calls together. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    prompt: a.prompt + b.prompt,
    completion: a.completion + b.completion,
    ...sum("cached", a.cached, b.cached),
    ...sum("reasoning", a.reasoning, b.reasoning),
    ...sum("cost", a.cost, b.cost),
  };
}

function larger<K extends string>(
  key: K,
  a: number | undefined,
  b: number | undefined,
): { [P in K]?: number } {
  if (a === undefined && b === undefined) return {};
  return { [key]: Math.max(a ?? 0, b ?? 0) } as { [P in K]: number };
}

function sum<K extends string>(
  key: K,
  a: number | undefined,
  b: number | undefined,
): { [P in K]?: number } {
  if (a === undefined && b === undefined) return {};
  return { [key]: (a ?? 0) + (b ?? 0) } as { [P in K]: number };
}

function within(details: unknown, key: string): number | undefined {
  return isRecord(details) ? count(details[key]) : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= MAX_TOKENS
    ? Math.round(value)
    : undefined;
}

/** An amount of money; unlike a count it may be broken. */
function amount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= MAX_COST ? value : undefined;
}
