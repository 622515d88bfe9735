/** Reads texts that lie in one folder, and says in few kinds what came of it. */
import { relative, sep } from "node:path";
import { readSteady, type SteadyFile } from "../confined/read_steady.ts";

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

/**
 * Reads a file as text. `root` is a real path, `path` an absolute one that may lead over links as long as it ends below the root, or below `folder` where one is
 * given.
 */
export async function readConfined(root: string, file: SteadyFile): Promise<ConfinedRead> {
  const { path, maxBytes } = file;
  const read = await readSteady(root, { ...file, path: relative(root, path) });
  switch (read.kind) {
    case "bytes":
      return textOf(read.bytes);
    case "missing":
      return { kind: "missing" };
    case "outside":
    case "git":
    case "special":
      return { kind: "refused" };
    case "large":
      return { kind: "large", bytes: read.bytes ?? maxBytes };
    case "moving":
      return { kind: "failed", reason: "the folders on the way to it keep changing" };
    case "failed":
      return failure(read.error);
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
  if (error instanceof Deno.errors.NotCapable) {
    const [, kind = "read"] = /^Requires (\w+) access/.exec(error.message) ?? [];
    return kind === "read" ? "the program may not read it" : `it needs --allow-${kind}`;
  }
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return `the system refused it (${typeof code === "string" ? code : String(name)})`;
}

function textOf(bytes: Uint8Array<ArrayBuffer>): ConfinedRead {
  const binary = { kind: "binary", bytes: bytes.length } as const;
  if (bytes.includes(0)) return binary;
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return binary;
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
