/** Tools that a run finds when it needs them, searched in memory. For sets that are too large for that there is `tools/sqlite/`. */
import { refuseUnknown } from "../contracts/known_names.ts";
import type { CallableTool, Tool, ToolExpander, ToolSearch } from "../contracts/tool.ts";
import { callableTool } from "./callable_tool.ts";
import type { ToolSource } from "./tool_pack.ts";
import { ToolRegistry } from "./tool_registry.ts";
import { searchTools } from "./tool_search.ts";

/**
 * Lets runs find tools by their names and descriptions. Of a registry it finds what is switched on at that moment.
 *
 * @example
 * ```ts
 * import { createToolExpander, defineTool, ToolRegistry } from "@agentloop/core/tools";
 *
 * const registry = new ToolRegistry([
 *   defineTool({
 *     name: "get_weather",
 *     description: "The weather in a city",
 *     parameters: { type: "object", properties: { city: { type: "string" } } },
 *     execute: ({ city }) => `fine in ${city}`,
 *   }),
 * ]);
 * const [found] = await createToolExpander(registry).expand({ query: "cities", limit: 8 });
 * console.log(found?.declaration.name);
 * ```
 *
 * @throws {TypeError} when two tools of a list have one name, or options are given: it has none.
 */
export function createToolExpander(tools: ToolSource): ToolExpander;
export function createToolExpander(tools: ToolSource, options: object = {}): ToolExpander {
  // Those of `openSqliteToolExpander` would hold for nothing here.
  refuseUnknown("createToolExpander", options, {});
  const registry = tools instanceof ToolRegistry ? tools : new ToolRegistry(tools);
  return {
    expand: (search) =>
      expandBy(search, {
        tools: registry.enabled(),
        find: (query, limit) => searchTools(registry.enabled(), { query, limit }),
      }),
  };
}

/** What a search goes over. */
export interface SearchedTools {
  readonly tools: readonly Tool[];
  /** The tools that a query finds, the best first. */
  readonly find: (query: string, limit: number) => readonly Tool[];
}

/** Answers a search: what is named, then what is found beside it. */
export function expandBy(
  { names = [], query = "", limit }: ToolSearch,
  { tools, find }: SearchedTools,
): CallableTool[] {
  const named = names.flatMap((name) => toolNamed(tools, name) ?? []);
  const found = query === "" ? [] : find(query, limit);
  return [...new Set([...named, ...found])].map(callableTool);
}

/** A tool by its name, or by that of its function in scripts. */
function toolNamed(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name) ??
    tools.find((tool) => tool.name.replaceAll("-", "_") === name);
}
