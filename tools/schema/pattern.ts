/**
 * Patterns that are matched in time linear to the text, by RE2: the pattern is the program's, the text is a model's, and backtracking would let the text decide
 * how long the thread is held. What RE2 cannot do is refused when the tool is defined.
 */

/** A compiled pattern. */
export interface Matcher {
  /** Whether it is found in a text. Takes a time of at most the text's length times `size`. */
  readonly test: (text: string) => boolean;
  /** How many instructions it was compiled to. */
  readonly size: number;
}

/** What keeps a pattern from being used, or `undefined`. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    return `is no regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
  const bare = withoutClasses(pattern);
  if (/\(\?<?[=!]/.test(bare)) {
    return "looks ahead or behind, which cannot be matched in bounded time";
  }
  if (/\\[1-9k]/.test(bare)) {
    return "refers back to a group, which cannot be matched in bounded time";
  }
  if (/\\[pP]\{(?!L|M|N|P|S|Z|C)/.test(pattern) || /\\[pP]\{[^}]{3,}\}/.test(pattern)) {
    return "names a Unicode property by more than its category, such as \\p{L}";
  }
  const most = Math.max(0, ...[...bare.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(repeats));
  if (most > MAX_REPEATS) return `repeats more than ${MAX_REPEATS} times; say it with maxLength`;
  return undefined;
}

/** A longer one is no rule that a model could follow. */
const MAX_LENGTH = 2_000;
/** What RE2 unrolls at most. */
const MAX_REPEATS = 1000;

function repeats([_all, least, most]: RegExpMatchArray): number {
  return Math.max(Number(least), Number(most || 0));
}

/** A pattern without what is escaped and what stands in brackets, so that what is left is syntax. */
function withoutClasses(pattern: string): string {
  return pattern.replace(/\\[^A-Za-z0-9]/g, "").replace(/\[(?:\\.|[^\]\\])*\]/g, "");
}

/** How patterns are compiled. */
export interface CompileOptions {
  /** Instructions of all of them together, about; each takes some hundred bytes. For patterns that are not the program's own. @default no bound */
  readonly maxSize?: number;
}

/**
 * Loads the engine, once, and compiles patterns.
 *
 * @throws {TypeError} when one is beyond it after all, such as by its size, or when all of them are over the bound: then none is compiled.
 */
export async function compilePatterns(
  patterns: ReadonlySet<string>,
  { maxSize = Infinity }: CompileOptions = {},
): Promise<ReadonlyMap<string, Matcher>> {
  const matchers = new Map<string, Matcher>();
  if (patterns.size === 0) return matchers;
  let size = 0;
  for (const pattern of patterns) {
    size += sizeOf(pattern);
    if (size <= maxSize) continue;
    throw new TypeError(
      `the patterns take more than ${maxSize} instructions together; repeat less, or say it with maxLength`,
    );
  }
  const { RE2JS } = await import("npm:re2js@2.10.0");
  for (const pattern of patterns) {
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(withUnicodeSpaces(pattern)));
      matchers.set(pattern, {
        test: (text) => compiled.matcher(text).find(),
        size: compiled.programSize(),
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new TypeError(`the pattern ${pattern} cannot be matched in bounded time: ${reason}`);
    }
  }
  return matchers;
}

/** About how many instructions a pattern is compiled to: what is repeated is there as often as it may come. */
function sizeOf(pattern: string): number {
  /** What stands before the groups that are open. */
  const outer: number[] = [];
  let whole = 0;
  let last = 0;
  for (const [token] of pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[^]/gsu)) {
    if (token === "(") {
      outer.push(whole);
      whole = last = 0;
    } else if (token === ")") {
      last = whole + 2;
      whole = (outer.pop() ?? 0) + last;
    } else if (/^\{\d/.test(token)) {
      const [, least, most] = /(\d+),?(\d*)/.exec(token)!;
      const more = last * (Math.max(Number(least), Number(most), 1) - 1);
      whole += more;
      last += more;
    } else {
      last = 1;
      whole += last;
    }
  }
  return whole;
}

/** White space as JavaScript counts it; RE2's is that of ASCII. */
const SPACES = "\\t-\\r \\x{a0}\\x{feff}\\p{Z}";

function withUnicodeSpaces(pattern: string): string {
  let inClass = false;
  return pattern.replace(/\\.|[[\]]/gsu, (token) => {
    if (token === "[") inClass = true;
    if (token === "]") inClass = false;
    if (token === "\\s") return inClass ? SPACES : `[${SPACES}]`;
    return token === "\\S" && !inClass ? `[^${SPACES}]` : token;
  });
}
