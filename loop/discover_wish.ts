/** How a model looks for tools: what it is told of that, and what it asks for. Pure. */
import type { JsonValue } from "../contracts/json.ts";
import type { ToolDeclaration } from "../contracts/model.ts";
import { freezeWhole } from "./freeze_whole.ts";

/** Looks for tools; declared in a run that can find some. */
export const DISCOVER_TOOLS = freezeWhole<ToolDeclaration>({
  name: "discover_tools",
  description:
    "Finds further tools, by names or by words for what they do. They can be called from your next turn on.",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", description: "words for what is needed" },
      names: { type: "array", items: { type: "string" } },
    },
  },
});

/** The same for the prompt of scripts. */
export const DISCOVER_FUNCTION =
  `declare function ${DISCOVER_TOOLS.name}(args: { query?: string /* words for what is needed */; names?: string[] }): string[]; ` +
  "// finds further functions, gives their names; you are shown their declarations after the script, and can call them from your next turn on";

/** Tools that can be named at once. */
export const MAX_NAMED = 16;
/** Longer queries and names are cut. */
const MAX_QUERY = 500;

/** What a model looks for. */
export interface Wish {
  /** Names of tools, none of them twice. */
  readonly names: readonly string[];
  /** Words for what is needed; "" for none. */
  readonly query: string;
  /** Names that are too many. */
  readonly left: number;
}

/** Reads what was meant, also where the form is a little wrong: a single name, or a text in place of an object. Nothing where nothing is looked for. */
export function readWish(args: JsonValue | undefined): Wish | undefined {
  const fields = typeof args === "string" ? { query: args } : args;
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return undefined;
  const { names: given, query: said } = fields as Readonly<Record<string, JsonValue>>;
  const list: readonly JsonValue[] = Array.isArray(given) ? given : given == null ? [] : [given];
  const all = [...new Set(list.filter((name) => typeof name === "string"))].filter((name) =>
    name.trim() !== ""
  );
  const query = typeof said === "string" ? said.slice(0, MAX_QUERY).toWellFormed().trim() : "";
  if (all.length === 0 && query === "") return undefined;
  const names = all.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_QUERY).toWellFormed());
  return { names, query, left: all.length - names.length };
}
