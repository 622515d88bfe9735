/** Tools as functions of scripts. The gate judges their calls as those of any function; arguments are checked behind it, so also those that a person changed. */
import type { Capability, Pack } from "../contracts/sandbox.ts";
import type { Tool } from "../contracts/tool.ts";
import { toolFunction } from "./tool_function.ts";
import { scriptName } from "./tool_name.ts";
import { toolDocument, toolPrompt } from "./tool_prompt.ts";
import { ToolRegistry } from "./tool_registry.ts";

/** What the pack and capability of tools are made of. */
export type ToolSource = Iterable<Tool> | ToolRegistry;

/** How a capability of tools is called. */
export interface ToolCapabilityOptions {
  /** The name that an allowlist can hold. @default "tools" */
  readonly name?: string;
  /** One line for a catalogue. @default "tools of the program" */
  readonly description?: string;
}

/**
 * A capability whose functions are tools. Of a registry it takes what is switched on when a run begins.
 *
 * @throws {TypeError} when two tools have one name in scripts, or one has a name that scripts need. With a registry this shows when a run begins: the capability
 * is then left out with a warning.
 */
export function toolCapability(
  tools: ToolSource,
  { name = "tools", description = "tools of the program" }: ToolCapabilityOptions = {},
): Capability {
  if (tools instanceof ToolRegistry) {
    return { name, description, build: () => [toolPack(tools, { name })] };
  }
  const pack = toolPack(tools, { name });
  return { name, description, build: () => [pack] };
}

/**
 * Tools as a pack: each is a function that takes one object, and is declared by a line of TypeScript. A `-` in a name is `_` in scripts. What is left out of a
 * long declaration stands behind `help(name)`.
 *
 * @throws {TypeError} when two tools have one name in scripts, or one has a name that scripts need.
 */
export function toolPack(
  tools: ToolSource,
  { name = "tools" }: Pick<ToolCapabilityOptions, "name"> = {},
): Pack {
  const list = tools instanceof ToolRegistry ? tools.enabled() : [...tools];
  const names = new Map<string, Tool>();
  for (const tool of list) {
    const known = names.get(scriptName(tool.name));
    if (known !== undefined) {
      throw new TypeError(
        `the tools "${known.name}" and "${tool.name}" are both ${scriptName(tool.name)} in scripts`,
      );
    }
    names.set(scriptName(tool.name), tool);
  }
  const { text, cut } = toolPrompt(list);
  return {
    name,
    prompt: text,
    functions: [...names].map(([identifier, tool]) => toolFunction(tool, identifier)),
    ...(cut.length > 0 && {
      documents: cut.map((tool) => ({
        name: scriptName(tool.name),
        description: `${scriptName(tool.name)} in full`,
        text: toolDocument(tool),
      })),
    }),
  };
}
