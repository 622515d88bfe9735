/**
 * The line that stands in the history for a script that was run some turns ago. It depends on the script alone, so it is the same in every
 * later request, and it has a form that the loop knows again when a model imitates it.
 */
import { firstComment } from "./code_scan.ts";
import { clipLine } from "./utf8.ts";

/** How much of a script's first comment its line may hold. */
const COMMENT_BYTES = 80;

/** The line for a script: how long it was and what its first comment said. */
export function elideScript(source: string): string {
  const count = source.split("\n").length;
  const comment = clipLine(firstComment(source), COMMENT_BYTES);
  return `[script of ${count} ${count === 1 ? "line" : "lines"}, already run${
    comment === "" ? "" : `: ${comment}`
  }]`;
}

/** Whether a text is such a line. */
export function isElidedScript(text: string): boolean {
  return text.startsWith("[script of ") && /^\[script of \d+ lines?, already run/.test(text);
}
