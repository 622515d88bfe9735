/** A script as a call of the one native tool, as conversations say it. Part of stored conversations' prompts: a change moves their prefix. */
import type { ModelToolCall } from "../contracts/model.ts";

/** The tool's name. */
export const RUN_JAVASCRIPT = "run_javascript";

/** The call that brings a script, or the line that stands for an old one. */
export function scriptCall(id: string, code: string): ModelToolCall {
  return Object.freeze({ id, name: RUN_JAVASCRIPT, argumentsJson: JSON.stringify({ code }) });
}
