/** Walks the files below a folder in the order of their names. Links are not followed, `.git` is not entered. */
import type { Confinement, Place } from "./confinement.ts";
import { type IgnoreRules, isIgnored, withRulesOf } from "./ignore_rules.ts";
import { listFolder } from "./open_file.ts";
import { Refusal } from "./path_rules.ts";

/** How to walk. */
export interface WalkOptions {
  /** Also what `.gitignore` files name. @default false */
  readonly all?: boolean;
  /** Ends the walk. */
  readonly signal?: AbortSignal;
}

/** The regular files below a folder, as their names from the root. Holds no more than the folders that are being walked. */
export async function* walkFiles(
  within: Confinement,
  start: Place,
  options: WalkOptions = {},
): AsyncGenerator<Place> {
  let rules: IgnoreRules = [];
  if (!options.all) {
    for (let length = 0; length < start.names.length; length++) {
      rules = await withRulesOf(within, start.names.slice(0, length), rules);
    }
  }
  yield* walkFolder(within, start, { ...options, rules, isStart: true });
}

async function* walkFolder(
  within: Confinement,
  folder: Place,
  options: WalkOptions & { readonly rules: IgnoreRules; readonly isStart: boolean },
): AsyncGenerator<Place> {
  options.signal?.throwIfAborted();
  const entries = await listFolder(within, folder).catch((error) => {
    if (options.isStart || !isGone(error)) throw error;
    return [];
  });
  const hasRules = !options.all &&
    entries.some((entry) => entry.name === ".gitignore" && entry.kind === "file");
  const rules = hasRules ? await withRulesOf(within, folder.names, options.rules) : options.rules;
  for (const { name, kind } of entries) {
    if (kind !== "file" && kind !== "dir") continue;
    const names = [...folder.names, name];
    if (!options.all && isIgnored(rules, names, kind === "dir")) continue;
    const place: Place = { shown: names.join("/"), names, existing: names.length };
    if (kind === "file") yield place;
    else yield* walkFolder(within, place, { ...options, rules, isStart: false });
  }
}

/** Whether a folder went away or became something else between its being listed and its being read, or may not be read. */
function isGone(error: unknown): boolean {
  return error instanceof Refusal ||
    (error instanceof Error &&
      /does not exist|the system refused it|no permission/.test(error.message));
}
