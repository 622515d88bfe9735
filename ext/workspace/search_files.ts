/** Lines by a regular expression or a plain text, file by file. While the texts of some files are searched, the next ones are read. */
import { setImmediate } from "node:timers";
import type { Confinement, Place } from "./confinement.ts";
import { FoundLines, type SearchResult } from "./found_lines.ts";
import { openRegular } from "./open_file.ts";
import { PathFilter } from "./path_filter.ts";
import { readBytes } from "./read_file.ts";
import { FileBatch, MAX_SEARCHED_BYTES } from "./text_batch.ts";
import { type TextMatches, TextSearch } from "./text_search.ts";
import { type FileRun, walkFiles, type WalkOptions } from "./walk.ts";

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
  /** Time for matching, in ms; as much again for the rules of `.gitignore` files. */
  readonly timeoutMs: number;
}

/** Searches the files below a place, or the one that it is. Binary files are left out. */
export async function searchFiles(
  within: Confinement,
  search: { readonly pattern: string; readonly start: Place; readonly isFile: boolean },
  options: SearchOptions,
): Promise<SearchResult> {
  const regex = readPattern(search.pattern, options);
  using texts = new TextSearch(regex, options);
  using names = options.glob === undefined ? undefined : await PathFilter.of(options.glob, options);
  const found = new FoundLines(options);
  const files = search.isFile
    ? oneFile(within, search.start, names, options)
    : filesBelow(within, search.start, names, options);
  let last: { readonly batch: FileBatch; readonly lines: Promise<TextMatches> } | undefined;
  for await (const batch of files) {
    options.signal?.throwIfAborted();
    if (last !== undefined && !found.add(last.batch, await last.lines)) return found.result();
    const lines = texts.search(batch, found.limits());
    // It is awaited when the next batch is there.
    lines.catch(() => {});
    last = { batch, lines };
  }
  if (last !== undefined) found.add(last.batch, await last.lines);
  return found.result();
}

async function* oneFile(
  within: Confinement,
  { names }: Place,
  filter: PathFilter | undefined,
  options: SearchOptions,
): AsyncGenerator<FileBatch> {
  const [folder, name] = [names.slice(0, -1), names.at(-1) ?? ""];
  if (filter?.excludes(options.glob?.includes("/") ? folder : [], name)) return;
  const left = await filter?.leave([pathOf(folder, name, options)]);
  if (left?.length === 0) return;
  const batch = new FileBatch(within);
  await addCarefully(within, batch, names);
  yield batch;
}

async function* filesBelow(
  within: Confinement,
  start: Place,
  filter: PathFilter | undefined,
  options: SearchOptions,
): AsyncGenerator<FileBatch> {
  const wants = filter === undefined
    ? undefined
    : (folder: readonly string[], name: string) =>
      !filter.excludes(options.glob?.includes("/") ? folder : [], name);
  let batch = new FileBatch(within);
  for await (const runs of walkFiles(within, start, { ...options, wants })) {
    for (const run of filter === undefined ? runs : await leftOf(runs, filter, options)) {
      for (let at = 0; at < run.files.length;) {
        at = batch.addRun(run, at);
        if (!batch.isFull) continue;
        yield* checked(within, batch);
        batch = batch.next();
        // So much is read in a few milliseconds; then it is somebody else's turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
  yield* checked(within, batch);
}

/** The batch, or, when a folder changed meanwhile, others with the same files, each read with all care. */
async function* checked(within: Confinement, batch: FileBatch): AsyncGenerator<FileBatch> {
  if (batch.stoodStill()) return yield batch;
  let careful = batch.next();
  for (const { names } of batch.files) {
    await addCarefully(within, careful, names);
    if (!careful.isFull) continue;
    yield careful;
    careful = careful.next();
  }
  yield careful;
}

async function addCarefully(
  within: Confinement,
  batch: FileBatch,
  names: readonly string[],
): Promise<void> {
  const place: Place = { shown: names.join("/"), names, existing: names.length };
  // A file that went away or may not be read is no reason to give up on the others.
  const handle = await openRegular(within, place).catch(() => undefined);
  if (handle === undefined) return;
  try {
    const isLarge = (await handle.stat()).size > MAX_SEARCHED_BYTES;
    batch.add(
      names,
      isLarge ? "large" : await readBytes(handle, { ...place, maxBytes: MAX_SEARCHED_BYTES }),
    );
  } catch {
    // Here neither.
  } finally {
    await handle.close();
  }
}

async function leftOf(
  runs: readonly FileRun[],
  filter: PathFilter,
  options: SearchOptions,
): Promise<readonly FileRun[]> {
  const paths = runs.flatMap(({ folder, files }) =>
    files.map((name) => pathOf(folder, name, options))
  );
  const left = new Set(await filter.leave(paths));
  let at = 0;
  return runs.map((run) => ({ ...run, files: run.files.filter(() => left.has(at++)) }));
}

/** What a glob pattern is held against. */
function pathOf(folder: readonly string[], name: string, { glob }: SearchOptions): string {
  return glob?.includes("/") && folder.length > 0 ? `${folder.join("/")}/${name}` : name;
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
