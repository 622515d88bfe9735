/**
 * Line breaks in quoted strings. A model that writes a script into the JSON of a call writes `'\n'` in it as it would anywhere, and in JSON that is a line break in the middle
 * of a string: the script cannot be read, and models that made this mistake once make it again and again. No script that can be read holds such a break, so it
 * can be taken for what was meant. Pure.
 */
import { brokenStrings } from "./code_scan.ts";

/** Strings of a script that are put together at most, and lines of one of them: what goes on for longer is something else that is wrong. */
const MAX_STRINGS = 50;
const MAX_LINES = 50;

/** What may stand behind a string that was closed where it was meant to be. */
const BEHIND = /^[ \t]*(?:[),;.+\]}:?&|=!]|$)/;

/**
 * The source with `\n` for each line break that stands in a quoted string. The source as it is where that does not make all of its strings whole.
 */
export function withWholeStrings(source: string): string {
  let mended = source;
  for (let count = 0; count < MAX_STRINGS; count++) {
    const [at] = brokenStrings(mended);
    if (at === undefined) return mended;
    const end = closingQuote(mended, at);
    if (end === undefined) return source;
    const inside = mended.slice(at, end).replace(/\r\n?|\n/g, "\\n");
    mended = mended.slice(0, at) + inside + mended.slice(end);
  }
  return source;
}

/** The quote with which a string ends that goes over some lines; nothing where none is near, or what is behind it is not what stands behind strings. */
function closingQuote(source: string, from: number): number | undefined {
  let lines = 0;
  for (let at = from + 1; at < source.length && lines <= MAX_LINES; at++) {
    const character = source[at];
    if (character === "\\") at++;
    else if (character === "\n") lines++;
    else if (character === source[from]) {
      const rest = source.slice(at + 1, at + 200).split(/[\r\n]/, 1)[0]!;
      return BEHIND.test(rest) ? at : undefined;
    }
  }
  return undefined;
}
