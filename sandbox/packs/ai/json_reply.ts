/** Takes a JSON value out of what a model wrote around it: prose, a code fence, an explanation with braces. Pure. */
import type { JsonValue } from "../../../contracts/json.ts";

/** A text longer than this is not searched; no reply that holds one value comes near. */
const MAX_CHARACTERS = 2_000_000;
/** Openings that are tried at most: a text full of braces is not searched for ever. */
const MAX_CANDIDATES = 200;

/** The JSON value in a reply; `undefined` when there is none. The whole text counts first, then fenced blocks, then the largest value in the prose. */
export function extractJson(text: string): { readonly value: JsonValue } | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const whole = parse(text.trim());
  if (whole !== undefined) return whole;
  for (const block of fencedBlocks(text)) {
    const value = parse(block) ?? largestIn(block);
    if (value !== undefined) return value;
  }
  return largestIn(text);
}

function parse(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Where fences stand is found line by line: a pattern for whole blocks would look for the end of each mark again at every length of it. */
function* fencedBlocks(text: string): Generator<string> {
  let open: { readonly marks: string; readonly from: number } | undefined;
  for (const { index, 1: marks = "" } of text.matchAll(/^ {0,3}(`{3,}|~{3,})/gm)) {
    if (open === undefined) {
      const from = text.indexOf("\n", index) + 1;
      if (from === 0) return;
      open = { marks, from };
    } else if (index >= open.from && marks.startsWith(open.marks)) {
      yield text.slice(open.from, index).trim();
      open = undefined;
    }
  }
}

/** The largest object or array that stands whole in a text. */
function largestIn(text: string): { readonly value: JsonValue } | undefined {
  let best: { value: JsonValue; length: number } | undefined;
  let candidates = 0;
  for (let at = 0; at < text.length && candidates < MAX_CANDIDATES; at++) {
    const opening = text[at];
    if (opening !== "{" && opening !== "[") continue;
    candidates++;
    const end = endOfValue(text, at);
    if (end === undefined) continue;
    const found = parse(text.slice(at, end));
    if (found === undefined) continue;
    if (best === undefined || end - at > best.length) best = { ...found, length: end - at };
    at = end - 1;
  }
  return best && { value: best.value };
}

/** Where the value that opens at `from` ends, brackets in strings not counted. */
function endOfValue(text: string, from: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth === 0) return at + 1;
  }
  return undefined;
}
