/** What the model call behind a step cost, and how the step keeps it. */
import type { TokenUsage } from "../contracts/model.ts";
import type { RunStep } from "../contracts/step.ts";
import type { StepBody } from "./recorder.ts";
import { NO_USAGE } from "./usage.ts";

/** What a model call cost, its empty tries included. */
export interface CallCost {
  readonly usage: TokenUsage;
  readonly durationMs: number;
  /** What its prompts were estimated at, where a window is to be kept to. */
  readonly estimatedTokens?: number;
}

/** For steps that no model call of their own stands behind. */
export const NO_COST: CallCost = { usage: NO_USAGE, durationMs: 0 };

/** What a step keeps of the model call behind it; `more` is what else it keeps in its `toolArgs`. */
export function stepCost(
  { usage, durationMs, estimatedTokens }: CallCost,
  more: { readonly [key: string]: string } = {},
): Pick<StepBody, "durationMs" | "promptTokens" | "completionTokens" | "toolArgs"> {
  const args = {
    ...more,
    ...(estimatedTokens === undefined ? {} : { estimated_tokens: estimatedTokens }),
  };
  return {
    durationMs,
    promptTokens: usage.prompt,
    completionTokens: usage.completion,
    ...(Object.keys(args).length === 0 ? {} : { toolArgs: JSON.stringify(args) }),
  };
}

/** What the prompts of the call behind a step were estimated at; nothing where the step does not say. */
export function estimatedTokensOf({ toolArgs }: Pick<RunStep, "toolArgs">): number | undefined {
  try {
    const tokens: unknown = JSON.parse(toolArgs ?? "")?.estimated_tokens;
    return typeof tokens === "number" && tokens > 0 ? tokens : undefined;
  } catch {
    return undefined;
  }
}
