// deno-lint-ignore-file require-await -- the interface is asynchronous, and a bad argument is to reject, not to throw
/** Facts in this process's memory. Part of `MemoryStore`; finds by the same rules as the store in a file. */
import {
  type Fact,
  type FactOwner,
  type FactStore,
  MAX_FACTS,
  type NewFact,
} from "../contracts/fact.ts";
import {
  checkedFact,
  checkedFactId,
  checkedQuery,
  checkedRecallLimit,
  memoryIsFull,
  ownerKey,
} from "./fact_input.ts";
import { factTerms, factWords, hasTerm, rankFacts } from "./fact_words.ts";

interface Entry {
  readonly fact: Fact;
  readonly words: readonly string[];
}

/** The facts of one owner, the oldest first. */
interface Memory {
  readonly entries: Map<string, Entry>;
  /** Ids by the texts of the facts. */
  readonly ids: Map<string, string>;
  lastNumber: number;
}

/** Keeps facts in memory. */
export class MemoryFacts implements FactStore {
  readonly #now: () => Date;
  readonly #memories = new Map<string, Memory>();

  /** Begins with none. */
  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Keeps a fact; a text that is there already keeps its id. */
  async remember(owner: FactOwner, given: NewFact): Promise<Fact> {
    const key = ownerKey(owner);
    const { text, tags } = checkedFact(given);
    const memory: Memory = this.#memories.get(key) ??
      { entries: new Map(), ids: new Map(), lastNumber: 0 };
    const known = memory.ids.get(text);
    if (known === undefined && memory.entries.size >= MAX_FACTS) throw memoryIsFull();
    this.#memories.set(key, memory);
    const id = known ?? String(++memory.lastNumber);
    memory.ids.set(text, id);
    const fact: Fact = { id, text, tags, createdAt: new Date(this.#now()) };
    // What was remembered again is the newest again.
    memory.entries.delete(id);
    memory.entries.set(id, { fact, words: factWords([text, ...tags].join("\n")) });
    return copyOf(fact);
  }

  /** The facts that a query finds, best first. */
  async recall(
    owner: FactOwner,
    query: string,
    options: { readonly limit?: number } = {},
  ): Promise<Fact[]> {
    const key = ownerKey(owner);
    const asked = checkedQuery(query);
    const limit = checkedRecallLimit(options.limit);
    const entries = [...this.#memories.get(key)?.entries.values() ?? []];
    if (asked.trim() === "") {
      return entries.toReversed().slice(0, limit).map(({ fact }) => copyOf(fact));
    }
    const found = factTerms(asked).map((term) =>
      [...entries.keys()].filter((at) => hasTerm(entries[at]?.words ?? [], term))
    );
    return rankFacts(found, entries.length).slice(0, limit)
      .flatMap((at) => entries[at] ?? []).map(({ fact }) => copyOf(fact));
  }

  /** Removes a fact; false when its owner has none of this id. */
  async forget(owner: FactOwner, id: string): Promise<boolean> {
    const memory = this.#memories.get(ownerKey(owner));
    const known = memory?.entries.get(checkedFactId(id));
    if (memory === undefined || known === undefined) return false;
    memory.ids.delete(known.fact.text);
    return memory.entries.delete(id);
  }
}

function copyOf(fact: Fact): Fact {
  return { ...fact, tags: [...fact.tags], createdAt: new Date(fact.createdAt) };
}
