/**
 * Reads files that lie in one folder. What is opened is looked at before it is used: it must be a regular file, and the one that lies at a path inside.
 * A folder that is swapped between two looks is not noticed in every case: whoever can do that can read what this program reads.
 */
import { constants, lstatSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { sep } from "node:path";

/** What came of a read. */
export type ConfinedRead =
  | { readonly kind: "text"; readonly text: string }
  /** Nothing lies there. */
  | { readonly kind: "missing" }
  /** It leads out, or is no regular file. */
  | { readonly kind: "refused" }
  /** It is larger than what was allowed. */
  | { readonly kind: "large"; readonly bytes: number }
  /** It is no UTF-8 text. */
  | { readonly kind: "binary"; readonly bytes: number }
  /** The system said no. */
  | { readonly kind: "failed"; readonly reason: string };

/** Reads a file as text. `folder` is a real path, `path` an absolute one that may lead over links as long as it ends below the folder. */
export async function readConfined(
  folder: string,
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
): Promise<ConfinedRead> {
  try {
    const real = await Deno.realPath(path);
    if (!isBelow(folder, real)) return { kind: "refused" };
    // To open a pipe or a device may block, or do something.
    if (!lstatSync(real).isFile()) return { kind: "refused" };
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    const handle = await open(real, flags);
    try {
      const opened = await handle.stat();
      const there = lstatSync(real);
      const isSame = opened.ino === there.ino && opened.dev === there.dev;
      if (!opened.isFile() || !isSame || await Deno.realPath(path) !== real) {
        return { kind: "refused" };
      }
      return await readText(handle, { size: opened.size, maxBytes });
    } finally {
      await handle.close();
    }
  } catch (error) {
    return failure(error);
  }
}

/** Whether a real path lies below a folder, and not in `.git`. */
export function isBelow(folder: string, real: string): boolean {
  const start = folder.endsWith(sep) ? folder : folder + sep;
  return real.startsWith(start) &&
    !real.slice(start.length).split(sep).some((name) => name.toLowerCase() === ".git");
}

/** Why something cannot be read, in a few words without a path. */
export function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) return "the program may not read it";
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return `the system refused it (${typeof code === "string" ? code : String(name)})`;
}

async function readText(
  handle: FileHandle,
  { size, maxBytes }: { readonly size: number; readonly maxBytes: number },
): Promise<ConfinedRead> {
  if (size > maxBytes) return { kind: "large", bytes: size };
  // One byte more, so that a file that grows meanwhile is noticed.
  const buffer = new Uint8Array(Math.min(maxBytes, size + 65_536) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length === buffer.length) return { kind: "large", bytes: length };
  const bytes = buffer.subarray(0, length);
  if (bytes.includes(0)) return { kind: "binary", bytes: length };
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "binary", bytes: length };
  }
}

function failure(error: unknown): ConfinedRead {
  const code = (error as { readonly code?: unknown } | null)?.code;
  const isMissing = error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory || code === "ENOENT" || code === "ENOTDIR";
  if (isMissing) return { kind: "missing" };
  // A link where a file was, or a circle of links.
  if (code === "ELOOP" || error instanceof Deno.errors.FilesystemLoop) return { kind: "refused" };
  return { kind: "failed", reason: reasonOf(error) };
}
