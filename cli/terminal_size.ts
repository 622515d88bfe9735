/**
 * How large the terminal is, and whether it takes styles.
 */
import { readVariable } from "./environment.ts";
import type { CliOptions } from "./option_table.ts";

/** Columns and rows of the terminal at this moment; 80 and 24 where it does not tell. */
export function terminalSize(): { readonly columns: number; readonly rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    // A terminal that was never told its size says 0.
    return { columns: columns || 80, rows: rows || 24 };
  } catch {
    return { columns: 80, rows: 24 };
  }
}

/** Whether a terminal can be told to draw, and where. */
export function isDumb(): boolean {
  return readVariable("TERM") === "dumb";
}

/** Whether what goes to a terminal may have styles. */
export function mayStyle({ noColor }: Pick<CliOptions, "noColor">): boolean {
  return !isDumb() && !noColor && readVariable("NO_COLOR") === undefined;
}
