/** What `.gitignore` files leave out. A file deeper down has the last word; what an ignored folder holds is never looked at. */
import type { Confinement } from "./confinement.ts";
import { openRegular } from "./open_file.ts";
import { readBytes } from "./read_file.ts";

/** Bytes of a `.gitignore` that is taken into account. */
const MAX_RULES_BYTES = 1_048_576;

/** The rules of one folder. */
interface FolderRules {
  readonly depth: number;
  readonly test: (path: string) => { readonly ignored: boolean; readonly unignored: boolean };
}

/** The rules that hold in a folder: its own, and those of the folders above it. */
export type IgnoreRules = readonly FolderRules[];

/** Adds the rules of a folder, if it has a `.gitignore`, to those of the folders above it. */
export async function withRulesOf(
  within: Confinement,
  folder: readonly string[],
  above: IgnoreRules,
): Promise<IgnoreRules> {
  const text = await readRules(within, [...folder, ".gitignore"]);
  if (text === undefined) return above;
  const { default: ignore } = await import("npm:ignore@7.0.17");
  const matcher = ignore({ ignorecase: false, allowRelativePaths: true }).add(text);
  return [...above, { depth: folder.length, test: (path) => matcher.test(path) }];
}

/** Whether the rules leave a file or folder out. */
export function isIgnored(
  rules: IgnoreRules,
  names: readonly string[],
  isFolder: boolean,
): boolean {
  return rules.reduce((ignored, { depth, test }) => {
    const verdict = test(names.slice(depth).join("/") + (isFolder ? "/" : ""));
    return verdict.ignored || (ignored && !verdict.unignored);
  }, false);
}

/** The text of a rules file; nothing when there is none that can be read, such as a link. */
async function readRules(
  within: Confinement,
  names: readonly string[],
): Promise<string | undefined> {
  const shown = names.join("/");
  try {
    await using handle = await openRegular(within, { shown, names, existing: names.length });
    return new TextDecoder().decode(
      await readBytes(handle, { shown, maxBytes: MAX_RULES_BYTES }),
    );
  } catch {
    return undefined;
  }
}
