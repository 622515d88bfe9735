/** Tools as functions of scripts. The gate judges their calls as those of any function; arguments are checked behind it, so also those that a person changed. */
import type { JsonValue } from "../contracts/json.ts";
import type { Capability, HostFunction, Pack } from "../contracts/sandbox.ts";
import type { Tool, ToolArguments } from "../contracts/tool.ts";
import { callTool, describeIssues } from "./call_tool.ts";
import { isObject } from "./schema/schema_node.ts";
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

function toolFunction(tool: Tool, name: string): HostFunction {
  const { sideEffect, timeoutMs, target, preview } = tool;
  return {
    name,
    ...(sideEffect === undefined ? {} : { sideEffect }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(target === undefined ? {} : { target: (args) => target(argumentsObject(args)) }),
    ...(preview === undefined ? {} : { preview: (args) => previewCall(tool, args) }),
    execute: (args, context) => callTool(tool, { args: oneArgument(args, name), context }),
  };
}

async function previewCall(
  tool: Tool,
  args: readonly JsonValue[],
): Promise<string | undefined> {
  const checked = await tool.check(oneArgument(args, tool.name));
  if (!checked.ok) return `The call will fail: ${describeIssues(tool.name, checked.issues)}`;
  return await tool.preview?.(checked.value);
}

/** A call without arguments is one with none of the named ones. */
function oneArgument(args: readonly JsonValue[], name: string): JsonValue {
  if (args.length > 1) {
    throw new TypeError(
      `${name} takes one object with named arguments, not ${args.length} arguments`,
    );
  }
  return args[0] ?? {};
}

/** For the policy, which is asked before the arguments are checked: what is no object has no names. */
function argumentsObject(args: readonly JsonValue[]): ToolArguments {
  const first = args[0] ?? {};
  if (isObject(first)) return first;
  throw new TypeError("the arguments are no object");
}
