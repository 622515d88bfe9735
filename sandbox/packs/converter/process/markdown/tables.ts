/** Tables as rows of objects. */
import { inlineText, type MarkdownToken } from "./markdown_token.ts";

/** A table. */
export interface Table {
  /** The head's texts, in order. */
  readonly headers: string[];
  /** A row is its cells' texts by header. A header that is empty or was there before goes by its number, from 1. */
  readonly rows: { readonly [header: string]: string }[];
}

/** Reads the tables, wherever they stand. Cells that are missing are "". */
export function readTables(tokens: readonly MarkdownToken[]): Table[] {
  const tables: Table[] = [];
  let rows: string[][] = [];
  tokens.forEach((token, at) => {
    switch (token.type) {
      case "table_open":
        rows = [];
        return;
      case "tr_open":
        rows.push([]);
        return;
      case "th_open":
      case "td_open":
        rows.at(-1)!.push(inlineText(tokens[at + 1]!.children));
        return;
      case "table_close":
        tables.push(toTable(rows));
    }
  });
  return tables;
}

function toTable([headers = [], ...rows]: readonly string[][]): Table {
  const keys = new Set<string>();
  headers.forEach((header, at) => {
    let key = header === "" || keys.has(header) ? String(at + 1) : header;
    while (keys.has(key)) key += "'";
    keys.add(key);
  });
  const names = [...keys];
  return {
    headers,
    rows: rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""]))),
  };
}
