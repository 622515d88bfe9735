/** Finds the checkout that a folder belongs to. Touches no path that the program was not given to read, so that nobody is asked for it. */
import { lstatSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";

/** Where a project begins. */
export interface ProjectRoot {
  /** The root: a real path. */
  readonly root: string;
  /** The working folder: a real path, inside of it. */
  readonly cwd: string;
  /** A checkout further up that was not taken, because it is somebody else's. */
  readonly foreign?: string;
}

/**
 * The nearest folder upward that holds `.git` (a folder, or the file of a worktree), else the folder itself. Nothing when it may not be read, or is no
 * folder.
 *
 * A checkout above that belongs to another user is not taken: where several users write, one could be laid under the work of another.
 */
export async function findRoot(folder: string): Promise<ProjectRoot | undefined> {
  if (!mayRead(folder)) return undefined;
  let cwd: string;
  try {
    cwd = await Deno.realPath(folder);
  } catch {
    return undefined;
  }
  const own = mayRead(cwd) ? infoOf(cwd) : undefined;
  if (own === undefined || !own.isDirectory()) return undefined;
  let foreign: string | undefined;
  for (let dir = cwd; mayRead(dir); dir = dirname(dir)) {
    if (infoOf(join(dir, ".git")) !== undefined) {
      if (isTrusted(dir, own)) return { root: dir, cwd, ...(foreign && { foreign }) };
      foreign ??= dir;
    }
    if (dirname(dir) === dir) break;
  }
  return { root: cwd, cwd, ...(foreign && { foreign }) };
}

/** Whether the program may read a path, without asking anybody. */
function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

/** Whether a checkout belongs to whom the working folder belongs to, to the user, or to the system. */
function isTrusted(dir: string, own: Stats): boolean {
  const trusted: readonly (number | undefined)[] = [own.uid, 0, userId()];
  return [dir, join(dir, ".git")].every((path) => trusted.includes(infoOf(path)?.uid));
}

/** The user that the program runs as; nothing when it may not know. */
function userId(): number | undefined {
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "uid" });
  return state === "granted" ? Deno.uid() ?? undefined : undefined;
}

function infoOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
