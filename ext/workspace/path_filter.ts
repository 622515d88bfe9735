/**
 * Glob patterns against paths: name by name where that can be, else as the regular expression that picomatch makes of the pattern, which may
 * backtrack and so runs where it can be ended.
 */
import { type PatternOptions, PatternThread } from "./pattern_thread.ts";
import { PathSegments } from "./path_segments.ts";

/** Characters of a pattern. */
const MAX_PATTERN_CHARACTERS = 1_000;

/** The part of picomatch that is used. */
interface Picomatch {
  makeRe(pattern: string, options: Readonly<Record<string, unknown>>): RegExp;
  scan(pattern: string): { readonly base: string };
}

/** Which files a pattern matches. Dispose it to end its thread. */
export class PathFilter implements Disposable {
  /** The folder that the pattern begins with, "" for the root. */
  readonly base: string;
  readonly #by: PathSegments | PatternThread;

  private constructor(base: string, by: PathSegments | PatternThread) {
    this.base = base;
    this.#by = by;
  }

  /** Compiles a glob pattern: `*`, `**`, `?`, `[…]`, `{a,b}`; files that begin with a dot are matched too. */
  static async of(pattern: string, options: PatternOptions): Promise<PathFilter> {
    if (pattern === "" || pattern.length > MAX_PATTERN_CHARACTERS) {
      throw new Error(`a glob pattern has 1 to ${MAX_PATTERN_CHARACTERS} characters`);
    }
    const { default: picomatch } = await import("npm:picomatch@4.0.7") as { default: Picomatch };
    const plain = pattern.replace(/^(?:\.\/)+/, "");
    const compile = (part: string) =>
      picomatch.makeRe(part, { dot: true, nonegate: true, windows: false });
    const by = PathSegments.of(plain, compile) ?? new PatternThread(compile(plain), options);
    const { base } = picomatch.scan(plain);
    if (base !== plain) return new PathFilter(base === "." ? "" : base, by);
    // A pattern without a wildcard is a path: its folder is where to look.
    const folder = plain.slice(0, Math.max(0, plain.lastIndexOf("/")));
    return new PathFilter(plain.startsWith("/") ? folder || "/" : folder, by);
  }

  /** Whether a file does not match, as far as that can be told at once; {@linkcode leave} has the last word. */
  excludes(folder: readonly string[], name: string): boolean {
    return this.#by instanceof PathSegments && !this.#by.matches(folder, name);
  }

  /**
   * The positions of the paths that match, of those that are not excluded. Rejects when the call's time for matching is over; calls must not
   * overlap.
   */
  async leave(paths: readonly string[]): Promise<readonly number[]> {
    if (paths.length === 0 || this.#by instanceof PathSegments) return [...paths.keys()];
    return await this.#by.whole(paths);
  }

  /** Ends the thread. */
  [Symbol.dispose](): void {
    if (this.#by instanceof PatternThread) this.#by[Symbol.dispose]();
  }
}
