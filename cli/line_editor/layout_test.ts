import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { displayWidth, escapeControls } from "../terminal_text.ts";
import { layoutDraft } from "./layout.ts";

function layout(text: string, cursor: number, columns = 11, maxRows = 10) {
  return layoutDraft({ text, cursor, cut: "" }, { prompt: "> ", columns, maxRows });
}

Deno.test("text wraps one column before the edge, and the cursor goes with it", () => {
  deepStrictEqual(layout("", 0), { rows: ["> "], cursorRow: 0, cursorColumn: 2 });
  deepStrictEqual(layout("abcdefg", 7), { rows: ["> abcdefg"], cursorRow: 0, cursorColumn: 9 });
  deepStrictEqual(layout("abcdefgh", 8), {
    rows: ["> abcdefgh", ""],
    cursorRow: 1,
    cursorColumn: 0,
  });
  deepStrictEqual(layout("abcdefgh", 3).cursorColumn, 5);
});

Deno.test("lines begin under the text of the first, wide and unsafe characters take the columns that they are shown in", () => {
  deepStrictEqual(layout("ab\ncd", 4), { rows: ["> ab", "  cd"], cursorRow: 1, cursorColumn: 3 });
  deepStrictEqual(layout("日本\x1b", 3), {
    rows: ["> 日本\\x1b", ""],
    cursorRow: 1,
    cursorColumn: 0,
  });
});

Deno.test("of a text that is higher than the terminal the rows around the cursor are shown", () => {
  const text = Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n");
  deepStrictEqual(layout(text, text.length, 40, 3).rows, ["  line 47", "  line 48", "  line 49"]);
  deepStrictEqual(layout(text, 0, 40, 3).rows, ["> line 0", "  line 1", "  line 2"]);
  const middle = layout(text, text.indexOf("line 25"), 40, 3);
  strictEqual(middle.rows[middle.cursorRow], "  line 25");
});

Deno.test("whatever the text, no row is too wide and the cursor stands within the rows", () => {
  const random = seeded(11);
  for (let round = 0; round < 500; round++) {
    const characters = ["a", "日", "\n", "e\u0301", "\x1b", "👩‍👩‍👧", "\t", " "];
    const parts = Array.from(
      { length: Math.floor(random() * 80) },
      () => characters[Math.floor(random() * characters.length)] ?? "",
    );
    const text = parts.join("");
    const cursor = parts.slice(0, Math.floor(random() * (parts.length + 1))).join("").length;
    const columns = 10 + Math.floor(random() * 30);
    const maxRows = 1 + Math.floor(random() * 8);
    const { rows, cursorRow, cursorColumn } = layout(text, cursor, columns, maxRows);
    const told = JSON.stringify({ text, cursor, columns, maxRows, rows, cursorRow, cursorColumn });
    ok(rows.length >= 1 && rows.length <= maxRows, told);
    ok(cursorRow >= 0 && cursorRow < rows.length, told);
    ok(cursorColumn < columns, told);
    ok(cursorColumn <= displayWidth(rows[cursorRow] ?? ""), told);
    for (const row of rows) {
      ok(displayWidth(row) < columns, told);
      strictEqual(escapeControls(row), row);
    }
  }
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}
