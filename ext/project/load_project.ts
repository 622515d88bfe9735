/**
 * Collects the instruction files of a project: `AGENTS.md` from the root of the checkout down to the working folder. What cannot be used becomes a
 * warning, and the rest is used.
 */
import { refuseUnknown } from "../../contracts/known_names.ts";
import { join, relative, sep } from "node:path";
import { byteLength, cleanName, decodeText } from "./clean_text.ts";
import { readConfined, Unusable } from "./confined_file.ts";
import { findRoot } from "./repository_root.ts";

const FILE_NAME = "AGENTS.md";

const DEFAULT_MAX_BYTES = 1024 * 1024;

/** Options of {@linkcode loadProject}. */
export interface LoadProjectOptions {
  /** The working folder. */
  readonly cwd: string;
  /** A folder whose `AGENTS.md` comes before those of the project. @default none: nothing of the user's own is read unasked */
  readonly globalDir?: string;
  /** Bytes that are read of all files together; a file that does not fit in is left out with a warning. @default 1_048_576 (1 MiB) */
  readonly maxBytes?: number;
}

/** One file of instructions. */
export interface ProjectDocument {
  /** Its path from the root, with `/`; `global:AGENTS.md` for the one of the global folder. What does not show is written as `\u{…}`. */
  readonly name: string;
  /** What it says: line feeds alone, no byte order mark, what does not show written as `\u{…}`. */
  readonly text: string;
  /** Size of the text in UTF-8 bytes. */
  readonly bytes: number;
}

/** What was found of a project. */
export interface ProjectInstructions {
  /** The root of the checkout, or the working folder where there is none. Absent when that may not be read or is no folder: nothing is found then. */
  readonly root?: string;
  /** The files, the general one first and the one nearest to the working folder last. Empty ones are left out, and of equal ones all but the nearest. */
  readonly documents: readonly ProjectDocument[];
  /** What is wrong with files that are not used, one line each, fit for a terminal. */
  readonly warnings: readonly string[];
}

const OPTIONS: Readonly<Record<keyof LoadProjectOptions, true>> = {
  cwd: true,
  globalDir: true,
  maxBytes: true,
};

/**
 * Collects `AGENTS.md` from the root of the checkout that `cwd` lies in (the nearest folder upward with `.git`, else `cwd` alone) down to `cwd`.
 *
 * Nothing outside the root is read, by no link either, and nothing that the program has no permission for: nobody is asked for one.
 * The disk is free to hold anything: it never makes this reject.
 *
 * @throws {TypeError} when a folder is no text, or empty. @throws {RangeError} when `maxBytes` is no positive whole number.
 */
export async function loadProject(options: LoadProjectOptions): Promise<ProjectInstructions> {
  refuseUnknown("loadProject", options, OPTIONS);
  const { cwd, globalDir, maxBytes = DEFAULT_MAX_BYTES } = options;
  for (const [name, value] of Object.entries({ cwd, globalDir: globalDir ?? "." })) {
    if (typeof value === "string" && value !== "") continue;
    throw new TypeError(`loadProject: ${name} must be the path of a folder`);
  }
  if (!Number.isSafeInteger(maxBytes) || maxBytes <= 0) {
    throw new RangeError("loadProject: maxBytes must be a positive whole number");
  }
  const collected: Collected = { documents: [], warnings: [], bytesLeft: maxBytes };
  if (globalDir !== undefined) {
    const found = await findRoot(globalDir);
    if (found !== undefined) {
      await collect(collected, { root: found.cwd, path: FILE_NAME, name: `global:${FILE_NAME}` });
    }
  }
  const found = await findRoot(cwd);
  if (found === undefined) return resultOf(collected);
  if (found.foreign !== undefined) {
    collected.warnings.push(
      `${cleanName(found.foreign)} belongs to another user: its ${FILE_NAME} is left out`,
    );
  }
  for (const path of pathsDown(relative(found.root, found.cwd))) {
    const name = cleanName(path.replaceAll(sep, "/"));
    await collect(collected, { root: found.root, path, name });
  }
  return { root: found.root, ...resultOf(collected) };
}

/** What was collected so far. */
interface Collected {
  readonly documents: ProjectDocument[];
  readonly warnings: string[];
  bytesLeft: number;
}

/** The file's path in every folder from the root to this one. */
function pathsDown(folder: string): readonly string[] {
  const names = folder === "" ? [] : folder.split(sep);
  return Array.from(
    { length: names.length + 1 },
    (_, length) => join(...names.slice(0, length), FILE_NAME),
  );
}

async function collect(
  collected: Collected,
  { root, path, name }: { readonly root: string; readonly path: string; readonly name: string },
): Promise<void> {
  try {
    const bytes = await readConfined(root, { path, maxBytes: collected.bytesLeft });
    if (bytes === undefined) return;
    collected.bytesLeft -= bytes.length;
    const text = decodeText(bytes)?.trimEnd().replace(/^(?:[ \t]*\n)+/, "");
    if (text === undefined) throw new Unusable("is no UTF-8 text");
    if (text.trim() !== "") collected.documents.push({ name, text, bytes: byteLength(text) });
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    collected.warnings.push(`${name} ${error.message}: it is left out`);
  }
}

/** Of equal texts the nearest stays: it is to have the last word. */
function resultOf(
  { documents, warnings }: Collected,
): Pick<ProjectInstructions, "documents" | "warnings"> {
  const last = new Map(documents.map(({ text }, index) => [text.trim(), index]));
  return {
    documents: documents.filter(({ text }, index) => last.get(text.trim()) === index),
    warnings,
  };
}
