/** What the model call behind a step cost, and how the step keeps it. */
import type { TokenUsage } from "../contracts/model.ts";
import type { StepBody } from "./recorder.ts";
import { NO_USAGE } from "./usage.ts";

/** What a model call cost, its empty tries included. */
export interface CallCost {
  readonly usage: TokenUsage;
  readonly durationMs: number;
}

/** For steps that no model call of their own stands behind. */
export const NO_COST: CallCost = { usage: NO_USAGE, durationMs: 0 };

/** What a step keeps of the model call behind it. */
export function stepCost(
  { usage, durationMs }: CallCost,
): Pick<StepBody, "durationMs" | "promptTokens" | "completionTokens"> {
  return { durationMs, promptTokens: usage.prompt, completionTokens: usage.completion };
}
