/**
 * What is wrong with a config file, as wrong use of the command: with the place, and with the way out. Pure.
 */
import { CliError } from "../failure.ts";
import { oneLine } from "../terminal_text.ts";

/** A place in a text, counted from 1. */
export interface TextPlace {
  /** The line. */
  readonly line: number;
  /** The character in the line, in UTF-16 units. */
  readonly column: number;
}

/** The failure of a config file that cannot be used. */
export function configError(path: string, message: string, place?: TextPlace): CliError {
  const where = place === undefined ? "" : `:${place.line}:${place.column}`;
  return new CliError("usage", `${oneLine(path, 300)}${where}: ${message}`, {
    hint: "--no-config leaves the file out.",
  });
}

/** Where the character at an offset stands. */
export function placeOf(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
