/** Files by a glob pattern. The pattern is made a regular expression by picomatch and run where it can be ended. */
import type { Confinement } from "./confinement.ts";
import { PatternThread } from "./pattern_thread.ts";
import { walkFiles, type WalkOptions } from "./walk.ts";

/** Paths that a call returns at most. */
const MAX_PATHS = 10_000;

/** Characters of a pattern. */
const MAX_PATTERN_CHARACTERS = 1_000;

/** Paths that are looked at in one go. */
const BATCH = 2_000;

/** The part of picomatch that is used. */
interface Picomatch {
  makeRe(pattern: string, options: Readonly<Record<string, unknown>>): RegExp;
  scan(pattern: string): { readonly base: string };
}

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
  const { regex, base } = await readGlob(pattern);
  const found: string[] = [];
  using thread = new PatternThread(regex, options);
  let batch: string[] = [];
  const look = async () => {
    const looked = batch;
    batch = [];
    for (const index of looked.length > 0 ? await thread.whole(looked) : []) {
      if (found.length === MAX_PATHS) {
        throw new Error(`more than ${MAX_PATHS} files match ${pattern}; narrow the pattern`);
      }
      found.push(looked[index] ?? "");
    }
  };
  const start = await within.locate(base === "" ? "." : base);
  if (start.existing < start.names.length) return [];
  for await (const file of walkFiles(within, start, options)) {
    // What is found by a link is named as the pattern has it.
    const below = file.names.slice(start.names.length).join("/");
    batch.push(base === "" ? below : `${base}/${below}`);
    if (batch.length === BATCH) await look();
  }
  await look();
  return found;
}

/**
 * Compiles a glob pattern: `*`, `**`, `?`, `[…]`, `{a,b}`; files that begin with a dot are matched too.
 *
 * @returns The expression for whole paths, and the folder that the pattern begins with, "" for the root.
 */
export async function readGlob(pattern: string): Promise<{ regex: RegExp; base: string }> {
  if (pattern === "" || pattern.length > MAX_PATTERN_CHARACTERS) {
    throw new Error(`a glob pattern has 1 to ${MAX_PATTERN_CHARACTERS} characters`);
  }
  const { default: picomatch } = await import("npm:picomatch@4.0.7") as { default: Picomatch };
  const plain = pattern.replace(/^(?:\.\/)+/, "");
  const regex = picomatch.makeRe(plain, { dot: true, nonegate: true, windows: false });
  const { base } = picomatch.scan(plain);
  if (base !== plain) return { regex, base: base === "." ? "" : base };
  // A pattern without a wildcard is a path: its folder is where to look.
  return { regex, base: plain.includes("/") ? plain.slice(0, plain.lastIndexOf("/")) || "/" : "" };
}
