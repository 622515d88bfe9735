/**
 * Expressions for whole texts, made of expressions for lines: they find at least every line in which the other matches, and a match of theirs
 * never goes beyond a line, so that they take no longer than it. What cannot be translated that way is left to be tried line by line.
 */
import { Buffer } from "node:buffer";
import type { LinePattern } from "./match_lines.ts";

/** Characters of an expression that is run in place. */
const PLAIN_CHARACTERS = 200;

/** A part of a pattern, as far as it can be told from its letters alone what it matches. */
const TOKEN =
  /(?<any>\\[sDW]|\\[pP]\{[^{}]*\})|(?<class>\[(?:\\.|[^\]\\])*\])|(?<sign>\\[^a-zA-Z0-9]|[^\\[\](){}?*+|^$.])|\\[dwbBSfvtr]|\((?:\?:|\?<[a-zA-Z_$][\w$]*>|(?!\?))|[^\\[(]/y;

/** A part of a pattern. */
interface Token {
  readonly text: string;
  /** One character that must stand there; one that may be the line break; anything else. */
  readonly kind: "sign" | "any" | "other";
}

/** The expression in all forms in which it helps to have it. */
export function linePattern(regex: RegExp): LinePattern {
  const literal = literalOf(regex);
  return {
    regex,
    scan: scanOf(regex),
    ...(literal !== "" && { literal: byteCharacters(new TextEncoder().encode(literal)) }),
  };
}

/** Makes one character of each byte. */
export function byteCharacters({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

/**
 * The expression for whole texts, to be run from the beginning of a line each time. A line that it finds must be tried with the expression
 * that it was made of.
 *
 * @param regex An expression for one line, without its end. Of its flags, `i` and `u` are known.
 * @returns Nothing when there is none: with looks ahead or behind, references back, or characters by their number.
 */
export function scanOf(regex: RegExp): RegExp | undefined {
  const tokens = tokensOf(regex);
  if (tokens === undefined) return undefined;
  const scan = tokens.map(({ text, kind }) => kind === "any" ? `(?:(?!\\n)${text})` : text);
  try {
    return new RegExp(scan.join(""), `gm${regex.flags}`);
  } catch {
    return undefined;
  }
}

/** The longest text that stands in every match; "" when there is none, or none that can be told. */
export function literalOf(regex: RegExp): string {
  const tokens = regex.ignoreCase ? undefined : tokensOf(regex);
  let depth = 0;
  let isCount = false;
  let run = "";
  let longest = "";
  for (const { text, kind } of tokens ?? []) {
    if (text === "|" && depth === 0) return "";
    if (isCount) {
      isCount = text !== "}";
      continue;
    }
    isCount = text === "{";
    if (kind === "sign" && depth === 0) {
      run += text.at(-1);
      continue;
    }
    // What may be left out does not count, whatever stands behind it.
    if (/^[*?{]/.test(text)) run = run.replace(/.$/su, "");
    if (run.length > longest.length) longest = run;
    run = "";
    if (text.startsWith("(")) depth++;
    if (text === ")") depth--;
  }
  if (run.length > longest.length) longest = run;
  return longest.isWellFormed() ? longest : "";
}

/** Whether an expression can take no time worth ending: it is short, nothing in it is repeated or optional, and alternatives do not multiply. */
export function isPlain({ source }: RegExp): boolean {
  const rest = source.replace(/\\(?:[^a-zA-Z0-9]|[bBdDsSwW])/g, "");
  return source.length <= PLAIN_CHARACTERS && !/[*+?{(\\]/.test(rest);
}

/** The parts of a pattern; nothing when one of them is not known. */
function tokensOf({ source }: RegExp): readonly Token[] | undefined {
  // A line break in a pattern never matches a line, and must not match where two meet.
  if (/[\p{Cc}\u2028\u2029]/u.test(source)) return undefined;
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const match = TOKEN.exec(source);
    if (match === null) return undefined;
    const [text] = match;
    const { any, class: set, sign } = match.groups ?? {};
    const mayBreak = any !== undefined || (set !== undefined && mayHoldBreak(set));
    tokens.push({ text, kind: sign !== undefined ? "sign" : mayBreak ? "any" : "other" });
  }
  return tokens;
}

/** Whether a class may hold the line break: one of all others, and one with more than letters and signs in it. */
function mayHoldBreak(token: string): boolean {
  return token.startsWith("[^") || /\\[a-zA-Z0-9]/.test(token.replace(/\\[dw]/g, ""));
}
