/**
 * Finds the checkout that a folder lies in. Looks at nothing that the program may not read, so that nobody is asked for a permission.
 */
import { dirname, join } from "node:path";

/**
 * The nearest folder upward with `.git`, which is a file in a worktree; without one the folder itself. Absolute, links resolved. Nothing when the folder is
 * none, or may not be read.
 *
 * A `.git` of another owner than the folder's does not count: in a shared place such as `/tmp` anybody may have put it there.
 */
export function repositoryRoot(cwd: string): string | undefined {
  if (!isReadable(cwd)) return undefined;
  let start: string;
  try {
    start = Deno.realPathSync(cwd);
    const { isDirectory, uid } = Deno.statSync(start);
    if (!isDirectory) return undefined;
    for (let dir = start;; dir = dirname(dir)) {
      if (!isReadable(join(dir, ".git"))) return start;
      if (ownerOf(join(dir, ".git")) === uid) return dir;
      if (dirname(dir) === dir) return start;
    }
  } catch {
    return undefined;
  }
}

/** Who owns what lies there: `null` where the system has no owners, nothing when nothing is there. */
function ownerOf(path: string): number | null | undefined {
  try {
    return Deno.lstatSync(path).uid;
  } catch {
    return undefined;
  }
}

function isReadable(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}
