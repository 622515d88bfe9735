/**
 * The layers of an assistant's prompt, each between tags of its own. Text of a layer can neither close its tag nor open another's: it comes from users, from models
 * and from clocks, and what stands between tags is believed. Pure.
 */
import { toolGuidelines } from "./guidelines.ts";

/** The tags of the layers. */
export type LayerName = "conversation_context" | "temporal_context" | "tool_execution_guidelines";

/** The tags, and signs that a model may take for the angle bracket before one. Between the two nothing counts that cannot be seen. */
const TAG =
  /[<\uFF1C\uFE64](?=[\s\/\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]*(?:conversation_context|temporal_context|tool_execution_guidelines))/gi;

/**
 * One layer: its text between its tags, or "" for a text without anything in it. A tag of any layer inside the text loses its bracket to `&lt;`.
 */
export function writeLayer(name: LayerName, text: string): string {
  const inside = text.toWellFormed().replace(TAG, "&lt;").trim();
  return inside === "" ? "" : `<${name}>\n${inside}\n</${name}>`;
}

/** What {@linkcode buildEffectiveSystemPrompt} takes beside the layers. */
export interface EffectivePromptOptions {
  /** The text of the guidelines; "" leaves them out. @default toolGuidelines() */
  readonly guidelines?: string;
}

/**
 * A whole system prompt for those who send one themselves: the base, then the layers, what changes seldom before what changes often, so that a provider's prefix
 * cache holds as far as it can. In a loop of this module the parts stand apart: see `createAssistant`.
 *
 * @param base the persona; trusted, and left as it is
 * @param summary of the conversation so far; "" where it is sent in another way, so that it is sent once
 * @param temporal what `formatTemporalContext` wrote; "" for none
 */
export function buildEffectiveSystemPrompt(
  base: string,
  summary: string,
  temporal: string,
  { guidelines = toolGuidelines() }: EffectivePromptOptions = {},
): string {
  return [
    base.trim(),
    writeLayer("tool_execution_guidelines", guidelines),
    writeLayer("conversation_context", summary),
    writeLayer("temporal_context", temporal),
  ].filter((part) => part !== "").join("\n\n");
}
