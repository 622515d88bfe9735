/** A tool as runs call it by its name. */
import type { CallableTool, Tool } from "../contracts/tool.ts";
import { toolFunction } from "./tool_function.ts";
import { toolPrompt } from "./tool_prompt.ts";

/**
 * Makes a tool callable by its name, and by that of its function in scripts.
 *
 * @throws {TypeError} when scripts need the word that is its name.
 */
export function callableTool(tool: Tool): CallableTool {
  const { name, description, parameters, safe = false } = tool;
  return {
    declaration: Object.freeze({ name, description, parameters }),
    hostFunction: toolFunction(tool),
    safe,
    typescript: () => toolPrompt([tool]).text,
  };
}
