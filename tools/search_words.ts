/** The words that tools are found by. Both kinds of search use them, for what is searched and for what is searched for, so that they find the same. */

/** So many words of a query count. */
const MAX_QUERY_WORDS = 24;
/** Shorter words must stand as they are; a longer one may be the beginning of another. */
const MIN_PREFIX = 3;

const IDEOGRAPH = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]`;
// Those scripts put no space between words: each character is one.
const WORD = new RegExp(String.raw`${IDEOGRAPH}|(?:(?!${IDEOGRAPH})[\p{L}\p{N}\p{M}])+`, "gu");

/** The words of a text, lower case and in the singular. The parts of `camelCase` and `snake_case` are words. */
export function searchWords(text: string): string[] {
  const parted = text.normalize("NFKC")
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase();
  return (parted.match(WORD) ?? []).map(singular);
}

/** The words of a query, none of them twice. */
export function queryWords(query: string): string[] {
  return [...new Set(searchWords(query))].slice(0, MAX_QUERY_WORDS);
}

/** Whether a word of a query may be the beginning of what it finds. */
export function isPrefix(word: string): boolean {
  return [...word].length >= MIN_PREFIX;
}

/** English plurals, roughly: what counts is that both sides come to the same. */
function singular(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
