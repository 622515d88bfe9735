/** What `.gitignore` files leave out. A file deeper down has the last word; what an ignored folder holds is never looked at. */
import type { Confinement } from "./confinement.ts";
import { readSmallFile } from "./open_file.ts";

/** Bytes of a `.gitignore` that is taken into account. */
const MAX_RULES_BYTES = 1_048_576;

/** Paths after which a matcher is made anew: it remembers each that it was asked about. */
const REMEMBERED = 1_000;

/** The rules that hold in a folder: its own, and those of the folders above it. */
export interface IgnoreRules {
  /** Whether they leave out what has a name in a folder. */
  leavesOut(folder: readonly string[], name: string, isFolder: boolean): boolean;
}

/**
 * The rules of a folder: those of the folders above it, and its own `.gitignore`, if it has one that can be read and is no link. The way to the
 * folder must be known to stand still.
 */
export type MakeRules = (
  within: Confinement,
  folder: readonly string[],
  above: IgnoreRules,
) => IgnoreRules;

/** The part of the package that is used. */
interface Matcher {
  add(rules: string | Matcher): Matcher;
  test(path: string): { readonly ignored: boolean; readonly unignored: boolean };
}

/** Loads what reads rules. */
export async function loadIgnore(): Promise<MakeRules> {
  const { default: ignore } = await import("npm:ignore@7.0.17");
  const create = () => ignore({ ignorecase: false, allowRelativePaths: true }) as Matcher;
  return (within, folder, above) => {
    const bytes = readSmallFile(within.full([...folder, ".gitignore"]), MAX_RULES_BYTES);
    if (bytes === undefined) return above;
    const rules = create().add(new TextDecoder().decode(bytes));
    return rulesOf(folder.length, above, () => create().add(rules));
  };
}

function rulesOf(depth: number, above: IgnoreRules, create: () => Matcher): IgnoreRules {
  let matcher = create();
  let asked = 0;
  return {
    leavesOut(folder, name, isFolder) {
      if (++asked % REMEMBERED === 0) matcher = create();
      let path = "";
      for (let index = depth; index < folder.length; index++) path += `${folder[index]}/`;
      const verdict = matcher.test(`${path}${name}${isFolder ? "/" : ""}`);
      return verdict.ignored || (!verdict.unignored && above.leavesOut(folder, name, isFolder));
    },
  };
}
