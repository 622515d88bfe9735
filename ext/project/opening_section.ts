/** Cuts the beginning of a Markdown text where a reader would stop. Pure functions. */
import { byteLength } from "./clean_text.ts";
import { type Fence, fenceAfter, headingOf } from "./code_fences.ts";

/** Ways to cut, the best one first. One is taken when it keeps at least half of what the others would. */
const WAYS = ["paragraph", "item", "line", "word"] as const;

/** Where to cut, as lengths of what is kept; within a word only where there is nothing else. */
type Cuts = Record<typeof WAYS[number] | "character", number>;

/**
 * The beginning of a text within a number of UTF-8 bytes; all of it when that fits. It ends with a paragraph, else with an item of a list, a line or a
 * word; never on a heading, and never in a fence, so that it may be empty.
 */
export function openingOf(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text;
  const cuts = cutsOf(text, maxBytes);
  const furthest = Math.max(...WAYS.map((way) => cuts[way]));
  const way = furthest === 0 ? "character" : WAYS.find((one) => cuts[one] * 2 >= furthest);
  return text.slice(0, cuts[way ?? "word"]);
}

/** The last cut of each way that fits. */
function cutsOf(text: string, maxBytes: number): Cuts {
  const cuts: Cuts = { paragraph: 0, item: 0, line: 0, word: 0, character: 0 };
  /** Behind the last line that may be the last one. */
  let end = 0;
  let endBeforeParagraph = 0;
  let isInParagraph = false;
  let fence: Fence | undefined;
  let bytes = 0;
  for (let start = 0; start < text.length;) {
    const stop = text.indexOf("\n", start);
    const next = stop === -1 ? text.length : stop + 1;
    const line = text.slice(start, stop === -1 ? undefined : stop);
    const isBlank = line.trim() === "";
    const isHeading = headingOf(line) !== undefined;
    const isUnderline: boolean = isInParagraph && /^ {0,3}(?:=+|-+)\s*$/.test(line);
    if (fence === undefined && !isUnderline) {
      if (isBlank || isHeading || !isInParagraph) cuts.paragraph = end;
      if (isItem(line)) cuts.item = end;
      cuts.line = end;
    }
    const lineBytes = byteLength(line);
    const after = fenceAfter(line, fence);
    if (bytes + lineBytes > maxBytes) {
      if (fence === undefined && after === undefined && !isHeading && !isUnderline) {
        const head = headOf(line, Math.max(0, maxBytes - bytes));
        const words = wholeWords(head);
        if (words !== "") cuts.word = start + words.length;
        if (head !== "") cuts.character = start + head.length;
      }
      break;
    }
    const isText = fence === undefined && after === undefined && !isBlank && !isHeading;
    if (isText && !isInParagraph) endBeforeParagraph = end;
    if (isUnderline && fence === undefined) end = endBeforeParagraph;
    else if (!isBlank && !isHeading && after === undefined) end = start + line.length;
    isInParagraph = isText && !isUnderline;
    fence = after;
    bytes += lineBytes + 1;
    start = next;
  }
  return cuts;
}

function isItem(line: string): boolean {
  return /^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(line);
}

/** The beginning of a line that fits, in whole characters. */
function headOf(line: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(line, new Uint8Array(maxBytes));
  return line.slice(0, read);
}

/** A text without its last word, which may be cut; empty when there is no other. */
function wholeWords(text: string): string {
  return text.slice(0, Math.max(0, text.lastIndexOf(" "), text.lastIndexOf("\t"))).trimEnd();
}
