/**
 * What one check of `doctor` found, and how it is shown.
 */
import type { JsonValue } from "../../contracts/json.ts";
import { oneLine } from "../terminal_text.ts";

/** What a check found. */
export interface CheckResult {
  /** What was checked, in one word. */
  readonly name: string;
  /** `skipped` when it was not looked at, which is no failure. */
  readonly state: "ok" | "failed" | "skipped";
  /** What was found, in one line. */
  readonly detail: string;
  /** The same for programs. */
  readonly data?: { readonly [key: string]: JsonValue };
}

/** One check as a line for people. */
export function checkText(check: CheckResult): string {
  return `${check.name.padEnd(9)}  ${check.state.padEnd(7)}  ${oneLine(check.detail, 2000)}`;
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
