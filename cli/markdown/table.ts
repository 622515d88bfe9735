/** Lays a table out for a number of columns of the terminal: side by side where they fit, else one line a cell. Pure. */
import { type Span, spansWidth, wrapSpans } from "../wrap_text.ts";
import type { Alignment, Table } from "./block.ts";

/** Columns of the terminal below which a column of the table is not squeezed; words would fall apart. */
const LEAST_WIDTH = 8;

const BAR: Span = { text: " │ ", style: "2" };

/** One line of spans. */
export type Line = readonly Span[];

/** Lays a table out. Lines are no wider than `width`, which is 8 at least. */
export function layoutTable(table: Table, width: number): readonly Line[] {
  const widths = columnWidths(table, width);
  return widths === undefined ? asRecords(table, width) : asGrid(table, widths);
}

/** The widths of the columns; `undefined` when they do not fit beside each other. */
function columnWidths({ head, rows }: Table, width: number): readonly number[] | undefined {
  const room = width - BAR.text.length * (head.length - 1);
  if (room < head.length) return undefined;
  const natural = head.map(() => 1);
  const longestWord = head.map(() => 1);
  for (const row of [head, ...rows]) {
    row.forEach((cell, column) => {
      const [line, word] = extent(cell);
      natural[column] = Math.max(natural[column] ?? 1, line);
      longestWord[column] = Math.max(longestWord[column] ?? 1, word);
    });
  }
  return share(room, longestWord, natural) ??
    share(room, natural.map((most) => Math.min(most, LEAST_WIDTH)), natural);
}

/** Gives each column at least `least` and at most `most`, those between the two the same; `undefined` when there is not enough. */
function share(
  room: number,
  least: readonly number[],
  most: readonly number[],
): readonly number[] | undefined {
  const at = (level: number) =>
    least.map((low, column) => Math.max(low, Math.min(level, most[column] ?? low)));
  const sum = (widths: readonly number[]) => widths.reduce((total, one) => total + one, 0);
  if (sum(least) > room) return undefined;
  let low = 0;
  let high = room;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(at(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return at(low);
}

/** The width of a cell's longest line and of its longest word. */
function extent(cell: Line): readonly [number, number] {
  const widest = (width: number) =>
    wrapSpans(cell, { width }).reduce((most, line) => Math.max(most, spansWidth(line)), 0);
  return [widest(Infinity), widest(1)];
}

function asGrid(
  { alignments, head, rows }: Table,
  widths: readonly number[],
): readonly Line[] {
  const rule = [{ text: widths.map((width) => "─".repeat(width)).join("─┼─"), style: "2" }];
  const laid = rows.map((row) => layRow(row, widths, alignments));
  // Where a row takes several lines, it has to be seen where the next one begins.
  const isTall = laid.some((lines) => lines.length > 1);
  return [
    ...layRow(head, widths, alignments),
    rule,
    ...laid.flatMap((lines, index) => isTall && index > 0 ? [rule, ...lines] : lines),
  ];
}

function layRow(
  row: readonly Line[],
  widths: readonly number[],
  alignments: readonly Alignment[],
): readonly Line[] {
  const cells = widths.map((width, column) =>
    wrapSpans(row[column] ?? [], { width, breakWords: true })
  );
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    cells.flatMap((lines, column) => {
      const isLast = column === cells.length - 1;
      const line = lines[index] ?? [];
      const missing = Math.max(0, (widths[column] ?? 0) - spansWidth(line));
      const left = leftOf(alignments[column], missing);
      return [
        ...blanks(left),
        ...line,
        ...isLast ? [] : [...blanks(missing - left), BAR],
      ];
    }));
}

function leftOf(alignment: Alignment | undefined, missing: number): number {
  if (alignment === "right") return missing;
  return alignment === "center" ? Math.floor(missing / 2) : 0;
}

function blanks(count: number): Line {
  return count === 0 ? [] : [{ text: " ".repeat(count), style: "" }];
}

/** A row for each cell, with what its column is called; a blank line between rows. */
function asRecords({ head, rows }: Table, width: number): readonly Line[] {
  const lines: Line[] = [];
  for (const [index, row] of rows.entries()) {
    if (index > 0) lines.push([]);
    row.forEach((cell, column) => lines.push(...layRecord(head[column] ?? [], cell, width)));
  }
  return rows.length > 0
    ? lines
    : head.flatMap((cell) => wrapSpans(cell, { width, breakWords: true }));
}

function layRecord(name: Line, cell: Line, width: number): readonly Line[] {
  const spans = [...name, { text: spansWidth(name) === 0 ? "" : ": ", style: "" }, ...cell];
  return wrapSpans(spans, { width: width - 2, breakWords: true })
    .map((line, index) => index === 0 ? line : [{ text: "  ", style: "" }, ...line]);
}
