/** Text of a page as Markdown text: what would mean something there is escaped, so that it is read back as it stood. */

/** Runs that no reader sees: byte order marks, soft hyphens, zero-width spaces, and the tag characters that can carry a hidden message. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu;
// deno-lint-ignore no-control-regex
const SPACES = /[\s\x00-\x1f\x7f]+/g;

/** A text with every run of white space and control characters made one space, and nothing in it that cannot be seen. */
export function plainText(text: string): string {
  return text.replace(INVISIBLE, "").replace(SPACES, " ");
}

/** The text of a code block: line breaks and spaces stay. */
export function plainCode(text: string): string {
  return text.replace(INVISIBLE, "").replaceAll("\u00a0", " ")
    // deno-lint-ignore no-control-regex
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
}

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;
/** What begins a block: a heading, a quote, a list, a rule or underline, a fence, a table's second line. */
const BLOCK_START =
  /^(?:#{1,6}(?=\s|$)|>|[+-](?=\s|$)|-(?=[-\s]*$)|=+(?=\s*$)|:?-+:?\s*(?=\|)|\|(?=[\s:|-]*$)|:(?=-))/;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;

/** Escapes one text that stands outside of code. It may begin a line. A lone exclamation mark is one that stands before a link. */
export function escapeText(text: string): string {
  let escaped = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    escaped += needsEscape(text, at, char) ? "\\" + char : char;
  }
  if (BLOCK_START.test(text) && escaped[0] !== "\\") return "\\" + escaped;
  return escaped.replace(NUMBERED, "$1\\$2");
}

function needsEscape(text: string, at: number, char: string): boolean {
  switch (char) {
    case "`":
    case "[":
    case "]":
      return true;
    case "\\":
      return at === text.length - 1 || PUNCTUATION.test(text[at + 1]!);
    case "*":
      return at === 0 || text[at - 1] !== " " || text[at + 1] !== " ";
    case "_":
      return !(WORD.test(text[at - 1] ?? " ") && WORD.test(text[at + 1] ?? " "));
    case "~":
      return text[at + 1] === "~" || text[at - 1] === "~";
    case "<":
      return /[A-Za-z/!?]/.test(text[at + 1] ?? "x");
    case "&":
      return /^&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{0,40});/.test(
        text.slice(at, at + 44),
      );
    case "!":
      return text === "!";
    default:
      return false;
  }
}

/** The destination of a link or an image. */
export function escapeUrl(url: string): string {
  if (/^[^\s<>()\\]+$/.test(url)) return url;
  if (!/[\s<>\\]/.test(url) && isBalanced(url)) return url;
  return "<" + url.replace(/[\\<>]/g, "\\$&") + ">";
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth++;
    else if (char === ")" && --depth < 0) return false;
  }
  // A reader may stop counting at some depth.
  return depth === 0 && !text.includes("(((");
}

/** A code span, its delimiter no run that stands in it. */
export function codeSpan(code: string): string {
  if (code === "") return "";
  const runs = new Set((code.match(/`+/g) ?? []).map((run) => run.length));
  let length = 1;
  while (runs.has(length)) length++;
  const delimiter = "`".repeat(length);
  const isStripped = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  const touches = code.startsWith("`") || code.endsWith("`");
  const padded = isStripped || touches ? ` ${code} ` : code;
  return delimiter + padded + delimiter;
}

/** A fenced block, its fence longer than any run that stands in it. */
export function codeFence(code: string, language: string): string {
  let longest = 2;
  for (const run of code.match(/`{3,}/g) ?? []) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}
