/**
 * How facts are found: the words of a text, the words that a query asks for, and the order of what was found. Every store in this folder finds by these rules,
 * so that a fact is found alike in memory and in a file. Pure.
 */

/** Different words of a query that count. A person's question has fewer. */
const MAX_TERMS = 32;
/** A word of a query that is this long finds also what begins with it: `meet` finds `meeting`. */
const PREFIX_LENGTH = 3;

/** Scripts that put no space between words: every two characters that follow each other count as one. */
const UNSPACED_SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`).join("");
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, "v");
const RUNS = new RegExp(
  `[${UNSPACED_SCRIPTS}]+|[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED_SCRIPTS}]]+`,
  "gv",
);

/** One word that a query asks for. */
export interface FactTerm {
  /** The word: letters, digits and the marks on them, nothing else. */
  readonly word: string;
  /** Whether words that begin with it are meant too. */
  readonly isPrefix: boolean;
}

/** The words of a text by which it is found, each once. Case and accents do not count. */
export function factWords(text: string): string[] {
  const words = runsOf(text).flatMap((run) =>
    UNSPACED.test(run) ? [...pairs(run), last(run)] : run
  );
  return [...new Set(words)];
}

/** The words that a query asks for, each once; the first 32 of them. */
export function factTerms(query: string): FactTerm[] {
  const terms = runsOf(query).flatMap((run): FactTerm[] => {
    if (UNSPACED.test(run)) {
      const asked = pairs(run);
      return asked.length === 0
        ? [{ word: run, isPrefix: true }]
        : asked.map((word) => ({ word, isPrefix: false }));
    }
    // The plural of a word is to find the word too.
    const word = run.length > PREFIX_LENGTH ? run.replace(/s$/, "") : run;
    return [{ word, isPrefix: word.length >= PREFIX_LENGTH }];
  });
  return [...new Map(terms.map((term) => [term.word, term])).values()].slice(0, MAX_TERMS);
}

/** Whether one of the words is what a term asks for. */
export function hasTerm(words: readonly string[], { word, isPrefix }: FactTerm): boolean {
  return isPrefix ? words.some((one) => one.startsWith(word)) : words.includes(word);
}

/**
 * Sorts what was found, best first: by the sum of what each term weighs that is in it, then the newest.
 *
 * A term weighs the more the fewer facts have it (as in BM25, without the lengths). Only facts of one owner are counted: another's would show through the order.
 *
 * @param found for each term the facts that have it, by a number that is larger for newer ones
 * @param total how many facts the owner has
 */
export function rankFacts(found: readonly (readonly number[])[], total: number): number[] {
  const scores = new Map<number, number>();
  for (const facts of found) {
    const weight = Math.log(1 + (total - facts.length + 0.5) / (facts.length + 0.5));
    for (const fact of facts) scores.set(fact, (scores.get(fact) ?? 0) + weight);
  }
  return [...scores].sort(([a, x], [b, y]) => y - x || b - a).map(([fact]) => fact);
}

function runsOf(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFC");
  return plain.toLowerCase().match(RUNS) ?? [];
}

function pairs(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

function last(run: string): string {
  return [...run].at(-1) ?? "";
}
