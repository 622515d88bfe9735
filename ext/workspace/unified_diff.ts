/** Shows a change as a unified diff, bounded in lines, in their length and in the time that it takes. */

/** Lines that a diff has at most. */
const MAX_LINES = 400;

/** Characters of a line that are shown. */
const MAX_LINE_CHARACTERS = 500;

/** Characters of both texts together that are compared. */
const MAX_COMPARED_CHARACTERS = 2_000_000;

/** Time for the comparison, in ms. */
const TIMEOUT_MS = 1_000;

/** Two texts of one file. */
export interface Change {
  /** The path, relative to the root. */
  readonly path: string;
  /** The text now; absent for a new file. */
  readonly before: string | undefined;
  /** The text to be. */
  readonly after: string;
}

/** The diff; where the texts are too large or too different to compare, one line that says so with their sizes. */
export async function unifiedDiff({ path, before, after }: Change): Promise<string> {
  const from = before === undefined ? "/dev/null" : `a/${path}`;
  const sizes = `${path}: ${before?.length ?? 0} characters become ${after.length}`;
  if ((before?.length ?? 0) + after.length > MAX_COMPARED_CHARACTERS) {
    return `${sizes}; too long to compare`;
  }
  if (before === after) return `${path}: no change`;
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("npm:diff@9.0.0");
  const patch = createTwoFilesPatch(from, `b/${path}`, before ?? "", after, undefined, undefined, {
    context: 3,
    timeout: TIMEOUT_MS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return patch === undefined ? `${sizes}; too different to compare` : bounded(patch);
}

function bounded(patch: string): string {
  const lines = patch.replace(/\n$/, "").split("\n").map((line) =>
    line.length <= MAX_LINE_CHARACTERS ? line : `${line.slice(0, MAX_LINE_CHARACTERS)}…`
  );
  if (lines.length <= MAX_LINES) return lines.join("\n");
  const shown = lines.slice(0, MAX_LINES - 1);
  return [...shown, `… ${lines.length - shown.length} more lines are left out`].join("\n");
}
