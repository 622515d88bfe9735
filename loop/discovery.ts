/**
 * Finds tools that a run did not declare from the beginning, and declares them for the rest of it. Only declarations are read here: what was found is called
 * through the gate, as everything is.
 */
import type { RunEventBody } from "../contracts/event.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { CallableTool, ToolExpander } from "../contracts/tool.ts";
import { untilAborted } from "./abort.ts";
import { cleanError } from "./clean_error.ts";
import { MAX_NAMED, readWish, type Wish } from "./discover_wish.ts";
import { shown } from "./passage.ts";
import { type Trace, traced } from "./trace.ts";

/** Discovered tools that a run declares at most; then those go that were not asked for the longest. What a prompt bears beside the work itself. */
export const MAX_DISCOVERED = 64;
/** What their declarations may take together, in characters of JSON: about four times what 64 usual ones do. One search cannot find more than that either. */
const MAX_DECLARED = 64 * 1024;
/** Tools that a query finds at most. */
const MAX_FOUND = 8;
/** Tools that one search gives at most. */
export const MAX_SEARCHED = MAX_FOUND + MAX_NAMED;
/** Names that are looked for because they are near to one that is not there, and those that are not there for which that is done. */
const MAX_NEAR = 3;
const MAX_UNKNOWN = 4;
const MAX_DESCRIPTION = 160;

/** What a discovery is made of. */
export interface DiscoveryOptions {
  readonly expander: ToolExpander;
  /** Whether scripts look for tools: they are told functions, with their types. */
  readonly forScripts: boolean;
  /** Tools that are declared at a time at most. @default MAX_DISCOVERED */
  readonly max?: number;
  /** Whether something is declared already that has this name or this function. */
  readonly isTaken: (name: string) => boolean;
  /** Declares what is found by now, all of it. Throws where that cannot be. */
  readonly declare: (tools: readonly CallableTool[]) => void;
  readonly emit: (event: RunEventBody) => void;
  readonly signal: AbortSignal;
}

/** What came of one search. */
export interface Discovered {
  readonly ok: boolean;
  /** Names of what can be called, for scripts. */
  readonly names: readonly string[];
  /** What the model is told. */
  readonly text: string;
}

interface Found {
  readonly tool: CallableTool;
  /** Characters of its declaration. */
  readonly size: number;
  /** The search that last asked for it. */
  asked: number;
}

