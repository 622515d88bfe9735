import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { displayWidth } from "./terminal_text.ts";
import { cutIntoPieces, wrapSpans, wrapWords } from "./wrap_text.ts";

Deno.test("words keep together, and blanks at which a line is broken are gone", () => {
  deepStrictEqual(wrapWords("one two  three", 8), ["one two", "three"]);
  deepStrictEqual(wrapWords("  a  bc de", 6, "    "), ["  a", "    bc", "    de"]);
  deepStrictEqual(wrapWords("toolongforit x", 5), ["toolo", "ngfor", "it x"]);
  deepStrictEqual(wrapWords("", 5), [""]);
  deepStrictEqual(wrapWords("a\nb", 5), ["a", "b"]);
});

Deno.test("a word goes on through a change of style", () => {
  const spans = [{ text: "see b", style: "" }, { text: "ol", style: "1" }, {
    text: "d.",
    style: "",
  }];
  deepStrictEqual(wrapSpans(spans, { width: 6 }), [
    [{ text: "see", style: "" }],
    [{ text: "b", style: "" }, { text: "ol", style: "1" }, { text: "d.", style: "" }],
  ]);
});

Deno.test("whatever the text, no line is too wide and nothing but blanks is lost", () => {
  let state = 5;
  const below = (end: number) => {
    state = Math.imul(state, 1664525) + 1013904223 >>> 0;
    return Math.floor(state / 2 ** 32 * end);
  };
  const parts = ["a", "bcd", " ", "  ", "\n", "日", "。", "e\u0301", "👩‍👩‍👧", "⚠️", "-"];
  for (let round = 0; round < 1000; round++) {
    const text = Array.from({ length: below(60) }, () => parts[below(parts.length)]).join("");
    const width = 4 + below(30);
    const lines = wrapWords(text, width);
    for (const line of lines) {
      ok(displayWidth(line) <= width, JSON.stringify({ text, width, line }));
    }
    strictEqual(lines.join("").replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""));
    const [line = ""] = text.split("\n");
    const pieces = cutIntoPieces(line, width);
    for (const piece of pieces) ok(displayWidth(piece) <= width);
    strictEqual(pieces.join(""), line);
  }
});
