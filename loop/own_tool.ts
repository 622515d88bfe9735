/**
 * Declarations of the loop's own tools. There is one for all runs, of all tenants, and clients are given it: what one writes on it would be sent by every other. Pure.
 */
import type { ToolDeclaration } from "../contracts/model.ts";
import { freezeWhole } from "./freeze_whole.ts";

/** A declaration of which nothing can change any more. */
export function ownTool({ name, description, parameters }: ToolDeclaration): ToolDeclaration {
  return freezeWhole({ name, description, parameters });
}

/**
 * The same for one run: what a client keeps of a list of tools goes with the last of them, and that is not to be one which all runs have.
 */
export function forOneRun(tool: ToolDeclaration): ToolDeclaration {
  return { ...tool };
}
