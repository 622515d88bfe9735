/**
 * A light look at JavaScript source: which parts are code and which are comments, strings, templates and regular expressions, and from
 * that, whether it defines `run` and which names it declares. No parser: what a script really does is for the sandbox to find out.
 * Every function here takes time linear in the source and never throws.
 */

/** Words after which a slash begins a regular expression and not a division. */
const WORDS_BEFORE_REGEX = new Set(
  "return typeof case in of do else void delete throw new instanceof await yield".split(" "),
);

/** The source with everything that is not code replaced by spaces; line breaks and length stay. */
export function maskCode(source: string): string {
  const mask = new Mask(source);
  while (mask.position < source.length) takeToken(mask);
  return mask.result();
}

/** Whether the source defines a `run` that the sandbox could call: a function declaration or a `const`, `let` or `var`. */
export function definesRun(source: string): boolean {
  const code = maskCode(source);
  return /(?<![\w$.])function\s+run\s*\(/.test(code) ||
    /(?<![\w$.])(?:const|let|var)\s+run\s*[=:]/.test(code);
}

/** Whether the source calls `run` itself, wherever. */
export function callsRun(source: string): boolean {
  const named = maskCode(source).matchAll(/(?<![\w$.])(function\s+)?run\s*\(/g);
  return named.some(([, declares]) => declares === undefined);
}

/** Where each quoted string begins that its line ends, while it is not closed: no script that holds one can be read. */
export function brokenStrings(source: string): number[] {
  const mask = new Mask(source);
  const found: number[] = [];
  while (mask.position < source.length) {
    const at = mask.position;
    takeToken(mask);
    if (!isQuote(source[at]) || mask.position <= at) continue;
    const end = source[mask.position];
    if (end === "\n" || end === "\r") found.push(at);
  }
  return found;
}

/** The end of a source in which a call of `run` of its own may stand. */
const OWN_CALL_REACH = 200;

/**
 * The source without a call of its own `run` at its end, as models like to write one: it is called for them, and what it does is not to be done twice. A call that hands
 * over data of its own stays, since without it something else would run.
 */
export function withoutOwnCall(source: string): string {
  const trimmed = source.trimEnd();
  const from = Math.max(0, trimmed.length - OWN_CALL_REACH);
  const call = /[;}]\s*(?:await\s+)?run\s*\(\s*(?:args|undefined|null|\{\s*\})?\s*\)(?:\s*;)?$/;
  const inSource = call.exec(trimmed.slice(from));
  // Read again where strings and comments are blanks: the end of a string may look like a call.
  const inCode = inSource && call.exec(maskCode(trimmed).slice(from));
  return inCode?.index === undefined || inCode.index !== inSource?.index
    ? source
    : trimmed.slice(0, from + inCode.index + 1);
}

/** The names that the source declares anywhere: functions, classes, variables, destructured ones too. Rather too many than too few. */
export function declaredNames(source: string): Set<string> {
  const names = new Set<string>();
  const tokens = maskCode(source).match(/[A-Za-z_$][\w$]*|[^\s\w]/g) ?? [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === "function" || token === "class") {
      const name = tokens[tokens[at + 1] === "*" ? at + 2 : at + 1];
      if (isName(name)) names.add(name);
    } else if (token === "const" || token === "let" || token === "var") {
      at = takeDeclaration(tokens, at + 1, names);
    } else if (isName(token) && tokens[at + 1] === "=" && tokens[at - 1] !== ".") {
      if (tokens[at + 2] !== "=" && tokens[at + 2] !== ">") names.add(token);
    }
  }
  return names;
}

/** The first line with text of the first comment in a source, or "" when there is none. */
export function firstComment(source: string): string {
  const mask = new Mask(source);
  while (mask.position < source.length && mask.comment === "") takeToken(mask);
  const { comment } = mask;
  if (comment.startsWith("//")) return comment.slice(2).trim();
  const lines = comment.replace(/^\/\*|\*\/$/g, "").split(/[\r\n]+/);
  return lines.map((line) => line.replace(/^[\s*]+/, "").trim()).find((line) => line !== "") ?? "";
}

/** Adds the names of one declaration, whose pattern begins at `at`; returns where it ends. */
function takeDeclaration(tokens: readonly string[], at: number, names: Set<string>): number {
  const first = tokens[at];
  if (first !== "{" && first !== "[") {
    if (isName(first)) names.add(first);
    return at;
  }
  let depth = 0;
  for (; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (isName(token)) names.add(token);
    if (depth === 0) break;
  }
  return at;
}

/** Whether a token is a name and not a mark. */
function isName(token: string | undefined): token is string {
  return token !== undefined && /^[A-Za-z_$]/.test(token);
}

