/** What the claim detector has to know of a language: words for deeds, and how a clause says who did what. */

/** Deeds that an answer can claim. */
export type DeedKind = "saved" | "scheduled" | "sent" | "published";

/** The deeds, in the order in which they are told. */
export const DEED_KINDS: readonly DeedKind[] = ["saved", "scheduled", "sent", "published"];

/** Words are written in small letters, several forms of one with spaces between them. */
export interface DeedWords {
  /** Verb forms that say the deed whatever stands with them. */
  readonly strong: ReadonlySet<string>;
  /** Verb forms that say it only with one of the things. */
  readonly weak: ReadonlySet<string>;
  /** Things that this is done to. */
  readonly things: ReadonlySet<string>;
  /** Those of them that weak verbs count with. A summary that was written may stand in the answer alone, a file cannot. */
  readonly solid: ReadonlySet<string>;
  /** The same where the speaker says that he did it: of meetings and the like much is said that is no claim. */
  readonly ownThings: ReadonlySet<string>;
}

/** A part of a sentence, between commas and the like. */
export interface Clause {
  /** Its words in small letters; a file is `§file`, an address `§url`, other code `§code`, a quotation `§quote`. */
  readonly words: readonly string[];
  /** What stands before it: the beginning of the sentence, a sign, or the word of a kind that joins. */
  readonly joined: "start" | "sign" | "and" | "but";
}

/** Who did what a clause says, for the next one, which may leave it out. */
export type Actor = "self" | "passive" | "other" | "unknown" | "blocked";

/** What a clause claims, and who acts in it. */
export interface ClauseReading {
  readonly claims: readonly DeedKind[];
  readonly actor: Actor;
}

/** What the sentence said before a clause. */
export interface ClauseContext {
  readonly actor: Actor;
  /** Every word of the sentence up to the end of the clause. */
  readonly sentence: ReadonlySet<string>;
  /** Every word of the sentence. */
  readonly whole: ReadonlySet<string>;
}

/** A language. */
export interface ClaimLanguage {
  /** Reads one clause. Takes time in proportion to its length, which is bounded. */
  read(clause: Clause, context: ClauseContext): ClauseReading;
}

/** Words out of a text with spaces between them. */
export function wordSet(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.join(" ").split(/\s+/).filter((word) => word !== ""));
}

/** The words for one deed. */
export function deedWords(
  { strong, weak, things, alsoInAnswers = "", ownThings = "" }: {
    readonly strong: string;
    readonly weak: string;
    readonly things: string;
    /** Things that may as well be part of the answer. */
    readonly alsoInAnswers?: string;
    readonly ownThings?: string;
  },
): DeedWords {
  return {
    strong: wordSet(strong),
    weak: wordSet(weak),
    things: wordSet(things, alsoInAnswers),
    solid: wordSet(things),
    ownThings: wordSet(things, ownThings),
  };
}

/** Whether some word is in a set. */
export function hasOne(words: Iterable<string>, set: ReadonlySet<string>): boolean {
  for (const word of words) if (set.has(word)) return true;
  return false;
}

/** Whether a clause speaks of what stands in something: `in the example`, `in a variable`. Of an example's folder it does not. */
export function standsIn(
  words: readonly string[],
  { prepositions, places }: {
    readonly prepositions: ReadonlySet<string>;
    readonly places: ReadonlySet<string>;
  },
): boolean {
  return words.some((word, at) =>
    prepositions.has(word) &&
    [words[at + 1], words[at + 2]].some((place) => place !== undefined && places.has(place))
  );
}

/** A word that is a year: what is said of one is history. */
export const YEAR = /^(?:1[5-9]|20)\d\d$/;

/** The last word before a place that is none of the `skipped`; -1 where there is none. */
export function lastBefore(
  words: readonly string[],
  at: number,
  skipped: ReadonlySet<string>,
): number {
  let before = at - 1;
  while (before >= 0 && skipped.has(words[before]!)) before--;
  return before;
}
