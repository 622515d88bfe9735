/**
 * Lists the project's source files, for the checks that read all of them.
 * Folders that hold no source of the project (dot folders, installed packages, build output) are left out.
 */
import { join } from "node:path";

const SOURCE_FILE = /\.(?:ts|tsx|mts|js|jsx|mjs)$/;
const FOREIGN_FOLDERS: ReadonlySet<string> = new Set(["node_modules", "coverage", "dist"]);

/** Paths of all source files under `root`, relative to it, with forward slashes, in alphabetical order. */
export function listSourceFiles(root: string): string[] {
  const found: string[] = [];
  const open = [""];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of Deno.readDirSync(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory) {
        if (!entry.name.startsWith(".") && !FOREIGN_FOLDERS.has(entry.name)) open.push(path);
      } else if (entry.isFile && SOURCE_FILE.test(entry.name)) {
        found.push(path);
      }
    }
  }
  return found.sort();
}

/** Whether a path is a test: a unit test beside its source, or anything in the tests folder. */
export function isTestFile(path: string): boolean {
  return path.startsWith("tests/") || /_test\.[a-z]+$/.test(path);
}