/** Where the scan stands, and what it has put out so far. */
class Mask {
  readonly source: string;
  position = 0;
  /** Depth of braces, and the depths at which an open `${` of a template ends. */
  depth = 0;
  readonly templates: number[] = [];
  /** The last word or mark that was code. */
  last = "";
  /** No regular expression begins before this position: a try that began earlier ran to the end of its line in vain. */
  noRegexBefore = 0;
  /** The first comment, its marks included; "" while there is none. */
  comment = "";
  /** The mask up to where the code began that was last taken. */
  #masked = "";
  #codeStart = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Takes what lies before `end` as code. */
  code(end: number): void {
    this.position = end;
  }

  /** Takes what lies before `end` as something else. */
  blank(end: number): void {
    this.#masked += this.source.slice(this.#codeStart, this.position) +
      this.source.slice(this.position, end).replace(/[^\n\r]/g, " ");
    this.position = this.#codeStart = end;
  }

  result(): string {
    return this.#masked + this.source.slice(this.#codeStart, this.position);
  }
}

/** Takes one comment, string, template part, regular expression, word or mark. */
function takeToken(mask: Mask): void {
  const { source, position } = mask;
  if (isWordUnit(source.charCodeAt(position))) return takeWord(mask);
  const character = source[position] ?? "";
  const next = source[position + 1];
  if (character === " " || character === "\n" || /\s/.test(character)) {
    return mask.code(position + 1);
  }
  if (character === "/" && (next === "/" || next === "*")) {
    const close = next === "/" ? lineEnd(source, position) : source.indexOf("*/", position + 2) + 2;
    const end = close < position + 2 ? source.length : close;
    if (mask.comment === "") mask.comment = source.slice(position, end);
    return mask.blank(end);
  }
  if (isQuote(character)) {
    mask.last = character;
    return mask.blank(stringEnd(source, position));
  }
  if (character === "`") return takeTemplate(mask, position + 1);
  if (character === "/" && mayBeginRegex(mask)) {
    const end = regexEnd(source, position);
    if (end !== undefined) {
      mask.last = character;
      return mask.blank(end);
    }
    mask.noRegexBefore = lineEnd(source, position);
  }
  if (character === "{") mask.depth++;
  if (character === "}") {
    if (mask.templates.at(-1) === mask.depth) {
      mask.templates.pop();
      mask.depth--;
      return takeTemplate(mask, position + 1);
    }
    mask.depth--;
  }
  mask.last = character;
  mask.code(position + 1);
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'";
}

/** Whether a UTF-16 unit is a letter, a digit, `_` or `$`. */
function isWordUnit(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) ||
    unit === 95 || unit === 36;
}

/** Takes a name, keyword or number. */
function takeWord(mask: Mask): void {
  let end = mask.position + 1;
  while (isWordUnit(mask.source.charCodeAt(end))) end++;
  mask.last = mask.source.slice(mask.position, Math.min(end, mask.position + 16));
  mask.code(end);
}

/** Takes the text of a template from `from` up to its end or to the next `${`. */
function takeTemplate(mask: Mask, from: number): void {
  const { source } = mask;
  for (let at = from; at < source.length; at++) {
    const character = source[at];
    if (character === "\\") at++;
    else if (character === "`") {
      mask.last = character;
      return mask.blank(at + 1);
    } else if (character === "$" && source[at + 1] === "{") {
      mask.depth++;
      mask.templates.push(mask.depth);
      mask.last = "{";
      return mask.blank(at + 2);
    }
  }
  mask.blank(source.length);
}

/** Whether a slash at the present position would begin a regular expression. */
function mayBeginRegex(mask: Mask): boolean {
  if (mask.position < mask.noRegexBefore) return false;
  if (/^[\w$]/.test(mask.last)) return WORDS_BEFORE_REGEX.has(mask.last);
  return !["}", ")", "]", '"', "'", "`", "/"].includes(mask.last);
}

/** Where the regular expression that begins at `from` ends, flags not counted; nothing when its line ends first. */
function regexEnd(source: string, from: number): number | undefined {
  let inClass = false;
  for (let at = from + 1; at < source.length; at++) {
    const character = source[at];
    if (character === "\n" || character === "\r") return undefined;
    if (character === "\\") at++;
    else if (character === "[") inClass = true;
    else if (character === "]") inClass = false;
    else if (character === "/" && !inClass) return at + 1;
  }
  return undefined;
}

/** Where the quoted string that begins at `from` ends: after its quote, or at the end of its line. */
function stringEnd(source: string, from: number): number {
  const quote = source[from];
  for (let at = from + 1; at < source.length; at++) {
    const character = source[at];
    if (character === "\\") at++;
    else if (character === quote) return at + 1;
    else if (character === "\n" || character === "\r") return at;
  }
  return source.length;
}

/** Where the line of `from` ends. */
function lineEnd(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end < 0 ? source.length : end;
}
