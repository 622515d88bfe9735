/** Tables: which of them hold data and which only arrange a page, and data tables as Markdown. */
import type { MarkupNode } from "./markup_node.ts";

/** What is known of a table beside its cells. */
export interface TableTraits {
  readonly role: string;
  /** Whether a table stands in one of its cells. */
  nested: boolean;
}

const PARTS: ReadonlySet<string> = new Set(["CAPTION", "TABLE", "TD", "TH", "TR"]);

/** Once all of a table is there: makes one that only arranges the page into plain blocks. */
export function settleTable(table: MarkupNode, traits: TableTraits): void {
  if (holdsData(table, traits)) return;
  const parts = [table, ...table.childNodes.flatMap((row) => [row, ...row.childNodes])];
  for (const part of parts) if (PARTS.has(part.nodeName)) part.nodeName = "DIV";
}

/** A table with head cells holds data. Without them, one that holds tables arranges them, and one of a single column is a list of blocks. */
function holdsData(table: MarkupNode, { role, nested }: TableTraits): boolean {
  if (role === "presentation" || role === "none") return false;
  const rows = table.childNodes.filter((node) => node.nodeName === "TR");
  const cells = rows.map((row) => row.childNodes.filter(isCell));
  if (cells.some((row) => row.some((cell) => cell.nodeName === "TH"))) return true;
  return !nested && cells.some((row) => row.length > 1);
}

function isCell(node: MarkupNode): boolean {
  return node.nodeName === "TD" || node.nodeName === "TH";
}

/** The text of a cell, in one line: its blocks and lines are set apart by `<br>`, its pipes escaped. */
export function cellText(content: string): string {
  return content.split("\n").map((line) => line.trim().replace(/^#{1,6} /, ""))
    .filter((line) => line !== "").join("<br>").replaceAll("|", "\\|");
}

/** The Markdown of a data table, whose cells have been rendered. Rows without a head get an empty one: Markdown needs it. */
export function tableText(table: MarkupNode): string {
  const grid = layOut(table);
  const caption = captionText(table);
  if (grid.length === 0) return caption;
  const width = grid.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const first = grid[0]!;
  const head = first.head ? first.cells : [];
  const body = first.head ? grid.slice(1) : grid;
  const lines = [
    rowText([...head, ...new Array<string>(width - head.length).fill("")]),
    `|${" --- |".repeat(width)}`,
    ...body.map((row) => rowText(row.cells)),
  ];
  return `${caption === "" ? "" : `${caption}\n\n`}${lines.join("\n")}`;
}

/** A data table that stands in a cell of another: a line for each row. */
export function innerTableText(table: MarkupNode): string {
  const rows = layOut(table).map(({ cells }) => cells.join(" | "));
  return [captionText(table), ...rows].join("\n");
}

function captionText(table: MarkupNode): string {
  const captions = table.childNodes.filter((node) => node.nodeName === "CAPTION");
  return captions.map((node) => node.facts.rendered ?? "").join("\n\n");
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

interface GridRow {
  readonly cells: readonly string[];
  readonly head: boolean;
}

/** Text of this length is repeated in each row that its cell spans; longer text stands once. */
const REPEATED_LENGTH = 200;

function layOut(table: MarkupNode): GridRow[] {
  const grid: GridRow[] = [];
  const reaching = new Map<number, { readonly text: string; rows: number }>();
  for (const row of table.childNodes) {
    if (row.nodeName !== "TR") continue;
    const cells: string[] = [];
    const given = row.childNodes.filter(isCell);
    const takeReaching = () => {
      for (let above; (above = reaching.get(cells.length)) !== undefined;) {
        if (--above.rows === 0) reaching.delete(cells.length);
        cells.push(above.text);
      }
    };
    for (const cell of given) {
      takeReaching();
      const { rendered = "", columns = 1, rows = 1 } = cell.facts;
      const below = rendered.length > REPEATED_LENGTH ? "" : rendered;
      for (let i = 0; i < columns; i++) {
        if (rows > 1) reaching.set(cells.length, { text: i === 0 ? below : "", rows: rows - 1 });
        cells.push(i === 0 ? rendered : "");
      }
    }
    takeReaching();
    if (cells.length === 0) continue;
    grid.push({ cells, head: row.facts.head === true || isHead(given) });
  }
  return grid;
}

function isHead(cells: readonly MarkupNode[]): boolean {
  return cells.length > 0 && cells.every((cell) => cell.nodeName === "TH");
}
