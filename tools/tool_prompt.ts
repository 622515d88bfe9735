/** Tools as declarations of TypeScript, for the prompt of scripts: one line a tool, short, with types that are shared said once. */
import type { JsonSchema, Tool } from "../contracts/tool.ts";
import { isObject } from "./schema/schema_node.ts";
import { type SharedType, writeShared } from "./schema/shared_types.ts";
import { oneLine } from "./schema/type_comment.ts";
import { typeText } from "./schema/type_text.ts";
import { scriptName } from "./tool_name.ts";

/** Tools as text. */
export interface ToolPrompt {
  /** The declarations. */
  readonly text: string;
  /** Tools of which something was left out. */
  readonly cut: readonly Tool[];
}

/** Longer types are written with less in them. */
const MAX_TYPE = 1_200;
/** Longer descriptions are cut, at a word. */
const MAX_DESCRIPTION = 400;

/** From all there is to say to the least; the first that is short enough is taken. */
const WAYS = [
  { depth: 8, comments: true },
  { depth: 8, comments: false },
  { depth: 4, comments: false },
  { depth: 2, comments: false },
  { depth: 1, comments: false },
  { depth: 0, comments: false },
] as const;

/** Declares tools. */
export function toolPrompt(tools: readonly Tool[]): ToolPrompt {
  const types = new Map<string, SharedType>();
  const cut: Tool[] = [];
  const lines = tools.map((tool) => {
    const { text, whole } = declaration(tool, types);
    if (!whole) cut.push(tool);
    return text;
  });
  const shared = [...types].map(([name, { text }]) => `type ${name} = ${text};`);
  return { text: [...lines, ...shared].join("\n"), cut };
}

/** All there is to say of a tool, for those who ask. */
export function toolDocument({ description, parameters, returns }: Tool): string {
  return [
    description,
    `Arguments (JSON Schema): ${JSON.stringify(parameters)}`,
    ...(returns === undefined ? [] : [`Result (JSON Schema): ${JSON.stringify(returns)}`]),
  ].join("\n\n");
}

/** Whether no argument is declared; that any would be let through is no use to a model. */
function takesNothing({ properties, additionalProperties: others, ...rest }: JsonSchema): boolean {
  return Object.keys(properties ?? {}).length === 0 && !isObject(others) && others !== true &&
    !["patternProperties", "allOf", "anyOf", "oneOf", "$ref"].some((keyword) => keyword in rest);
}

interface BoundedText {
  readonly text: string;
  /** Whether all of it is said. */
  readonly whole: boolean;
}

function declaration(tool: Tool, types: Map<string, SharedType>): BoundedText {
  const description = oneLine(tool.description, MAX_DESCRIPTION);
  const args = boundedType(tool.parameters, { types, tool });
  const result = tool.returns === undefined
    ? { text: "any", whole: true }
    : boundedType(tool.returns, { types, tool });
  const optional = isOptional(tool.parameters) ? "?" : "";
  const takes = takesNothing(tool.parameters) ? "" : `args${optional}: ${args.text}`;
  return {
    text: `declare function ${scriptName(tool.name)}(${takes}): ${result.text}; // ${description}`,
    whole: args.whole && result.whole && !description.endsWith("…"),
  };
}

/** Whether a call may do without arguments. */
function isOptional({ required, minProperties }: JsonSchema): boolean {
  return !(Array.isArray(required) && required.length > 0) && !(Number(minProperties ?? 0) > 0);
}

/** A type that is short enough, with what it shares added to the types. */
function boundedType(
  schema: JsonSchema,
  { types, tool }: { readonly types: Map<string, SharedType>; readonly tool: Tool },
): BoundedText {
  const known = `${tool.name.replaceAll(/[_-]/g, " ")} ${tool.description}`;
  for (const way of WAYS) {
    let whole = way === WAYS[0];
    const { text, added } = writeShared(schema, {
      declared: types,
      write: (inner, nameOf) =>
        typeText(inner, { root: schema, known, ...way, nameOf, onCut: () => void (whole = false) }),
    });
    const length = [...added.values()].reduce((sum, type) => sum + type.text.length, text.length);
    if (length > MAX_TYPE) continue;
    for (const [name, type] of added) types.set(name, type);
    return { text, whole };
  }
  return { text: "Record<string, any>", whole: false };
}
