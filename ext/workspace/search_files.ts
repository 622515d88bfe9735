/** Lines by a regular expression or a plain text. Expressions run where they can be ended; plain texts are searched in place. */
import type { Confinement, Place } from "./confinement.ts";
import { readGlob } from "./find_files.ts";
import { type LineMatch, type MatchLimits, matchLines } from "./match_lines.ts";
import { openRegular } from "./open_file.ts";
import { PatternThread } from "./pattern_thread.ts";
import { decodeText, readBytes } from "./read_file.ts";
import { walkFiles, type WalkOptions } from "./walk.ts";

/** Bytes of a file that is searched; larger ones are counted as skipped. */
export const MAX_SEARCHED_BYTES = 16 * 1024 * 1024;

/** Characters of a line that are returned. */
const LINE_CHARACTERS = 300;

/** Characters that a call returns. */
const MAX_RESULT_CHARACTERS = 1_000_000;

/** Characters of texts that are searched in one go. */
const BATCH_CHARACTERS = 1_000_000;

/** Files whose names are looked at in one go. */
const GROUP = 500;

/** What to look for, and how much to return. */
export interface SearchOptions extends WalkOptions {
  /** The pattern is a plain text. @default false */
  readonly literal?: boolean;
  /** Case does not count. @default false */
  readonly ignoreCase?: boolean;
  /** Files to search: a glob pattern; without a slash it is about the name alone. @default all */
  readonly glob?: string;
  /** Lines before and after each match. */
  readonly context: number;
  /** Lines to return. */
  readonly max: number;
  /** Time for matching, in ms. */
  readonly timeoutMs: number;
}

/** A line that was found. */
export interface FoundLine extends LineMatch {
  /** The file, from the root. */
  readonly path: string;
}

/** What was found. */
export interface SearchResult {
  /** The lines, file by file. */
  readonly matches: readonly FoundLine[];
  /** Whether there is more than was returned. */
  readonly truncated: boolean;
  /** Text files that were too large to search, if any. */
  readonly skipped?: readonly string[];
}

interface Searched {
  readonly path: string;
  readonly text: string;
}

/** Searches the files below a place, or the one that it is. Binary files are left out. */
export async function searchFiles(
  within: Confinement,
  search: { readonly pattern: string; readonly start: Place; readonly isFile: boolean },
  options: SearchOptions,
): Promise<SearchResult> {
  const regex = readPattern(search.pattern, options);
  using thread = new PatternThread(regex, options);
  using names = options.glob === undefined ? undefined : await nameFilter(options.glob, options);
  const limits = (found: number): MatchLimits => ({
    maxMatches: options.max - found,
    context: options.context,
    lineCharacters: LINE_CHARACTERS,
  });
  const matches: FoundLine[] = [];
  const skipped: string[] = [];
  let characters = 0;
  const look = async (batch: readonly Searched[]): Promise<boolean> => {
    const texts = batch.map((one) => one.text);
    const found = options.literal
      ? texts.map((text) => matchLines(text, regex, limits(matches.length)))
      : await thread.lines(texts, limits(matches.length));
    for (const [index, lines] of found.entries()) {
      for (const line of lines) {
        characters += sizeOf(line);
        if (matches.length === options.max || characters > MAX_RESULT_CHARACTERS) return false;
        matches.push({ path: batch[index]?.path ?? "", ...line });
      }
    }
    return true;
  };
  const files = search.isFile ? [search.start] : walkFiles(within, search.start, options);
  let truncated = false;
  for await (const batch of batches(within, files, { names, skipped })) {
    options.signal?.throwIfAborted();
    if (!await look(batch)) {
      truncated = true;
      break;
    }
  }
  return { matches, truncated, ...(skipped.length > 0 && { skipped: skipped.slice(0, 20) }) };
}

/** Reads the texts of files, several at a time. */
async function* batches(
  within: Confinement,
  files: Iterable<Place> | AsyncIterable<Place>,
  { names, skipped }: { readonly names?: NameFilter; readonly skipped: string[] },
): AsyncGenerator<readonly Searched[]> {
  for await (const group of groups(files)) {
    let batch: Searched[] = [];
    let characters = 0;
    for (const file of names === undefined ? group : await names.leave(group)) {
      const path = file.names.join("/");
      const text = await readSearched(within, file);
      if (text === "large") skipped.push(path);
      if (text === "large" || text === undefined) continue;
      batch.push({ path, text: text.text });
      characters += text.text.length;
      if (characters < BATCH_CHARACTERS) continue;
      yield batch;
      batch = [];
      characters = 0;
    }
    if (batch.length > 0) yield batch;
  }
}

async function* groups(
  files: Iterable<Place> | AsyncIterable<Place>,
): AsyncGenerator<readonly Place[]> {
  let group: Place[] = [];
  for await (const file of files) {
    if (group.push(file) < GROUP) continue;
    yield group;
    group = [];
  }
  yield group;
}

async function readSearched(
  within: Confinement,
  file: Place,
): Promise<{ readonly text: string } | "large" | undefined> {
  // A file that went away or may not be read is no reason to give up on the others.
  const handle = await openRegular(within, file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    if ((await handle.stat()).size > MAX_SEARCHED_BYTES) return "large";
    const text = decodeText(
      await readBytes(handle, { shown: file.shown, maxBytes: MAX_SEARCHED_BYTES }),
    );
    return text === undefined ? undefined : { text };
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

/** The expression; with `u` where the pattern allows it, so that `\p{…}` works. */
function readPattern(pattern: string, options: SearchOptions): RegExp {
  const source = options.literal ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : pattern;
  const flags = options.ignoreCase ? "i" : "";
  try {
    return new RegExp(source, `u${flags}`);
  } catch {
    // Without `u` more is allowed: `\-`, a lone brace.
  }
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${why}; use literal: true to search for a plain text`);
  }
}

/** Which files a glob pattern leaves. Dispose it to end its thread. */
class NameFilter implements Disposable {
  readonly #thread: PatternThread;
  readonly #baseOnly: boolean;

  constructor(thread: PatternThread, baseOnly: boolean) {
    this.#thread = thread;
    this.#baseOnly = baseOnly;
  }

  async leave(files: readonly Place[]): Promise<readonly Place[]> {
    const matched = await this.#thread.whole(
      files.map(({ names }) => this.#baseOnly ? names.at(-1) ?? "" : names.join("/")),
    );
    return matched.flatMap((index) => files[index] ?? []);
  }

  [Symbol.dispose](): void {
    this.#thread[Symbol.dispose]();
  }
}

async function nameFilter(glob: string, options: SearchOptions): Promise<NameFilter> {
  const { regex } = await readGlob(glob);
  return new NameFilter(new PatternThread(regex, options), !glob.includes("/"));
}

function sizeOf({ text, before = [], after = [] }: LineMatch): number {
  return [text, ...before, ...after].reduce((sum, line) => sum + line.length, 0);
}