/** The discovered tools of one run. */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #found = new Map<string, Found>();
  #searches = 0;
  #log: string[][] = [];

  /** Begins without any. */
  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  /** Looks for what a model asked for. Rejects only when the run is ended meanwhile. */
  async find(args: JsonValue | undefined, trace: Trace): Promise<Discovered> {
    const wish = readWish(args);
    if (wish === undefined) {
      return failed("give a query, words for what is needed, or names, a list of texts");
    }
    const { signal } = this.#options;
    return await traced(trace, { name: "agentloop.discover_tools" }, async (span) => {
      try {
        const discovered = await untilAborted(signal, this.#search(wish));
        span.set({ "agentloop.discover_tools.found": discovered.names.length });
        return discovered;
      } catch (error) {
        if (signal.aborted) throw error;
        const { message } = cleanError(error);
        span.fail(message);
        this.#options.emit({
          type: "warning",
          content: `Tools could not be looked for: ${message}`,
        });
        return failed(`the tools could not be looked for: ${message}`);
      }
    });
  }

  /**
   * Declares again what searches of the past found, as they left it: in the same order, so that a request begins as the last one did. Tools that are not there any
   * more are left out. Rejects only when the run is ended meanwhile.
   */
  async recall(searches: readonly (readonly string[])[]): Promise<void> {
    const { expander, signal, emit } = this.#options;
    const names = [...new Set(searches.flat())];
    if (names.length === 0) return;
    try {
      const tools = await untilAborted(
        signal,
        Promise.resolve(expander.expand({ names, limit: names.length, signal })),
      );
      const byName = new Map(tools.map((tool) => [tool.declaration.name, tool]));
      for (const search of searches) this.#take(search.flatMap((name) => byName.get(name) ?? []));
    } catch (error) {
      if (signal.aborted) throw error;
      emit({
        type: "warning",
        content: `Tools that were found before could not be found again: ${
          cleanError(error).message
        }`,
      });
    }
  }

  /** What was found since this was last asked, search by search, for the trace; nothing where nothing was. */
  takeLog(): readonly (readonly string[])[] | undefined {
    const log = this.#log;
    this.#log = [];
    return log.length === 0 ? undefined : log;
  }

  async #search(wish: Wish): Promise<Discovered> {
    const { expander, signal, isTaken } = this.#options;
    const { names, query } = wish;
    const search = { ...(names.length > 0 && { names }), ...(query !== "" && { query }) };
    const tools = await expander.expand({ ...search, limit: MAX_FOUND, signal });
    const wanted = tools.slice(0, MAX_SEARCHED);
    const known = (name: string) => isTaken(name) || wanted.some((tool) => isNamed(tool, name));
    const unknown = names.filter((name) => !known(name));
    const near: string[] = [];
    for (const name of unknown.slice(0, MAX_UNKNOWN)) {
      near.push(await this.#nearTo(name));
    }
    const more = unknown.length > MAX_UNKNOWN
      ? [`${unknown.length - MAX_UNKNOWN} more of the names are not there`]
      : [];
    const { told, large, dropped } = this.#take(wanted);
    const found = told.map((tool) => this.#nameOf(tool));
    if (told.length > 0) this.#log.push(told.map(({ declaration }) => declaration.name));
    this.#options.emit({
      type: "tools_discovered",
      args: { names, query, found, dropped: dropped.map((tool) => this.#nameOf(tool)) },
    });
    const taken = wanted.map((tool) => this.#nameOf(tool)).filter(isTaken);
    return {
      ok: true,
      names: found,
      text: this.#tell(wish, { told, large, taken, dropped, near, more }),
    };
  }

  /** Declares what is new among these, and makes room for it. Nothing is kept when it cannot be declared. */
  #take(wanted: readonly CallableTool[]): {
    readonly told: readonly CallableTool[];
    readonly large: readonly CallableTool[];
    readonly dropped: readonly CallableTool[];
  } {
    const { isTaken, declare } = this.#options;
    const before = new Map(this.#found);
    const asked = ++this.#searches;
    const functions = new Map(
      [...before.values()].map(({ tool }) => [tool.hostFunction.name, tool.declaration.name]),
    );
    const told: CallableTool[] = [];
    const large: CallableTool[] = [];
    let sum = 0;
    for (const tool of wanted) {
      const { name } = tool.declaration;
      // Two tools of one function could not be told apart, by the gate and in scripts.
      const owner = functions.get(tool.hostFunction.name) ?? name;
      if (isTaken(name) || isTaken(tool.hostFunction.name) || owner !== name) continue;
      if (told.some((one) => one.declaration.name === name)) continue;
      const { size, ...known } = before.get(name) ??
        { tool, size: JSON.stringify(tool.declaration).length };
      if (sum + size > MAX_DECLARED) {
        large.push(tool);
        continue;
      }
      sum += size;
      functions.set(tool.hostFunction.name, name);
      this.#found.set(name, { ...known, size, asked });
      told.push(tool);
    }
    const dropped = this.#makeRoom();
    try {
      declare([...this.#found.values()].map(({ tool }) => tool));
    } catch (error) {
      this.#found.clear();
      for (const [name, one] of before) this.#found.set(name, one);
      throw error;
    }
    return { told, large, dropped };
  }

  #makeRoom(): CallableTool[] {
    const dropped: CallableTool[] = [];
    let size = [...this.#found.values()].reduce((sum, one) => sum + one.size, 0);
    const { max = MAX_DISCOVERED } = this.#options;
    while (this.#found.size > max || size > MAX_DECLARED) {
      let oldest: Found | undefined;
      for (const one of this.#found.values()) {
        if (oldest === undefined || one.asked < oldest.asked) oldest = one;
      }
      if (oldest === undefined) break;
      size -= oldest.size;
      this.#found.delete(oldest.tool.declaration.name);
      dropped.push(oldest.tool);
    }
    return dropped;
  }

  /** A line on a name that is not there, with those that are like it. */
  async #nearTo(name: string): Promise<string> {
    const { expander, signal } = this.#options;
    const tools = await expander.expand({ query: name, limit: MAX_NEAR, signal });
    const near = tools.slice(0, MAX_NEAR).map((tool) => this.#nameOf(tool));
    return `${shown(name)} is not there${near.length === 0 ? "" : `; near: ${near.join(", ")}`}`;
  }

  #tell(
    { names, query, left }: Wish,
    { told, large, taken, dropped, near, more }: {
      readonly large: readonly CallableTool[];
      readonly taken: readonly string[];
      readonly told: readonly CallableTool[];
      readonly dropped: readonly CallableTool[];
      readonly near: readonly string[];
      readonly more: readonly string[];
    },
  ): string {
    const { forScripts, isTaken } = this.#options;
    const there = [...new Set([...names.filter(isTaken), ...taken])];
    const lines = forScripts
      ? told.map(typescriptOf)
      : told.map(({ declaration: { name, description } }) =>
        `- ${name}: ${oneLine(description, MAX_DESCRIPTION)}`
      );
    return [
      ...(told.length === 0
        ? (query === "" ? [] : ["nothing new matches the query; try other words"])
        : [
          forScripts
            ? "functions that you can call from your next turn on:"
            : "Found; you can call them from your next turn on:",
          ...lines,
        ]),
      ...(large.length === 0 ? [] : [
        `too much to declare at once, look for fewer: ${
          large.map((tool) => this.#nameOf(tool)).join(", ")
        }`,
      ]),
      ...(there.length === 0 ? [] : [`there already: ${there.map(shown).join(", ")}`]),
      ...near,
      ...more,
      ...(left === 0 ? [] : [`${left} more names were not looked for; ${MAX_NAMED} go at once`]),
      ...(dropped.length === 0 ? [] : [
        `gone, to make room: ${dropped.map((tool) => this.#nameOf(tool)).join(", ")}`,
      ]),
    ].join("\n");
  }

  /** What the model calls it by. */
  #nameOf({ declaration, hostFunction }: CallableTool): string {
    return this.#options.forScripts ? hostFunction.name : declaration.name;
  }
}

function failed(text: string): Discovered {
  return { ok: false, names: [], text };
}

function isNamed({ declaration, hostFunction }: CallableTool, name: string): boolean {
  return declaration.name === name || hostFunction.name === name;
}

function typescriptOf({ declaration, hostFunction, typescript }: CallableTool): string {
  return typescript?.() ??
    `declare function ${hostFunction.name}(args?: Record<string, any>): any; // ${
      oneLine(declaration.description, MAX_DESCRIPTION)
    }`;
}

function oneLine(text: string, most: number): string {
  const line = text.slice(0, 4 * most).replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
