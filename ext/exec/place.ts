/**
 * Where a command runs, and which file it is: both stay inside of the root, links resolved. It looks at files and changes none. A folder
 * that is swapped between the look and the start is not noticed: whoever can do that can run commands already.
 */
import { isAbsolute, relative, resolve, sep } from "node:path";

/** Resolved folders. */
export interface Place {
  /** The root, links resolved. */
  readonly root: string;
  /** Where the command runs, links resolved: the root or below. */
  readonly cwd: string;
}

/**
 * Resolves the folder to run in.
 *
 * @throws {Error} when it is not there, no folder, or outside of the root. The message names it as the script wrote it.
 */
export async function resolvePlace(root: string, cwd: string = "."): Promise<Place> {
  if (Deno.permissions.querySync({ name: "read", path: root }).state !== "granted") {
    throw new Error("exec cannot look at its folder: the program lacks --allow-read for it.");
  }
  const realRoot = await realPath(root);
  if (realRoot === undefined || !(await Deno.stat(realRoot)).isDirectory) {
    throw new Error("exec has no folder to run in: its root is not there.");
  }
  // The embedder's own spelling of the root may lead through a link.
  const named = resolve(realRoot, cwd);
  const inside = isInside(realRoot, named) || (isAbsolute(root) && isInside(resolve(root), named));
  if (!inside) throw outside("cwd", cwd);
  const real = await realPath(named);
  if (real === undefined) throw new Error(`exec: the cwd ${quoted(cwd)} is not there.`);
  if (!isInside(realRoot, real)) throw outside("cwd", cwd);
  if (!(await Deno.stat(real)).isDirectory) {
    throw new Error(`exec: the cwd ${quoted(cwd)} is no folder.`);
  }
  return { root: realRoot, cwd: real };
}

/**
 * Resolves a command: a plain name is left to PATH, a path is looked at.
 *
 * @throws {Error} when a path leads to nothing that can be run, or out of the root where that is not allowed.
 */
export async function resolveCommand(
  command: string,
  { root, cwd, allowAbsolute }: Place & { readonly allowAbsolute: boolean },
): Promise<string> {
  if (isPlainName(command)) return command;
  const path = resolve(cwd, command);
  const free = isAbsolute(command) && allowAbsolute;
  if (!free && !isInside(root, path)) throw outside("command", command);
  if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return path;
  const real = await realPath(path);
  if (real === undefined) throw new Error(`exec: there is no command ${quoted(command)}.`);
  if (!free && !isInside(root, real)) throw outside("command", command);
  await checkRunnable(command, path);
  return path;
}

/** Whether a command is looked for in PATH. */
export function isPlainName(command: string): boolean {
  return !command.includes("/") && !(sep === "\\" && /[\\:]/.test(command));
}

/** The path may not be read where it leads: then the start tells what is wrong. */
async function checkRunnable(command: string, path: string): Promise<void> {
  const found = await Deno.stat(path);
  if (found.isDirectory) throw new Error(`exec: ${quoted(command)} is a folder, not a command.`);
  if (!found.isFile) throw new Error(`exec: ${quoted(command)} is no file that can be run.`);
  if (found.mode !== null && (found.mode & 0o111) === 0) {
    throw new Error(`exec: ${quoted(command)} is not executable.`);
  }
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    const { name } = error as Error;
    throw new Error(`exec cannot follow a path in its folder (${name}).`);
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function outside(what: string, path: string): Error {
  return new Error(`exec: the ${what} ${quoted(path)} leads out of the folder it may use.`);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
