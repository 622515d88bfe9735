/**
 * Finds what a text claims to have done. Knows words and their order in three languages, no meaning: what it cannot catch is written down in
 * `docs/adr/0020-claims-are-held-against-the-log.md`. Time in
 * proportion to the text's length, whatever it is.
 */
import {
  type Actor,
  type ClaimLanguage,
  type Clause,
  DEED_KINDS,
  type DeedKind,
} from "./claim_language.ts";
import { ENGLISH } from "./english.ts";
import { GERMAN } from "./german.ts";
import { PORTUGUESE } from "./portuguese.ts";
import { readSentences } from "./read_sentences.ts";

/** A language that claims are found in. */
export type ClaimLanguageName = "en" | "pt" | "de";

const LANGUAGES: Readonly<Record<ClaimLanguageName, ClaimLanguage>> = {
  en: ENGLISH,
  pt: PORTUGUESE,
  de: GERMAN,
};

/** A claim in a text. */
export interface FoundClaim {
  /** What is claimed. */
  readonly kind: DeedKind;
  /** The language that it is claimed in. */
  readonly language: ClaimLanguageName;
}

/** What a text claims, each kind once and in the language in which it was found first. */
export function findClaims(text: string): readonly FoundClaim[] {
  const found = new Map<DeedKind, FoundClaim>();
  for (const { clauses, isQuestion } of readSentences(text)) {
    if (isQuestion) continue;
    for (const language of Object.keys(LANGUAGES) as ClaimLanguageName[]) {
      for (const kind of claimsOf(clauses, LANGUAGES[language])) {
        if (!found.has(kind)) found.set(kind, { kind, language });
      }
    }
    if (found.size === DEED_KINDS.length) break;
  }
  return DEED_KINDS.flatMap((kind) => found.get(kind) ?? []);
}

function claimsOf(clauses: readonly Clause[], language: ClaimLanguage): Set<DeedKind> {
  const claims = new Set<DeedKind>();
  const sentence = new Set<string>();
  const whole = new Set(clauses.flatMap(({ words }) => words));
  let actor: Actor = "unknown";
  for (const clause of clauses) {
    for (const word of clause.words) sentence.add(word);
    const read = language.read(clause, { actor, sentence, whole });
    for (const kind of read.claims) claims.add(kind);
    actor = read.actor;
  }
  return claims;
}
