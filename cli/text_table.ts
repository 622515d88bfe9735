/**
 * Lays cells out in columns for a terminal. Pure; the cells are fit to be shown already.
 */
import { displayWidth, padToWidth } from "./terminal_text.ts";

/** Lays rows out under a head, two blanks between columns, no blanks at the ends of lines. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  options: { readonly rightAligned?: readonly number[] } = {},
): string {
  const widths = head.map((title, column) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[column] ?? "")))
  );
  return [head, ...rows].map((row) =>
    row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return options.rightAligned?.includes(column)
        ? " ".repeat(width - displayWidth(cell)) + cell
        : padToWidth(cell, width);
    }).join("  ").trimEnd()
  ).join("\n");
}
