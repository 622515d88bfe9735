/** Adding up what model calls cost. */
import type { CallTokens } from "../contracts/event.ts";
import type { TokenUsage } from "../contracts/model.ts";

/** Nothing spent. */
export const NO_USAGE: TokenUsage = { prompt: 0, completion: 0 };

/** The sum of two usages. A figure that only one of them tells is that one's. */
export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    prompt: one.prompt + other.prompt,
    completion: one.completion + other.completion,
    ...addOptional("cached", one, other),
    ...addOptional("reasoning", one, other),
    ...addOptional("cost", one, other),
  };
}

/** A usage as events tell it. */
export function callTokens(usage: TokenUsage): CallTokens {
  const { prompt, completion, cached } = usage;
  return { prompt, completion, ...(cached === undefined ? {} : { cached }) };
}

function addOptional(
  key: "cached" | "reasoning" | "cost",
  one: TokenUsage,
  other: TokenUsage,
): object {
  if (one[key] === undefined && other[key] === undefined) return {};
  return { [key]: (one[key] ?? 0) + (other[key] ?? 0) };
}
