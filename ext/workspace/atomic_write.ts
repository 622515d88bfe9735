/**
 * Puts a file in place whole: a temporary file in the same folder, written and synced, then renamed. A crash leaves the old file or the new one,
 * and at most a temporary file, which the next write in the folder takes away.
 *
 * Both names of a rename go by the same folder, and the first cannot be guessed: in a folder that was swapped for another, it is not there.
 */
import { constants, lstatSync, type Stats } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm, rmdir } from "node:fs/promises";
import { type Confinement, Moved, type Place } from "./confinement.ts";
import { clearLeftovers, holdTemporary } from "./leftovers.ts";
import { isSameFile, plainError } from "./open_file.ts";
import { Refusal, temporaryName } from "./path_rules.ts";

/** How often a rename or a removal is tried in a folder that is being swapped. */
const ATTEMPTS = 40;

/** What to write. */
export interface NewContent {
  /** The bytes. */
  readonly bytes: Uint8Array;
  /** The file that they are made from: when another lies there by now, nothing is written. @default whatever lies there */
  readonly from?: Pick<Stats, "dev" | "ino" | "mtimeMs" | "size">;
}

/**
 * Writes a file, with the folders that it needs. An existing file keeps its mode.
 *
 * @returns Whether there was none before.
 * @throws {Refusal} when something else than a regular file lies there.
 */
export async function writeWhole(
  within: Confinement,
  place: Place,
  content: NewContent,
): Promise<boolean> {
  if (place.names.length === 0) throw new Refusal(place.shown);
  const folder = place.names.slice(0, -1);
  try {
    await makeFolders(within, folder, place);
    clearLeftovers(within, folder);
    const full = within.full(place.names);
    const old = checkOld(full, place, content);
    await putInPlace(within, { folder, full, shown: place.shown, old }, content);
    return old === undefined;
  } catch (error) {
    throw plainError(error, place.shown);
  }
}

interface Target {
  readonly folder: readonly string[];
  readonly full: string;
  readonly shown: string;
  readonly old: Stats | undefined;
}

/** A temporary file, and what tells others that it is in use. */
interface Temporary {
  readonly handle: FileHandle;
  readonly hold: Disposable;
}

async function putInPlace(
  within: Confinement,
  target: Target,
  content: NewContent,
): Promise<void> {
  const temporary = within.full([...target.folder, temporaryName()]);
  const mode = target.old === undefined ? 0o666 : 0o600;
  const made = await within.steady(target.folder, target.shown, {
    act: () => createHere(temporary, mode),
    undo: ({ handle, hold }) => discard(handle, temporary).finally(() => hold[Symbol.dispose]()),
  });
  using _hold = made.hold;
  const { handle } = made;
  try {
    await writeAll(handle, content.bytes);
    if (target.old !== undefined) await handle.chmod(target.old.mode & 0o7777);
    await handle.sync();
    checkOld(target.full, target, content);
    await renameHere(temporary, target.full);
  } catch (error) {
    await discard(handle, temporary);
    throw error;
  }
  await handle.close();
}

/** Creates a file that was not there, and makes sure that it lies where it was meant to. */
async function createHere(path: string, mode: number): Promise<Temporary> {
  const { O_RDWR, O_CREAT, O_EXCL } = constants;
  const handle = await open(path, O_RDWR | O_CREAT | O_EXCL, mode);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined && isSameFile(await handle.stat(), there)) {
    return { handle, hold: holdTemporary(path, there) };
  }
  await discard(handle, path);
  throw new Moved();
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, done)).bytesWritten;
  }
}

/** Looks at the file that is to be replaced: a regular one, writable, and the one that the content was made from. */
function checkOld(
  full: string,
  { shown }: { readonly shown: string },
  { from }: NewContent,
): Stats | undefined {
  const old = lstatSync(full, { throwIfNoEntry: false });
  if (old !== undefined && !old.isFile()) throw new Refusal(shown);
  if (old !== undefined && (old.mode & 0o222) === 0) {
    throw new Error(`${shown} is read-only; write to another path`);
  }
  if (from !== undefined) {
    const same = old !== undefined && isSameFile(old, from) && old.mtimeMs === from.mtimeMs &&
      old.size === from.size;
    if (!same) throw new Error(`${shown} changed meanwhile; read it again`);
  }
  return old;
}

/** Closes a temporary file and takes it away, wherever a swapped folder has brought it: its link count says when it is gone. */
async function discard(handle: FileHandle, path: string): Promise<void> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await rm(path, { force: true }).catch(() => {});
      if ((await handle.stat()).nlink === 0) return;
      await pause();
    }
  } finally {
    await handle.close();
  }
}

async function makeFolders(
  within: Confinement,
  folder: readonly string[],
  place: Place,
): Promise<void> {
  for (let length = place.existing + 1; length <= folder.length; length++) {
    const parent = folder.slice(0, length - 1);
    const temporary = within.full([...parent, temporaryName()]);
    const remove = () => removeFolder(temporary);
    await within.steady(parent, place.shown, { act: () => mkdir(temporary), undo: remove });
    try {
      await renameHere(temporary, within.full(folder.slice(0, length)));
    } catch (error) {
      await remove();
      // Somebody else made it meanwhile: good, if it is a folder. The next step looks.
      const code = (error as { code?: unknown }).code;
      if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOTDIR") throw error;
    }
  }
}

async function removeFolder(path: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await rmdir(path).then(() => true, () => false)) return;
    await pause();
  }
}

/** Renames within a folder; when the folder is swapped at this moment, the old name is not found, and it is tried again. */
async function renameHere(from: string, to: string): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ENOENT" || attempt === ATTEMPTS) throw error;
      await pause();
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 3));
}
