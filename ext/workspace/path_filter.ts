/**
 * Glob patterns against paths. Where a pattern cannot take long it is run in place, else where it can be ended: the regular expressions that
 * picomatch makes of patterns backtrack.
 */
import { type PatternOptions, PatternThread, tookTooLong } from "./pattern_thread.ts";

/** Characters of a pattern. */
const MAX_PATTERN_CHARACTERS = 1_000;

/** Steps that a path may cost in place: its length, once for each wildcard that the pattern has. */
const QUICK_STEPS = 250_000;

/** The part of picomatch that is used. */
interface Picomatch {
  makeRe(pattern: string, options: Readonly<Record<string, unknown>>): RegExp;
  scan(pattern: string): { readonly base: string };
}

/** Which paths a pattern matches. Dispose it to end its thread. */
export class PathFilter implements Disposable {
  readonly #regex: RegExp;
  readonly #quickLength: number;
  readonly #options: PatternOptions;
  #thread: PatternThread | undefined;
  #spentMs = 0;

  private constructor(regex: RegExp, quickLength: number, options: PatternOptions) {
    this.#regex = regex;
    this.#quickLength = quickLength;
    this.#options = options;
  }

  /**
   * Compiles a glob pattern: `*`, `**`, `?`, `[…]`, `{a,b}`; files that begin with a dot are matched too.
   *
   * @returns The filter for whole paths, and the folder that the pattern begins with, "" for the root.
   */
  static async of(
    pattern: string,
    options: PatternOptions,
  ): Promise<{ filter: PathFilter; base: string }> {
    if (pattern === "" || pattern.length > MAX_PATTERN_CHARACTERS) {
      throw new Error(`a glob pattern has 1 to ${MAX_PATTERN_CHARACTERS} characters`);
    }
    const { default: picomatch } = await import("npm:picomatch@4.0.7") as { default: Picomatch };
    const plain = pattern.replace(/^(?:\.\/)+/, "");
    const regex = picomatch.makeRe(plain, { dot: true, nonegate: true, windows: false });
    const filter = new PathFilter(regex, quickLength(plain), options);
    const { base } = picomatch.scan(plain);
    if (base !== plain) return { filter, base: base === "." ? "" : base };
    // A pattern without a wildcard is a path: its folder is where to look.
    const folder = plain.slice(0, Math.max(0, plain.lastIndexOf("/")));
    return { filter, base: plain.startsWith("/") ? folder || "/" : folder };
  }

  /** Whether a path may be left out at once. When it may not, {@linkcode leave} says whether it stays. */
  excludes(path: string): boolean {
    return path.length <= this.#quickLength && !this.#regex.test(path);
  }

  /** The positions of the paths that match. Rejects when the call's time for matching is over. */
  async leave(paths: readonly string[]): Promise<readonly number[]> {
    const slow: string[] = [];
    const began = performance.now();
    const verdicts = paths.map((path) => {
      if (path.length > this.#quickLength) return slow.push(path) - 1;
      return this.#regex.test(path);
    });
    this.#spentMs += performance.now() - began;
    if (this.#spentMs > this.#options.timeoutMs) throw tookTooLong(this.#options.timeoutMs);
    if (slow.length > 0) this.#thread ??= new PatternThread(this.#regex, this.#options);
    const matched = new Set(slow.length > 0 ? await this.#thread?.whole(slow) : []);
    return [...paths.keys()].filter((index) => {
      const verdict = verdicts[index];
      return typeof verdict === "number" ? matched.has(verdict) : verdict;
    });
  }

  /** Ends the thread. */
  [Symbol.dispose](): void {
    this.#thread?.[Symbol.dispose]();
  }
}

/** How long a path may be to be matched in place. */
function quickLength(pattern: string): number {
  const alternatives = pattern.match(/\{/g)?.length ?? 0;
  // Groups can be repeated, and several sets of alternatives multiply.
  if (pattern.includes("(") || alternatives > 1) return 0;
  const wildcards = (pattern.match(/\*+/g)?.length ?? 0) + alternatives;
  return Math.floor(QUICK_STEPS ** (1 / Math.max(1, wildcards)));
}
