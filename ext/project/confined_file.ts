/** Reads a file of the project and nothing outside of it; says why one is not used. */
import { readSteady } from "../confined/read_steady.ts";

/** Why a file is not used, in words that follow its name. */
export class Unusable extends Error {}

/**
 * The bytes of a file, or nothing when there is none.
 *
 * @param root a real path: absolute, without links
 * @param path the file, relative to it; it may be a link to another file inside
 * @throws {Unusable} when it is no regular file inside, is larger than `maxBytes`, or cannot be read.
 */
export async function readConfined(
  root: string,
  file: { readonly path: string; readonly maxBytes: number },
): Promise<Uint8Array | undefined> {
  const read = await readSteady(root, file);
  switch (read.kind) {
    case "bytes":
      return read.bytes;
    case "missing":
      return undefined;
    case "outside":
      throw new Unusable("leads out of the project");
    case "git":
      throw new Unusable("leads to what git keeps");
    case "special":
      throw new Unusable("is no regular file");
    case "large": {
      const size = read.bytes === undefined ? "more" : `${read.bytes} bytes`;
      throw new Unusable(`has ${size}; ${file.maxBytes} are left for it`);
    }
    case "moving":
      throw new Unusable("lies on a way that keeps changing");
    case "failed":
      throw new Unusable(reasonOf(read.error), { cause: read.error });
  }
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
