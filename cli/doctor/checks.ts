/**
 * What one check of `doctor` found, and how it is shown.
 */
import type { JsonValue } from "../../contracts/json.ts";
import { displayWidth, oneLine } from "../terminal_text.ts";

/** What a check found. */
export interface CheckResult {
  /** What was checked, in one word. */
  readonly name: string;
  /** `skipped` when it was not looked at, `off` when a missing permission switches it off, `warning` when it is to be known: no failures. */
  readonly state: "ok" | "failed" | "skipped" | "off" | "warning";
  /** What was found, in one line. */
  readonly detail: string;
  /** The same for programs. */
  readonly data?: { readonly [key: string]: JsonValue };
}

/** One check for people: a line, or as many as the columns of a terminal ask for. */
export function checkText(check: CheckResult, columns: number = Infinity): string {
  const head = `${check.name.padEnd(9)}  ${check.state.padEnd(7)}  `;
  const room = Math.max(20, columns - head.length - 1);
  return head + inLines(oneLine(check.detail, 2000), room).join(`\n${" ".repeat(head.length)}`);
}

/** A text in lines of so many columns, parted at blanks; a longer word stays whole. */
function inLines(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || displayWidth(`${last} ${word}`) > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** One check as the object of a JSON line. */
export function checkLine(check: CheckResult): JsonValue {
  return {
    type: "check",
    name: check.name,
    state: check.state,
    detail: check.detail,
    ...check.data,
  };
}
