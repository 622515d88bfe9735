/** Opens regular files of the workspace for reading, and folders for listing. Whoever opens a file closes it. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type Confinement, Moved, type Place } from "./confinement.ts";
import { isHiddenName, Refusal } from "./path_rules.ts";

/**
 * How files are opened: no link is followed, no pipe is waited for. Windows knows neither.
 */
export const READ_FLAGS: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** What lies in a folder. */
export interface FolderEntry {
  /** Its name. */
  readonly name: string;
  /** What it is; links are not followed. */
  readonly kind: "file" | "dir" | "link" | "other";
}

/**
 * Opens a regular file. The caller closes it.
 *
 * @throws {Refusal} for anything else. Rejects when there is none.
 */
export async function openRegular(within: Confinement, place: Place): Promise<FileHandle> {
  if (place.existing < place.names.length) throw missing(place.shown);
  if (place.names.length === 0) throw new Refusal(place.shown);
  const full = within.full(place.names);
  return await within.steady(place.names.slice(0, -1), place.shown, {
    act: async () => {
      // Opening is harmless for a regular file only. In the time between, a pipe may take its place: it must not block.
      const there = lstatSync(full);
      if (!there.isFile()) throw new Refusal(place.shown);
      const handle = await open(full, READ_FLAGS);
      try {
        const opened = await handle.stat();
        if (!isSameFile(opened, lstatSync(full))) throw new Moved();
        if (!opened.isFile()) throw new Refusal(place.shown);
        return handle;
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
    undo: (handle) => handle.close(),
  }).catch((error) => Promise.reject(plainError(error, place.shown)));
}

/** What lies in a folder, sorted by name, without `.git`. */
export async function listFolder(
  within: Confinement,
  place: Place,
): Promise<readonly FolderEntry[]> {
  if (place.existing < place.names.length) throw missing(place.shown);
  const entries = await within.steady(place.names, place.shown, {
    act: () => readEntries(within, place.names),
  }).catch((error) => Promise.reject(plainError(error, place.shown)));
  return entries;
}

/** What lies in a folder, sorted by name, without `.git` and what is withheld. That the way there stood still is for the caller to make sure. */
export function readEntries(
  within: Confinement,
  names: readonly string[],
): readonly FolderEntry[] {
  const found: FolderEntry[] = [];
  const withheld = within.withheldIn(names);
  for (const entry of Deno.readDirSync(within.full(names))) {
    if (isHiddenName(entry.name) || withheld?.has(entry.name)) continue;
    found.push({ name: entry.name, kind: kindOf(entry) });
  }
  return found.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The bytes of a small regular file; nothing when it is no such file. That the way there stands still is for the caller to make sure. */
export function readSmallFile(full: string, maxBytes: number): Uint8Array | undefined {
  let file: number | undefined;
  try {
    const there = lstatSync(full);
    if (!there.isFile()) return undefined;
    file = openSync(full, READ_FLAGS);
    const opened = fstatSync(file);
    if (!opened.isFile() || !isSameFile(opened, there) || opened.size > maxBytes) return undefined;
    const bytes = new Uint8Array(opened.size);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Whether two looks saw the same file. */
export function isSameFile(
  one: { readonly dev: number; readonly ino: number },
  other: { readonly dev: number; readonly ino: number },
): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** What a script is told of a failure: nothing of where on the host the workspace lies. */
export function plainError(error: unknown, shown: string): Error {
  const code = (error as { code?: unknown } | null)?.code;
  if (error instanceof Deno.errors.NotFound || code === "ENOENT") return missing(shown);
  if (error instanceof Deno.errors.NotCapable) return new Error(`${shown}: no permission`);
  if (typeof code === "string") return new Error(`${shown}: the system refused it (${code})`);
  if (!(error instanceof Error)) return new Error(`${shown}: failed`);
  const [, said] = error.message.match(/^(.*?) \(os error \d+\)/) ?? [];
  return said === undefined ? error : new Error(`${shown}: the system refused it (${said})`);
}

/** What a script is told of a path that leads nowhere. */
export function missing(shown: string): Error {
  return new Error(`${shown} does not exist; listDir shows what does`);
}

function kindOf(entry: Deno.DirEntry): FolderEntry["kind"] {
  if (entry.isSymlink) return "link";
  if (entry.isDirectory) return "dir";
  return entry.isFile ? "file" : "other";
}
