/** Files by a glob pattern. */
import type { Confinement } from "./confinement.ts";
import { PathFilter } from "./path_filter.ts";
import { walkFiles, type WalkOptions } from "./walk.ts";

/** Paths that a call returns at most. */
const MAX_PATHS = 10_000;

/** How to look for files. */
export interface FindOptions extends WalkOptions {
  /** Time for matching, in ms; as much again for the rules of `.gitignore` files. */
  readonly timeoutMs: number;
}

/** The paths of the files that match, sorted folder by folder. Rejects when there are more than 10,000. */
export async function findFiles(
  within: Confinement,
  pattern: string,
  options: FindOptions,
): Promise<string[]> {
  using filter = await PathFilter.of(pattern, options);
  const { base } = filter;
  const start = await within.locate(base === "" ? "." : base);
  if (start.existing < start.names.length) return [];
  // What is found by a link is named as the pattern has it.
  const first = base === "" ? [] : base.split("/");
  const shown = remembering((folder) => [...first, ...folder.slice(start.names.length)]);
  const found: string[] = [];
  const walk = walkFiles(within, start, {
    ...options,
    wants: (folder, name) => !filter.excludes(shown(folder), name),
  });
  for await (const runs of walk) {
    const paths = runs.flatMap(({ folder, files }) =>
      files.map((name) => [...shown(folder), name].join("/"))
    );
    for (const index of await filter.leave(paths)) {
      if (found.length === MAX_PATHS) {
        throw new Error(`more than ${MAX_PATHS} files match ${pattern}; narrow the pattern`);
      }
      found.push(paths[index] ?? "");
    }
  }
  return found;
}

/** The same function, which remembers the last folder: many files of one folder follow one another. */
function remembering(
  shown: (folder: readonly string[]) => readonly string[],
): (folder: readonly string[]) => readonly string[] {
  let last: readonly string[] | undefined;
  let result: readonly string[] = [];
  return (folder) => {
    if (folder !== last) [last, result] = [folder, shown(folder)];
    return result;
  };
}
