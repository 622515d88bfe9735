import { strictEqual } from "node:assert/strict";
import { cutToWidth, displayWidth, escapeControls, oneLine } from "./terminal_text.ts";

Deno.test("control characters become visible, text stays", () => {
  strictEqual(escapeControls("a\x1b[2J\x07\x9bb\x7f"), "a\\x1b[2J\\x07\\x9bb\\x7f");
  strictEqual(escapeControls("a\r\nb\rc\td"), "a\nb\\x0dc\td");
  strictEqual(escapeControls("x\u202ey\u2066z"), "x\\u202ey\\u2066z");
  strictEqual(escapeControls("a\u061cb\u200ec\u200fd"), "a\\u061cb\\u200ec\\u200fd");
  strictEqual(escapeControls("a\u2028b\u2029c"), "a\\u2028b\\u2029c");
  strictEqual(escapeControls("naïve 日本 👩‍👩‍👧"), "naïve 日本 👩‍👩‍👧");
});

Deno.test("one line holds no line break and no control character, whatever comes in", () => {
  const random = seeded(7);
  for (let round = 0; round < 500; round++) {
    const text = Array.from(
      { length: Math.floor(random() * 60) },
      () => String.fromCodePoint(Math.floor(random() ** 3 * 0xd7ff)),
    ).join("");
    const width = 1 + Math.floor(random() * 40);
    const line = oneLine(text, width);
    strictEqual(escapeControls(line), line);
    strictEqual(/[\n\t]/.test(line), false);
    strictEqual(displayWidth(line) <= width, true, JSON.stringify({ text, width, line }));
  }
});

Deno.test("a cut line says so and keeps what fits", () => {
  strictEqual(cutToWidth("abcdef", 6), "abcdef");
  strictEqual(cutToWidth("abcdefg", 6), "abcde…");
  strictEqual(cutToWidth("日本語日本語", 5), "日本…");
  strictEqual(displayWidth("e\u0301"), 1);
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}
