/**
 * Finds the checkout that a folder lies in. Looks at nothing that the program may not read, so that nobody is asked for a permission.
 */
import { dirname, join } from "node:path";
import { isGranted } from "./permission.ts";

/** Where a project's own files are looked for. */
export interface ProjectFolders {
  /** The root of the checkout; the folder itself where there is none. */
  readonly root: string;
  /** The folder and those above it up to the root, the nearest first; real paths. */
  readonly folders: readonly string[];
}

/**
 * The folders from one up to the nearest with `.git`, which is a file in a worktree; without one the folder alone, since nothing says that what lies above
 * belongs to the same project. Nothing when the folder is none, or may not be read.
 *
 * A `.git` of another owner than the folder's does not count: in a shared place such as `/tmp` anybody may have put it there.
 */
export function projectFolders(folder: string): ProjectFolders | undefined {
  if (!isGranted({ name: "read", path: folder })) return undefined;
  try {
    const start = Deno.realPathSync(folder);
    const { isDirectory, uid } = Deno.statSync(start);
    if (!isDirectory) return undefined;
    const folders = [start];
    for (let dir = start;; folders.push(dir)) {
      if (!isGranted({ name: "read", path: join(dir, ".git") })) break;
      if (ownerOf(join(dir, ".git")) === uid) return { root: dir, folders };
      if (dirname(dir) === dir) break;
      dir = dirname(dir);
    }
    return { root: start, folders: [start] };
  } catch {
    // Whoever uses the folder says what is wrong with it.
    return undefined;
  }
}

/** The root of the checkout that a folder lies in, else the folder itself; as `projectFolders` finds it. */
export function repositoryRoot(cwd: string): string | undefined {
  return projectFolders(cwd)?.root;
}

/** Who owns what lies there: `null` where the system has no owners, nothing when nothing is there. */
function ownerOf(path: string): number | null | undefined {
  try {
    return Deno.lstatSync(path).uid;
  } catch {
    return undefined;
  }
}
