/** Files by a glob pattern. */
import type { Confinement } from "./confinement.ts";
import { PathFilter } from "./path_filter.ts";
import { type FileRun, walkFiles, type WalkOptions } from "./walk.ts";

/** Paths that a call returns at most. */
const MAX_PATHS = 10_000;

/** How to look for files. */
export interface FindOptions extends WalkOptions {
  /** Time for matching, in ms. */
  readonly timeoutMs: number;
}

/** The paths of the files that match, sorted folder by folder. Rejects when there are more than 10,000. */
export async function findFiles(
  within: Confinement,
  pattern: string,
  options: FindOptions,
): Promise<string[]> {
  const { filter, base } = await PathFilter.of(pattern, options);
  using _ = filter;
  const start = await within.locate(base === "" ? "." : base);
  if (start.existing < start.names.length) return [];
  const depth = start.names.length;
  // What is found by a link is named as the pattern has it.
  const prefix = base === "" ? "" : `${base}/`;
  const shown = new ShownFolder(prefix, depth);
  const found: string[] = [];
  const walk = walkFiles(within, start, {
    ...options,
    wants: (folder, name) => !filter.excludes(shown.of(folder) + name),
  });
  for await (const runs of walk) {
    const paths = runs.flatMap((run) => pathsOf(run, shown));
    for (const index of await filter.leave(paths)) {
      if (found.length === MAX_PATHS) {
        throw new Error(`more than ${MAX_PATHS} files match ${pattern}; narrow the pattern`);
      }
      found.push(paths[index] ?? "");
    }
  }
  return found;
}

function pathsOf({ folder, files }: FileRun, shown: ShownFolder): readonly string[] {
  const before = shown.of(folder);
  return files.map((name) => before + name);
}

/** What stands before the names of a folder's files. The last folder is remembered, since many files of one folder follow one another. */
class ShownFolder {
  readonly #prefix: string;
  readonly #depth: number;
  #last: readonly string[] = [];
  #shown: string;

  constructor(prefix: string, depth: number) {
    this.#prefix = prefix;
    this.#depth = depth;
    this.#shown = prefix;
  }

  of(folder: readonly string[]): string {
    if (folder !== this.#last) {
      this.#last = folder;
      this.#shown = this.#prefix +
        folder.slice(this.#depth).map((name) => `${name}/`).join("");
    }
    return this.#shown;
  }
}
