/** How well claims are found in the labelled sentences: what `claims_bench.ts` prints and a test holds to bars. */
import { findAddresses, findClaims } from "../../ext/assistant/mod.ts";

/** The languages of the sentences. */
export const LANGUAGES = ["en", "pt", "de"] as const;

/** Bars for the half that was kept from tuning. */
export const PRECISION_BAR = 0.95;
/** See there. */
export const RECALL_BAR = 0.85;

/** A labelled sentence. */
export interface LabelledSentence {
  readonly text: string;
  readonly claims: readonly string[];
}

/** What came out: claims that were found and are some, that were found and are none, and that were missed. */
export interface ClaimFigures {
  readonly sentences: number;
  readonly right: number;
  readonly wrong: number;
  readonly missed: number;
}

/** Reads the sentences of a half in one language. */
export function readSentencesOf(
  half: "tuning" | "kept",
  language: typeof LANGUAGES[number],
): readonly LabelledSentence[] {
  const file = new URL(`./${half}/${language}.jsonl`, import.meta.url);
  return Deno.readTextFileSync(file).trim().split("\n").map((line) => JSON.parse(line));
}

/** Counts each kind of each sentence: a deed that is found under another kind is one wrong and one missed. Addresses are counted apart, or they would flatter. */
export function measureClaims(sentences: readonly LabelledSentence[]): ClaimFigures {
  let [right, wrong, missed] = [0, 0, 0];
  for (const { text, claims } of sentences) {
    const wanted = new Set(claims.filter((kind) => kind !== "address"));
    const found = new Set<string>(findClaims(text).map(({ kind }) => kind));
    right += wanted.intersection(found).size;
    wrong += found.difference(wanted).size;
    missed += wanted.difference(found).size;
  }
  return { sentences: sentences.length, right, wrong, missed };
}

/** Sentences in which an address was found exactly where one is. */
export function measureAddresses(sentences: readonly LabelledSentence[]): number {
  return sentences.filter(({ text, claims }) =>
    (findAddresses(text).length > 0) === claims.includes("address")
  ).length;
}

/** The figures of several groups together. */
export function sumFigures(figures: readonly ClaimFigures[]): ClaimFigures {
  const sum = (field: keyof ClaimFigures) => figures.reduce((all, one) => all + one[field], 0);
  return {
    sentences: sum("sentences"),
    right: sum("right"),
    wrong: sum("wrong"),
    missed: sum("missed"),
  };
}

/** Of the claims that were found, the share that are some. */
export function precisionOf({ right, wrong }: ClaimFigures): number {
  return right / (right + wrong);
}

/** Of the claims that there are, the share that were found. */
export function recallOf({ right, missed }: ClaimFigures): number {
  return right / (right + missed);
}
