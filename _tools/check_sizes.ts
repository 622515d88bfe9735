/**
 * Holds every source file to its bounds: 400 lines, 800 for tests, a name in snake_case, and no file or folder
 * whose name says only that it holds things.
 */
import { join } from "node:path";
import { isTestFile, listSourceFiles } from "./source_files.ts";

/** Lines that a source file may have. */
export const MAX_LINES = 400;
/** Lines that a test may have. */
export const MAX_TEST_LINES = 800;

const SNAKE_CASE = /^_?[a-z0-9]+(?:_[a-z0-9]+)*$/;
const EMPTY_NAMES: ReadonlySet<string> = new Set([
  "common",
  "helper",
  "helpers",
  "index",
  "misc",
  "shared",
  "types",
  "util",
  "utils",
]);

/** Everything that is wrong with sizes and names in the tree at `root`, one line each; empty when nothing is. */
export function checkSizes(root: string): string[] {
  return listSourceFiles(root).flatMap((file) => [
    ...nameProblems(file),
    ...sizeProblems(file, Deno.readTextFileSync(join(root, file))),
  ]);
}

function nameProblems(file: string): string[] {
  const names = file.replace(/(?:\.d)?\.[a-z]+$/, "").split("/");
  return names.flatMap((name) => {
    const bare = name.replace(/_test$/, "").replace(/^_/, "");
    if (EMPTY_NAMES.has(bare)) {
      return [`${file}: "${name}" says nothing; name it after what it does`];
    }
    return SNAKE_CASE.test(name) ? [] : [`${file}: "${name}" is not in snake_case`];
  });
}

function sizeProblems(file: string, text: string): string[] {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const most = isTestFile(file) ? MAX_TEST_LINES : MAX_LINES;
  return lines > most
    ? [`${file}: ${lines} lines, ${most} at most; split it by responsibility`]
    : [];
}

if (import.meta.main) {
  const problems = checkSizes(Deno.cwd());
  for (const problem of problems) console.error(problem);
  console.error(problems.length === 0 ? "sizes: in order" : `sizes: ${problems.length} to mend`);
  Deno.exit(problems.length === 0 ? 0 : 1);
}
