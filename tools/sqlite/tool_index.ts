/**
 * An index of tools in SQLite (FTS5). It holds words and nothing that cannot be made again, so a file of it may be deleted at any time. Several programs may share
 * one: each set of tools stands in it under its own digest.
 */
import { refuseUnknown } from "../../contracts/known_names.ts";
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Tool, ToolExpander } from "../../contracts/tool.ts";
import { storeError } from "../../stores/sqlite/failures.ts";
import { isPrefix, queryWords, searchWords } from "../search_words.ts";
import { expandBy } from "../tool_expander.ts";
import type { ToolSource } from "../tool_pack.ts";
import { ToolRegistry } from "../tool_registry.ts";
import { openIndex } from "./open_index.ts";

/** Where the index is kept. */
export interface SqliteToolExpanderOptions {
  /** A file, so that the next program need not make the index again. @default ":memory:" */
  readonly path?: string;
}

/** Finds tools by an index. Owned by whoever opened it. */
export interface SqliteToolExpander extends ToolExpander, Disposable {
  /** Closes the index. */
  close(): void;
}

/** Sets that a file holds at most; the one that was not used for the longest goes. */
const MAX_SETS = 8;

/**
 * Makes an index of tools, where there is none yet. Of a registry it finds what is switched on at that moment, among those that were registered when this was
 * called.
 *
 * @throws {AgentLoopError} when the file cannot be used.
 * @throws {TypeError} when two tools of a list have one name.
 */
export function openSqliteToolExpander(
  tools: ToolSource,
  options: SqliteToolExpanderOptions = {},
): SqliteToolExpander {
  refuseUnknown("openSqliteToolExpander", options, { path: true });
  const { path = ":memory:" } = options;
  const registry = tools instanceof ToolRegistry ? tools : new ToolRegistry(tools);
  const index = new ToolIndex(registry.list(), path);
  const isEnabled = (name: string) => registry.isEnabled(name);
  return {
    expand: (search) =>
      expandBy(search, {
        tools: registry.enabled(),
        find: (query, limit) => index.find(query, { limit, isEnabled }),
      }),
    close: () => index.close(),
    [Symbol.dispose]: () => index.close(),
  };
}

class ToolIndex {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #set: string;
  #isOpen = true;

  constructor(tools: readonly Tool[], path: string) {
    this.#path = path;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#set = digestOf(tools);
    this.#database = openIndex(path);
    try {
      this.#fill();
    } catch (error) {
      this.close();
      throw storeError(error, "make the index of tools", path);
    }
  }

  /** The tools that have a word of the query, the best first. */
  find(
    query: string,
    { limit, isEnabled }: {
      readonly limit: number;
      readonly isEnabled: (name: string) => boolean;
    },
  ): Tool[] {
    if (!this.#isOpen) throw new TypeError("The index of tools was closed.");
    const match = matchOf(query);
    if (match === "") return [];
    try {
      this.#fill(); // another program may have taken the set out of the file
      const found: Tool[] = [];
      for (const { tool } of this.#database.prepare(SEARCH).iterate(match, this.#set)) {
        if (found.length >= limit) break;
        const known = this.#tools.get(String(tool));
        if (known !== undefined && isEnabled(known.name)) found.push(known);
      }
      return found;
    } catch (error) {
      throw storeError(error, "search the index of tools", this.#path);
    }
  }

  close(): void {
    if (this.#isOpen) this.#database.close();
    this.#isOpen = false;
  }

  #fill(): void {
    if (this.#isFilled()) return;
    const database = this.#database;
    database.exec("BEGIN IMMEDIATE");
    try {
      // Another program may have been faster.
      if (!this.#isFilled()) this.#write();
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  #isFilled(): boolean {
    return this.#database.prepare("SELECT 1 FROM sets WHERE id = ?").get(this.#set) !== undefined;
  }

  #write(): void {
    const database = this.#database;
    const insert = database.prepare(
      "INSERT INTO words (name, description, tool, set_id) VALUES (?, ?, ?, ?)",
    );
    for (const { name, description } of this.#tools.values()) {
      insert.run(textOf(name), textOf(description), name, this.#set);
    }
    database.prepare("INSERT INTO sets (id) VALUES (?)").run(this.#set);
    const old = database.prepare(
      "SELECT id FROM sets ORDER BY number DESC LIMIT -1 OFFSET ?",
    ).all(MAX_SETS);
    for (const { id } of old) {
      database.prepare("DELETE FROM words WHERE set_id = ?").run(id!);
      database.prepare("DELETE FROM sets WHERE id = ?").run(id!);
    }
  }
}

/** A word of the name counts eight times one of the description, as in memory. */
const SEARCH = `
  SELECT tool FROM words WHERE words MATCH ? AND set_id = ?
   ORDER BY bm25(words, 8.0, 1.0), length(tool), rowid
`;

/** What is searched for, in the index's language. Nothing of a query but letters and digits gets here, in quotes, so that none of it is syntax. */
function matchOf(query: string): string {
  return queryWords(query)
    .flatMap((word) => isPrefix(word) ? [`"${word}"`, `"${word}" *`] : [`"${word}"`])
    .join(" OR ");
}

function textOf(text: string): string {
  return searchWords(text).join(" ");
}

function digestOf(tools: readonly Tool[]): string {
  const hash = createHash("sha256");
  for (const { name, description } of tools) hash.update(JSON.stringify([name, description]));
  return hash.digest("hex");
}
