/** Whether something lies at a path. */

/** Whether anything lies there, a link to nowhere too. What cannot be looked at counts as nothing; that it may be is for the caller to see to. */
export function pathExists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
