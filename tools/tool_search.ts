/** Finds tools by words, in memory: a look at every tool, which takes a few milliseconds for thousands. Pure. */
import type { Tool } from "../contracts/tool.ts";
import { isPrefix, queryWords, searchWords } from "./search_words.ts";

/** What a word counts where it stands: as it is or as a beginning, in the name or in the description. A name says what a tool is; a description names much. */
const IN_NAME = 8;
const BEGINS_IN_NAME = 4;
const IN_DESCRIPTION = 3;
const BEGINS_IN_DESCRIPTION = 1;

interface Words {
  readonly name: readonly string[];
  readonly description: readonly string[];
}

/** Taken once a tool. */
const WORDS = new WeakMap<Tool, Words>();

/**
 * The tools that have a word of the query, or a longer one that begins with it, the best first: rare words count more than those that many tools have. Of equals
 * the shorter name comes first, then the earlier tool.
 */
export function searchTools(
  tools: readonly Tool[],
  { query, limit }: { readonly query: string; readonly limit: number },
): Tool[] {
  const scores = new Array<number>(tools.length).fill(0);
  for (const word of queryWords(query)) {
    const weights = tools.map((tool) => weightOf(word, wordsOf(tool)));
    const having = weights.filter((weight) => weight > 0).length;
    const rarity = Math.log(1 + tools.length / Math.max(1, having));
    for (const [at, weight] of weights.entries()) scores[at]! += weight * rarity;
  }
  return tools
    .map((tool, at) => ({ tool, at, score: scores[at]! }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.tool.name.length - b.tool.name.length || a.at - b.at)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

function weightOf(word: string, { name, description }: Words): number {
  if (name.includes(word)) return IN_NAME;
  const begins = (other: string) => other.startsWith(word);
  const prefix = isPrefix(word);
  if (prefix && name.some(begins)) return BEGINS_IN_NAME;
  if (description.includes(word)) return IN_DESCRIPTION;
  return prefix && description.some(begins) ? BEGINS_IN_DESCRIPTION : 0;
}

function wordsOf(tool: Tool): Words {
  const known = WORDS.get(tool);
  if (known !== undefined) return known;
  const words = { name: searchWords(tool.name), description: searchWords(tool.description) };
  WORDS.set(tool, words);
  return words;
}
