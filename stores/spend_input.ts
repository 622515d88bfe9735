/** The border of every spend ledger in this folder: checks what a caller hands in, and gives the minute by which it is kept. Pure. */
import type { Spend } from "../contracts/limits.ts";
import { count, duration, typeName } from "./step_input.ts";

/** What was spent, as it is kept. */
export interface CheckedSpend extends Spend {
  /** Whole minutes since 1970. */
  readonly minute: number;
}

/**
 * Checks what a scope spent and when.
 *
 * @throws {TypeError} when `at` is not a valid Date.
 * @throws {RangeError} when a number is negative, or one that cannot be kept.
 */
export function checkedSpend(spend: Spend, at: Date): CheckedSpend {
  return {
    minute: checkedMinute(at, "The time of a spend"),
    tokens: count(spend.tokens, "A spend's tokens"),
    cost: duration(spend.cost, "A spend's cost"),
    hostCalls: count(spend.hostCalls, "A spend's hostCalls"),
  };
}

/**
 * The minute in which a moment lies, in whole minutes since 1970.
 *
 * @throws {TypeError} when it is not a valid Date.
 */
export function checkedMinute(moment: Date, what: string): number {
  if (!(moment instanceof Date) || Number.isNaN(moment.getTime())) {
    throw new TypeError(`${what} must be a valid Date, not ${typeName(moment)}.`);
  }
  return Math.floor(moment.getTime() / 60_000);
}

/**
 * Checks a scope's key: any text, the empty one too. Ill-formed text is refused, since replacing it could make two keys one.
 *
 * @throws {TypeError} when it is not such a text.
 */
export function checkedScopeKey(scopeKey: string): string {
  if (typeof scopeKey !== "string") {
    throw new TypeError(`A scope's key must be a string, not ${typeName(scopeKey)}.`);
  }
  if (!scopeKey.isWellFormed()) {
    throw new TypeError(
      "A scope's key must be well-formed Unicode; this one has a lone surrogate.",
    );
  }
  return scopeKey;
}
