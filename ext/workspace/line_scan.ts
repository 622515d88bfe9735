/**
 * Expressions for whole texts, made of expressions for lines: they find at least every line in which the other matches, and a match of theirs
 * never goes beyond a line, so that they take no longer than it. What cannot be translated that way is left to be tried line by line.
 */

/** Characters of an expression that is run in place. */
const PLAIN_CHARACTERS = 200;

/** A part of a pattern, as far as it can be told from its letters alone what it matches. */
const TOKEN =
  /(?<any>\\[sDW]|\\[pP]\{[^{}]*\})|(?<class>\[(?:\\.|[^\]\\])*\])|\\[dwbBSfvtr]|\\[^a-zA-Z0-9]|\((?:\?:|\?<[a-zA-Z_$][\w$]*>|(?!\?))|[^\\[(]/y;

/**
 * The expression for whole texts, to be run from the beginning of a line each time. A line that it finds must be tried with the expression
 * that it was made of.
 *
 * @param regex An expression for one line, without its end. Of its flags, `i` and `u` are known.
 * @returns Nothing when there is none: with looks ahead or behind, references back, or characters by their number.
 */
export function scanOf(regex: RegExp): RegExp | undefined {
  const { source } = regex;
  // A line break in a pattern never matches a line, and must not match where two meet.
  if (/[\p{Cc}\u2028\u2029]/u.test(source)) return undefined;
  let scan = "";
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const match = TOKEN.exec(source);
    if (match === null) return undefined;
    const [token] = match;
    const mayBreak = match.groups?.any !== undefined ||
      (match.groups?.class !== undefined && mayHoldBreak(token));
    scan += mayBreak ? `(?:(?!\\n)${token})` : token;
  }
  try {
    return new RegExp(scan, `gm${regex.flags.replace(/[gmy]/g, "")}`);
  } catch {
    return undefined;
  }
}

/** Whether an expression can take no time worth ending: it is short, nothing in it is repeated or optional, and alternatives do not multiply. */
export function isPlain({ source }: RegExp): boolean {
  const rest = source.replace(/\\(?:[^a-zA-Z0-9]|[bBdDsSwW])/g, "");
  return source.length <= PLAIN_CHARACTERS && !/[*+?{(\\]/.test(rest);
}

/** Whether a class may hold the line break: one of all others, and one with more than letters and signs in it. */
function mayHoldBreak(token: string): boolean {
  return token.startsWith("[^") || /\\[a-zA-Z0-9]/.test(token.replace(/\\[dw]/g, ""));
}
