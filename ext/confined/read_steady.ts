/**
 * Reads one file of a folder and nothing outside of it, whatever links lie on the way and whenever they are put there: what was opened is used only
 * when the folders on the way to it were the same plain folders before and after, and the file that is open is the one that lies there.
 *
 * For the parts of `ext/` that read what a checkout brings. What is told of a file that is not used is theirs to say.
 */
import { constants, lstatSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join, sep } from "node:path";

/** The clock of files steps by 1 to 10 ms: a swap within one step leaves no mark, so that a folder which changed just now is waited for. */
const SETTLE_MS = 20;

/** How often a way that changes is tried. */
const ATTEMPTS = 6;

/** Bytes that are read at a time. */
const CHUNK_BYTES = 65_536;

/** What to read. */
export interface SteadyFile {
  /** The file, relative to the root; it may be a link to another file inside. */
  readonly path: string;
  /** Its size at most. */
  readonly maxBytes: number;
  /** The folder in which it must end, a real path below the root. @default the root */
  readonly folder?: string;
}

/** What came of a read. */
export type SteadyRead =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Nothing lies there, not even a link. */
  | { readonly kind: "missing" }
  /** It ends outside of the folder, or in what git keeps there, which may be credentials. */
  | { readonly kind: "outside" | "git" }
  /** It is a folder, a pipe, a device. */
  | { readonly kind: "special" }
  /** It is larger than was allowed; how large is known unless it grew meanwhile. */
  | { readonly kind: "large"; readonly bytes?: number }
  /** The way to it did not come to rest. */
  | { readonly kind: "moving" }
  /** What the system said. */
  | { readonly kind: "failed"; readonly error: unknown };

/** One folder on the way. */
interface Stage {
  readonly dev: number;
  readonly ino: number;
  readonly changedMs: number;
  /** The time that cannot be set back, which the runtime tells in whole seconds. */
  readonly touchedMs: number;
}

/**
 * The bytes of a file. Never rejects.
 *
 * @param root a real path: absolute, without links
 */
export async function readSteady(
  root: string,
  { path, maxBytes, folder = root }: SteadyFile,
): Promise<SteadyRead> {
  const full = join(root, path);
  try {
    if (lstatSync(full, { throwIfNoEntry: false }) === undefined) return { kind: "missing" };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const real = await Deno.realPath(full);
      if (!real.startsWith(below(folder))) return { kind: "outside" };
      const names = real.slice(below(root).length).split(sep);
      if (names.some((name) => name.toLowerCase() === ".git")) return { kind: "git" };
      const opened = await openSteady(root, names);
      if (opened === undefined) continue;
      if (opened === "special") return { kind: "special" };
      await using handle = opened;
      return await readBytes(handle, maxBytes);
    }
    return { kind: "moving" };
  } catch (error) {
    return { kind: "failed", error };
  }
}

function below(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

/** Opens a file when the way to it stands still meanwhile. The caller closes it. */
async function openSteady(
  root: string,
  names: readonly string[],
): Promise<FileHandle | "special" | undefined> {
  const full = join(root, ...names);
  const before = wayTo(root, names);
  if (before === undefined || isFresh(before)) return undefined;
  // Opening is harmless for a regular file only. In the time between, a pipe may take its place: it must not block.
  if (!lstatSync(full).isFile()) return "special";
  const handle = await open(full, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const opened = await handle.stat();
    const there = lstatSync(full, { throwIfNoEntry: false });
    const isThere = there?.ino === opened.ino && there.dev === opened.dev && opened.isFile();
    if (isThere && isStill(before, wayTo(root, names))) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/** The folders from the root to the one that holds the file; nothing when one of them is none. */
function wayTo(root: string, names: readonly string[]): readonly Stage[] | undefined {
  const way: Stage[] = [];
  for (let length = 0; length < names.length; length++) {
    const info = lstatSync(join(root, ...names.slice(0, length)), { throwIfNoEntry: false });
    if (info === undefined || !info.isDirectory()) return undefined;
    way.push({ dev: info.dev, ino: info.ino, changedMs: info.mtimeMs, touchedMs: info.ctimeMs });
  }
  return way;
}

/** Whether a folder that holds one of the way changed so lately that a further change might leave no mark. */
function isFresh(way: readonly Stage[]): boolean {
  const now = Date.now();
  return way.slice(0, -1).some(({ changedMs }) => Math.abs(now - changedMs) < SETTLE_MS);
}

function isStill(before: readonly Stage[], after: readonly Stage[] | undefined): boolean {
  return before.every((stage, index) => {
    const now = after?.[index];
    // What the last folder holds are no folders on the way.
    return now?.ino === stage.ino && now.dev === stage.dev &&
      (index === before.length - 1 ||
        (now.changedMs === stage.changedMs && now.touchedMs === stage.touchedMs));
  });
}

async function readBytes(handle: FileHandle, maxBytes: number): Promise<SteadyRead> {
  const { size } = await handle.stat();
  if (size > maxBytes) return { kind: "large", bytes: size };
  // A file that grows meanwhile is held to the bound too.
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const buffer = new Uint8Array(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, length);
    if (bytesRead === 0) break;
    length += bytesRead;
    if (length > maxBytes) return { kind: "large" };
    parts.push(buffer.subarray(0, bytesRead));
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { kind: "bytes", bytes };
}
