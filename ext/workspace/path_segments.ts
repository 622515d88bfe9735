/**
 * Glob patterns, name by name: which parts of a pattern the names of a folder lead to is worked out once for all its files, and no path takes
 * more time than its names times the pattern's.
 */

/** Steps that one name may cost: its length, once for each wildcard in its part of the pattern. */
const NAME_STEPS = 70_000;

/** Characters of a name. */
const NAME_CHARACTERS = 255;

/** One part of a pattern: any number of names, or one that an expression matches. */
type Part = "names" | RegExp;

/** The folders that are remembered: as many as are on the way to one, and some. */
const REMEMBERED = 100;

/** Matches paths, given as their names. */
export class PathSegments {
  readonly #parts: readonly Part[];
  readonly #reached = new Map<string, readonly number[]>();

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  /**
   * Compiles a pattern.
   *
   * @param compile Makes an expression of a part.
   * @returns Nothing when the pattern is not made of parts for single names, or when one of them may take long.
   */
  static of(pattern: string, compile: (part: string) => RegExp): PathSegments | undefined {
    const texts = pattern.split("/");
    // Groups and sets across names, and escapes, are for picomatch as a whole.
    if (/[(\\]|\[[^\]]*\/|\{[^}]*\//.test(pattern)) return undefined;
    if (!texts.every((text) => text === "**" || isQuick(text))) return undefined;
    const parts = texts.map((text): Part => text === "**" ? "names" : compile(text));
    // `a/**` is also `a` itself, `a*/**` is not: so picomatch has it.
    if (/(?:^|[^*])\*(?:\/\*\*)+$/.test(pattern)) parts.push(compile("*"));
    return new PathSegments(parts);
  }

  /** Whether the pattern matches a file: the names of its folder and its own. */
  matches(folder: readonly string[], name: string): boolean {
    return this.#step(this.#after(folder), name).includes(this.#parts.length);
  }

  /** The parts that may come after the names of a folder, in ascending order. */
  #after(folder: readonly string[]): readonly number[] {
    if (folder.length === 0) return this.#withEmpty([0]);
    const path = folder.join("/");
    const known = this.#reached.get(path);
    if (known !== undefined) return known;
    const reached = this.#step(this.#after(folder.slice(0, -1)), folder.at(-1) ?? "");
    if (this.#reached.size >= REMEMBERED) this.#reached.clear();
    this.#reached.set(path, reached);
    return reached;
  }

  #step(from: readonly number[], name: string): readonly number[] {
    const next: number[] = [];
    for (const index of from) {
      const part = this.#parts[index];
      if (part === "names") next.push(index);
      else if (part?.test(name)) next.push(index + 1);
    }
    return this.#withEmpty(next);
  }

  /** Adds what comes after parts that stand for no name. */
  #withEmpty(indexes: readonly number[]): readonly number[] {
    const all = new Set(indexes);
    for (const index of all) if (this.#parts[index] === "names") all.add(index + 1);
    return [...all];
  }
}

/** Whether a part of a pattern is one for a single name, and cannot take long. */
function isQuick(part: string): boolean {
  if (["", ".", ".."].includes(part) || part.includes("**")) return false;
  const sets = part.match(/\{/g)?.length ?? 0;
  // Several sets of alternatives multiply.
  const wildcards = (part.match(/\*/g)?.length ?? 0) + sets;
  return sets <= 1 && NAME_CHARACTERS ** wildcards <= NAME_STEPS;
}
