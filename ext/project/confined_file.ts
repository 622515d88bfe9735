/**
 * Reads one file of a folder and nothing outside of it, whatever links lie on the way and whenever they are put there: what was opened is used only
 * when the folders on the way to it were the same plain folders before and after, and the file that is open is the one that lies there.
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

/** Why a file is not used, in words that follow its name. */
export class Unusable extends Error {}

/** One folder on the way. */
interface Stage {
  readonly dev: number;
  readonly ino: number;
  readonly changedMs: number;
  /** The time that cannot be set back, which the runtime tells in whole seconds. */
  readonly touchedMs: number;
}

/**
 * The bytes of a file, or nothing when there is none.
 *
 * @param root a real path: absolute, without links
 * @param path the file, relative to it; it may be a link to another file inside
 * @throws {Unusable} when it is no regular file inside, is larger than `maxBytes`, or cannot be read.
 */
export async function readConfined(
  root: string,
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
): Promise<Uint8Array | undefined> {
  const full = join(root, path);
  try {
    if (lstatSync(full, { throwIfNoEntry: false }) === undefined) return undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      await using handle = await openSteady(root, namesInside(root, await Deno.realPath(full)));
      if (handle !== undefined) return await readBytes(handle, maxBytes);
    }
  } catch (error) {
    throw error instanceof Unusable ? error : new Unusable(reasonOf(error), { cause: error });
  }
  throw new Unusable("lies on a way that keeps changing");
}

/** Names from the root to a real path. */
function namesInside(root: string, real: string): readonly string[] {
  const base = root.endsWith(sep) ? root : root + sep;
  if (!real.startsWith(base)) throw new Unusable("leads out of the project");
  const names = real.slice(base.length).split(sep);
  // What git keeps there are no instructions, and may be credentials.
  if (names.some((name) => name.toLowerCase() === ".git")) {
    throw new Unusable("leads to what git keeps");
  }
  return names;
}

/** Opens a file when the way to it stands still meanwhile. The caller closes it. */
async function openSteady(
  root: string,
  names: readonly string[],
): Promise<FileHandle | undefined> {
  const full = join(root, ...names);
  const before = wayTo(root, names);
  if (before === undefined || isFresh(before)) return undefined;
  // Opening is harmless for a regular file only. In the time between, a pipe may take its place: it must not block.
  if (!lstatSync(full).isFile()) throw new Unusable("is no regular file");
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

async function readBytes(handle: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const { size } = await handle.stat();
  if (size > maxBytes) throw tooLarge(`${size} bytes`, maxBytes);
  // A file that grows meanwhile is held to the bound too.
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const buffer = new Uint8Array(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, length);
    if (bytesRead === 0) break;
    length += bytesRead;
    if (length > maxBytes) throw tooLarge("more", maxBytes);
    parts.push(buffer.subarray(0, bytesRead));
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function tooLarge(size: string, maxBytes: number): Unusable {
  return new Unusable(`has ${size}; ${maxBytes} are left for it`);
}

function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (error instanceof Deno.errors.NotFound || code === "ENOENT") return "leads nowhere";
  if (error instanceof Deno.errors.FilesystemLoop || code === "ELOOP") return "leads nowhere";
  if (error instanceof Deno.errors.NotCapable) return "may not be read (--allow-read)";
  if (error instanceof Deno.errors.PermissionDenied || code === "EACCES") {
    return "may not be read: permission denied";
  }
  return typeof code === "string" ? `cannot be read (${code})` : "cannot be read";
}
