/** A tool as the gate knows it: a function of one object, whichever way it was called. */
import type { JsonValue } from "../contracts/json.ts";
import type { HostFunction } from "../contracts/sandbox.ts";
import type { Tool, ToolArguments } from "../contracts/tool.ts";
import { callTool, describeIssues } from "./call_tool.ts";
import { isObject } from "./schema/schema_node.ts";
import { scriptName } from "./tool_name.ts";

/** What the gate passes calls of a tool on to: takes one object, checks it, and calls. */
export function toolFunction(tool: Tool, name: string = scriptName(tool.name)): HostFunction {
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
