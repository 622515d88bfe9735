/**
 * Where the characters of a draft stand at a terminal. Pure; writes nothing.
 */
import { displayWidth, escapeControls } from "../terminal_text.ts";
import type { Draft } from "./edit.ts";

/** Rows to be shown, and where the cursor stands in them. */
export interface Layout {
  /** The rows, fit to be shown; none is wider than the terminal less one column. */
  readonly rows: readonly string[];
  /** Row of the cursor, from 0. */
  readonly cursorRow: number;
  /** Column of the cursor, from 0. */
  readonly cursorColumn: number;
}

/** The room that there is. */
export interface LayoutRoom {
  /** What stands before the text. */
  readonly prompt: string;
  /** Columns of the terminal. */
  readonly columns: number;
  /** Rows to be shown at most; those around the cursor are. */
  readonly maxRows: number;
}

/**
 * Lays a draft out in rows. Only what can be seen is looked at, so that a pasted file does not slow down every key.
 */
export function layoutDraft({ text, cursor }: Draft, room: LayoutRoom): Layout {
  // One column stays free: a terminal that wraps after the last one would put the cursor where it is not expected.
  const width = Math.max(4, room.columns - 1);
  const reach = width * room.maxRows;
  const from = cursor > reach ? characterStart(text, cursor - reach) : 0;
  const seen = text.slice(from, cursor + reach);
  const rows: string[] = [];
  let row = from === 0 ? room.prompt : "";
  let used = displayWidth(row);
  let cursorRow = 0;
  let cursorColumn = 0;
  let at = from;
  function wrap(): void {
    rows.push(row);
    row = "";
    used = 0;
  }
  for (const character of seen) {
    const shown = character === "\n" ? "" : character === "\t" ? "    " : escapeControls(character);
    const needed = displayWidth(shown);
    if (used + needed > width) wrap();
    if (at === cursor) [cursorRow, cursorColumn] = [rows.length, used];
    if (character === "\n") {
      wrap();
      row = " ".repeat(displayWidth(room.prompt));
      used = row.length;
    }
    row += shown;
    used += needed;
    at += character.length;
  }
  if (at === cursor) {
    if (used >= width) wrap();
    [cursorRow, cursorColumn] = [rows.length, used];
  }
  rows.push(row);
  const top = Math.max(
    0,
    Math.min(cursorRow - Math.floor(room.maxRows / 2), rows.length - room.maxRows),
  );
  return {
    rows: rows.slice(top, top + room.maxRows),
    cursorRow: cursorRow - top,
    cursorColumn,
  };
}

function characterStart(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at + 1 : at;
}
