/**
 * Temporary files of writes that were cut off. Whoever makes one locks it for as long as it lives, so that one without a lock can be told from one
 * that is in use, whichever program's it is. Takes away nothing but what bears such a name.
 */
import type { Confinement } from "./confinement.ts";
import { isSameFile } from "./open_file.ts";
import { isTemporaryName } from "./path_rules.ts";

/** A file that is younger, in ms, may be one that is about to be locked. */
const YOUNG_MS = 200;

/** A folder is not locked. It has such a name for milliseconds, so one of this age, in ms, is nobody's. */
const ABANDONED_MS = 60_000;

/** What two looks at a file are compared by. */
type Identity = Parameters<typeof isSameFile>[0];

/** Locks a temporary file until what is returned is disposed. Where it cannot be locked nobody takes it away either. */
export function holdTemporary(path: string, identity: Identity): Disposable {
  const nothing = { [Symbol.dispose]: () => {} };
  // There a lock would keep the file from being written.
  if (Deno.build.os === "windows") return nothing;
  try {
    const file = openToLock(path);
    if (isIdentical(file, identity) && file.tryLockSync(true)) return file;
    file.close();
  } catch {
    // The file system knows no locks, or the folder was swapped, which others notice.
  }
  return nothing;
}

/** Takes away what writes that were cut off have left in a folder. What cannot be taken away stays: it keeps no write from being made. */
export function clearLeftovers(within: Confinement, folder: readonly string[]): void {
  if (Deno.build.os === "windows") return;
  try {
    for (const { name } of Deno.readDirSync(within.full(folder))) {
      if (isTemporaryName(name)) clear(within.full([...folder, name]));
    }
  } catch {
    // The folder went away, or may not be listed.
  }
}

function clear(path: string): void {
  try {
    const found = Deno.lstatSync(path);
    const age = Date.now() - (found.mtime?.getTime() ?? Infinity);
    if (found.isDirectory && age > ABANDONED_MS) Deno.removeSync(path);
    if (!found.isFile || age < YOUNG_MS) return;
    using file = openToLock(path);
    if (file.tryLockSync(true)) Deno.removeSync(path);
  } catch {
    // Somebody else was faster, or it is another user's.
  }
}

/** To write as well: then even a pipe that has taken the file's place opens at once. */
function openToLock(path: string): Deno.FsFile {
  return Deno.openSync(path, { read: true, write: true });
}

function isIdentical(file: Deno.FsFile, identity: Identity): boolean {
  const { dev, ino } = file.statSync();
  return ino !== null && isSameFile({ dev, ino }, identity);
}
