/** Tools by name, each switched on or off. There is no registry but those that a program makes. */
import type { CallableTool, Tool, ToolSet } from "../contracts/tool.ts";
import { callableTool } from "./callable_tool.ts";
import type { ToolDefinition, ToolParameters } from "./define_tool.ts";
import { defineForeignTools } from "./foreign_tools.ts";
import { declareTools, type ToolDeclarations, type ToolDialect } from "./wire/declare_tools.ts";

/**
 * Tools by name, in the order in which they were registered.
 *
 * @example
 * ```ts
 * import { defineTool, ToolRegistry } from "@agentloop/core/tools";
 *
 * const clock = defineTool({
 *   name: "now",
 *   description: "The time",
 *   parameters: { type: "object" },
 *   execute: () => "2026-01-01T00:00:00Z",
 * });
 * const registry = new ToolRegistry([clock]);
 * registry.disable("now");
 * console.log(registry.enabled().length); // 0
 * ```
 */
export class ToolRegistry implements ToolSet {
  readonly #tools = new Map<string, Tool>();
  readonly #disabled = new Set<string>();

  /**
   * Registers tools, all of them switched on.
   *
   * @throws {TypeError} when two have one name.
   */
  constructor(tools: Iterable<Tool> = []) {
    for (const tool of tools) this.register(tool);
  }

  /**
   * Adds a tool, switched on.
   *
   * @throws {TypeError} when there is one of this name.
   */
  register(tool: Tool): this {
    this.#checkFree(tool);
    this.#tools.set(tool.name, tool);
    return this;
  }

  /**
   * Adds the tools of another program, such as a server of the Model Context Protocol, under names that every provider takes and that no other tool has (see
   * `foreignToolName`); `origin` of each says what it is called there. Gives the tools as they are registered.
   *
   * @throws {TypeError} when two of them have one name, one is there already, or one cannot be defined; nothing is registered then.
   */
  async registerForeign(
    source: string,
    definitions: Iterable<ToolDefinition<ToolParameters>>,
  ): Promise<readonly Tool[]> {
    const tools = await defineForeignTools(source, definitions);
    for (const tool of tools) this.#checkFree(tool);
    for (const tool of tools) this.register(tool);
    return tools;
  }

  /**
   * Switches tools on.
   *
   * @throws {TypeError} when there is none of a name; nothing is changed then.
   */
  enable(...names: readonly string[]): this {
    for (const name of this.#known(names)) this.#disabled.delete(name);
    return this;
  }

  /**
   * Switches tools off: they stay registered, and are neither declared nor found by a run that begins afterwards.
   *
   * @throws {TypeError} when there is none of a name; nothing is changed then.
   */
  disable(...names: readonly string[]): this {
    for (const name of this.#known(names)) this.#disabled.add(name);
    return this;
  }

  /** Whether a tool is registered and switched on. */
  isEnabled(name: string): boolean {
    return this.#tools.has(name) && !this.#disabled.has(name);
  }

  /** A tool, switched on or not. */
  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** All tools. */
  list(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  /** The tools that are switched on. */
  enabled(): readonly Tool[] {
    return this.list().filter((tool) => !this.#disabled.has(tool.name));
  }

  /** What is switched on, as runs call it by name. */
  callable(): readonly CallableTool[] {
    return this.enabled().map(callableTool);
  }

  /** What is switched on now, by name: a run keeps it, whatever happens to the registry meanwhile. */
  snapshot(): ReadonlyMap<string, Tool> {
    return new Map(this.enabled().map((tool) => [tool.name, tool]));
  }

  /**
   * What is switched on, in the form that a provider takes.
   *
   * @throws {TypeError} when a tool cannot be said in it without another meaning.
   */
  declarations<Dialect extends ToolDialect>(dialect: Dialect): ToolDeclarations<Dialect> {
    return declareTools(this.enabled(), dialect);
  }

  #checkFree(tool: Tool): void {
    if (typeof tool?.check !== "function" || typeof tool.execute !== "function") {
      throw new TypeError(
        `${
          tool?.name ?? "an entry"
        } is no tool; defineTool({ name, description, parameters, execute }) makes one`,
      );
    }
    const { name } = tool;
    if (this.#tools.has(name)) throw new TypeError(`there are two tools named "${name}"`);
  }

  #known(names: readonly string[]): readonly string[] {
    for (const name of names) {
      if (this.#tools.has(name)) continue;
      const known = [...this.#tools.keys()].slice(0, 40).join(", ");
      throw new TypeError(`there is no tool ${JSON.stringify(name)}; there is: ${known || "none"}`);
    }
    return names;
  }
}
