/**
 * Reads the value of an option from text, the same way wherever the text comes from. Pure; what cannot be read throws a `CliError` of type `usage`.
 */
import { usageError } from "./failure.ts";
import type { OptionKind } from "./option_table.ts";
import { oneLine } from "./terminal_text.ts";
import { parseDuration } from "./units.ts";

/** The value of an option that was given. */
export type OptionValue = string | number | true | readonly string[];

/** What an option is called where its value stands, for messages. */
export interface NamedText {
  /** Its name: `--model`. */
  readonly name: string;
  /** How it is given: `--model NAME`. */
  readonly form: string;
  /** The text. */
  readonly text: string;
}

/** Reads the text that was given for an option that takes a value. */
export function readOptionText(
  kind: Exclude<OptionKind, "flag">,
  { name, form, text }: NamedText,
): Exclude<OptionValue, true> {
  switch (kind) {
    case "text":
      if (text === "") throw usageError(`${name} is empty: ${form}`);
      return text;
    case "list": {
      const entries = text.split(",").map((entry) => entry.trim());
      if (entries.includes("")) throw usageError(`${name} holds an empty entry: ${form}`);
      return entries;
    }
    case "positive":
      return wholeNumber(name, text, 1);
    case "count":
      return wholeNumber(name, text, 0);
    case "amount":
      return amount(name, text);
    case "duration": {
      const ms = parseDuration(text);
      // Timers hold 31 bits; a longer one would fire at once.
      if (ms === undefined || ms < 1 || ms > 2 ** 31 - 1) {
        throw usageError(
          `${name} must be a time of at most 24 days like 30m, 90s, 500ms or plain seconds, not ${
            shownValue(text)
          }`,
        );
      }
      return ms;
    }
  }
}

/** A value as messages show it. */
export function shownValue(text: string): string {
  return oneLine(text, 60) || '""';
}

function amount(name: string, text: string): number {
  const value = /^\d+(\.\d+)?$|^\.\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(value)) {
    throw usageError(`${name} must be a number such as 2 or 0.25, not ${shownValue(text)}`);
  }
  return value;
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(value) || value < least) {
    throw usageError(
      `${name} must be a whole number of at least ${least}, not ${shownValue(text)}`,
    );
  }
  return value;
}
