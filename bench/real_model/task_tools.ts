/**
 * The functions of a task as tools for the protocol `tools`. A task declares them once, as scripts see them: a line of TypeScript each, whose parameters become the
 * fields of the one object that a call by name has.
 */
import type { Capability, Pack } from "../../contracts/sandbox.ts";
import type { Tool } from "../../contracts/tool.ts";
import { defineTool } from "../../tools/define_tool.ts";

const DECLARATION = /(?:\/\*\* ([^\n]*?) \*\/\n)?declare function (\w+)\(([^)]*)\): ([^\n]*);/g;

/** The tools of a task; none where it has no functions. */
export async function toolsOf(capability: Capability | undefined): Promise<Tool[]> {
  if (capability === undefined) return [];
  const signal = new AbortController().signal; // the functions of tasks look at nothing of a run
  return (await capability.build({ sessionId: "", signal })).flatMap(toolsOfPack);
}

function toolsOfPack({ prompt, functions }: Pack): Tool[] {
  const declared = [...prompt.matchAll(DECLARATION)];
  return functions.map(({ name, execute }) => {
    const [, comment = "", , parameters = "", returns = ""] = declared.find(([, , declaredName]) =>
      declaredName === name
    ) ?? [];
    if (returns === "") throw new TypeError(`${name} is not declared in the prompt of its pack`);
    const fields = parameters.split(",").map((part) => part.split(":")[0]!.trim()).filter(Boolean);
    return defineTool({
      name,
      description: `${comment} Gives ${returns}`.trim(),
      parameters: {
        type: "object",
        properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
        required: fields,
      },
      execute: (args, context) => execute(fields.map((field) => args[field] ?? null), context),
    });
  });
}
