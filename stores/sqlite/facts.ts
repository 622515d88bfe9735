/** Facts in the store's file. Part of `SqliteStore`, whose connection it uses; the words by which facts are found stand in an index of FTS5. */
import type { SQLOutputValue } from "node:sqlite";
import {
  type Fact,
  type FactOwner,
  type FactStore,
  MAX_FACTS,
  type NewFact,
} from "../../contracts/fact.ts";
import {
  type CheckedFact,
  checkedFact,
  checkedFactId,
  checkedQuery,
  checkedRecallLimit,
  memoryIsFull,
  ownerKey,
} from "../fact_input.ts";
import { type FactTerm, factTerms, factWords, rankFacts } from "../fact_words.ts";
import type { Connection } from "./connection.ts";
import { textOf, toColumn } from "./text_column.ts";

const OWNER = "SELECT owner_id FROM fact_owners WHERE owner_key = ?";
const MAKE_OWNER =
  "INSERT INTO fact_owners (owner_key, fact_count, last_number, last_version) VALUES (?, 0, 0, 0) RETURNING owner_id";
const NEXT_VERSION =
  "UPDATE fact_owners SET last_version = last_version + 1 WHERE owner_id = ? RETURNING last_version";
const NEXT_NUMBER = `
  UPDATE fact_owners SET last_number = last_number + 1, fact_count = fact_count + 1
    WHERE owner_id = ? RETURNING last_number`;
const ONE_LESS = "UPDATE fact_owners SET fact_count = fact_count - 1 WHERE owner_id = ?";
const COUNT = "SELECT fact_count FROM fact_owners WHERE owner_id = ?";
const BY_TEXT = "SELECT fact_id, number FROM facts WHERE owner_id = ? AND text = ?";
const INSERT = `
  INSERT INTO facts (owner_id, number, version, text, tags, created_at) VALUES (?, ?, ?, ?, ?, ?)
    RETURNING fact_id`;
const RENEW = "UPDATE facts SET version = ?, tags = ?, created_at = ? WHERE fact_id = ?";
const DELETE = "DELETE FROM facts WHERE owner_id = ? AND number = ? RETURNING fact_id";
const INDEX = "INSERT INTO fact_words (rowid, owner, words) VALUES (?, ?, ?)";
const UNINDEX = "DELETE FROM fact_words WHERE rowid = ?";
const NEWEST = `
  SELECT number, text, tags, created_at FROM facts WHERE owner_id = ? ORDER BY version DESC LIMIT +?`;
const BY_VERSION = `
  SELECT number, text, tags, created_at FROM facts WHERE owner_id = ? AND version = ?`;
const MATCH = `
  SELECT version FROM fact_words JOIN facts ON fact_id = fact_words.rowid
    WHERE fact_words MATCH ? AND owner_id = ?`;

/** Keeps facts in a store's file. */
export class SqliteFacts implements FactStore {
  readonly #connection: Connection;
  readonly #now: () => Date;

  /** Uses a connection that somebody else owns. */
  constructor(connection: Connection, now: () => Date) {
    this.#connection = connection;
    this.#now = now;
  }

