/**
 * What is remembered beyond a session: short facts that later sessions of the same user and tenant can find by their words.
 */
import type { Scope } from "./scope.ts";

/** Bytes of UTF-8 that the text of one fact may have, and a query. A fact is a sentence or a few; what is longer is a document. */
export const MAX_FACT_BYTES = 4096;
/** Tags that one fact may have. */
export const MAX_FACT_TAGS = 16;
/** Bytes of UTF-8 that one tag may have. */
export const MAX_FACT_TAG_BYTES = 64;
/** Facts that one owner may have: a word that all of them share is found in some 30 ms. */
export const MAX_FACTS = 10_000;
/** Facts that are recalled unless told otherwise. */
export const DEFAULT_RECALLED_FACTS = 10;
/** Facts that are recalled at once at most. */
export const MAX_RECALLED_FACTS = 100;

/**
 * Whose facts are meant: exactly this tenant, project and user. What belongs to a tenant as a whole is not found by one of its users, nor the other way round.
 * With neither scope nor user all share one memory.
 */
export interface FactOwner {
  /** The tenant. */
  readonly scope?: Scope;
  /** The user. */
  readonly userId?: string;
}

/** A fact as it is handed to a store. */
export interface NewFact {
  /** What is to be remembered, 1 to {@linkcode MAX_FACT_BYTES} bytes. */
  readonly text: string;
  /** Words that it is also to be found by. @default none */
  readonly tags?: readonly string[];
}

/** A fact that is kept. */
export interface Fact {
  /** Names it among the facts of its owner: any non-empty text. */
  readonly id: string;
  /** What was remembered. */
  readonly text: string;
  /** Its tags, in the order in which they were given. */
  readonly tags: readonly string[];
  /** When it was last remembered. */
  readonly createdAt: Date;
}

/**
 * Keeps facts. Held to `factStoreContract` in `@agentloop/core/testing`.
 *
 * Nothing that one owner does shows another whether a fact is there: neither what is found, nor its order, nor the ids.
 */
export interface FactStore {
  /**
   * Keeps a fact. A text that its owner has already is not kept twice: it gets the new tags and the new time, and keeps its id.
   *
   * @throws {TypeError} when a field is missing or of the wrong type, or a text is empty.
   * @throws {RangeError} when a text is too long, there are too many tags, or the owner has {@linkcode MAX_FACTS} facts: the message says what to do.
   */
  remember(owner: FactOwner, fact: NewFact): Promise<Fact>;
  /**
   * The facts in which words of the query stand, in text or tags; those with more of them first, rare words counting more, and of equal ones the newest.
   * A query without a letter or digit finds nothing, an empty one the newest facts. No character of a query has a meaning of its own.
   *
   * @throws {TypeError} when the query is no text.
   * @throws {RangeError} when it is longer than {@linkcode MAX_FACT_BYTES}, or the limit is no whole number from 1 to {@linkcode MAX_RECALLED_FACTS}.
   */
  recall(
    owner: FactOwner,
    query: string,
    options?: { readonly limit?: number },
  ): Promise<Fact[]>;
  /** Removes a fact for good; false when its owner has none of this id. */
  forget(owner: FactOwner, id: string): Promise<boolean>;
}