  /** Keeps a fact; a text that is there already keeps its id. */
  // deno-lint-ignore require-await -- a bad argument is to reject, not to throw
  async remember(owner: FactOwner, given: NewFact): Promise<Fact> {
    const key = ownerKey(owner);
    const fact = checkedFact(given);
    return this.#connection.write("remember a fact", () => {
      const createdAt = new Date(this.#now());
      const ownerId = this.#ownerId(key) ?? this.#number(MAKE_OWNER, key);
      const number = this.#put(ownerId, { ...fact, createdAt });
      return { id: String(number), text: fact.text, tags: [...fact.tags], createdAt };
    });
  }

  /** The facts that a query finds, best first. */
  // deno-lint-ignore require-await -- see remember
  async recall(
    owner: FactOwner,
    query: string,
    options: { readonly limit?: number } = {},
  ): Promise<Fact[]> {
    const key = ownerKey(owner);
    const asked = checkedQuery(query);
    const limit = checkedRecallLimit(options.limit);
    return this.#connection.read("recall facts", () => {
      const ownerId = this.#ownerId(key);
      if (ownerId === undefined) return [];
      if (asked.trim() === "") return this.#connection.rows(NEWEST, ownerId, limit).map(factOf);
      const found = factTerms(asked).map((term) => this.#withTerm(ownerId, term));
      const total = this.#number(COUNT, ownerId);
      return rankFacts(found, total).slice(0, limit).flatMap((version) =>
        this.#connection.rows(BY_VERSION, ownerId, version).map(factOf)
      );
    });
  }

  /** Removes a fact, its words in the file too; false when its owner has none of this id. */
  // deno-lint-ignore require-await -- see remember
  async forget(owner: FactOwner, id: string): Promise<boolean> {
    const key = ownerKey(owner);
    const number = numberOf(checkedFactId(id));
    return this.#connection.write("forget a fact", () => {
      const ownerId = this.#ownerId(key);
      if (ownerId === undefined || number === undefined) return false;
      const row = this.#connection.statement(DELETE).get(ownerId, number);
      if (row === undefined) return false;
      this.#connection.statement(UNINDEX).run(Number(row.fact_id));
      this.#connection.statement(ONE_LESS).run(ownerId);
      return true;
    });
  }

  /** Writes a fact with its words and gives its number. */
  #put(ownerId: number, fact: CheckedFact & { readonly createdAt: Date }): number {
    const { text, tags, createdAt } = fact;
    const values = [JSON.stringify(tags), createdAt.getTime()] as const;
    const known = this.#connection.statement(BY_TEXT).get(ownerId, toColumn(text));
    if (known === undefined && this.#number(COUNT, ownerId) >= MAX_FACTS) throw memoryIsFull();
    const version = this.#number(NEXT_VERSION, ownerId);
    const number = known === undefined ? this.#number(NEXT_NUMBER, ownerId) : Number(known.number);
    const factId = known === undefined
      ? this.#number(INSERT, ownerId, number, version, toColumn(text), ...values)
      : Number(known.fact_id);
    if (known !== undefined) {
      this.#connection.statement(RENEW).run(version, ...values, factId);
      this.#connection.statement(UNINDEX).run(factId);
    }
    const words = factWords([text, ...tags].join("\n")).join(" ");
    this.#connection.statement(INDEX).run(factId, ownerWord(ownerId), words);
    return number;
  }

  /** The versions of the facts that have a term. The owner's word keeps the index from looking at the facts of others. */
  #withTerm(ownerId: number, { word, isPrefix }: FactTerm): number[] {
    const match = `owner : "${ownerWord(ownerId)}" AND words : "${word}"${isPrefix ? " *" : ""}`;
    return this.#connection.rows(MATCH, match, ownerId).map(([version]) => Number(version));
  }

  #ownerId(key: string): number | undefined {
    const row = this.#connection.statement(OWNER).get(toColumn(key));
    return row === undefined ? undefined : Number(row.owner_id);
  }

  /** The one number that a statement gives. */
  #number(sql: string, ...values: readonly (string | number | Uint8Array)[]): number {
    return Number(this.#connection.rows(sql, ...values)[0]?.[0]);
  }
}

function ownerWord(ownerId: number): string {
  return `o${ownerId}`;
}

/** Ids are numbers here; another text is the id of no fact. */
function numberOf(id: string): number | undefined {
  const number = Number(id);
  return String(number) === id && Number.isSafeInteger(number) ? number : undefined;
}

function factOf(columns: readonly SQLOutputValue[]): Fact {
  return {
    id: String(columns[0]),
    text: textOf(columns[1]),
    tags: JSON.parse(textOf(columns[2])),
    createdAt: new Date(columns[3] as number),
  };
}
