import { deepEqual } from "node:assert/strict";
import { eachLine } from "./each_line.ts";

function linesOf(text: string): [line: string, ending: string][] {
  const lines: [string, string][] = [];
  eachLine(text, (line, ending) => void lines.push([line, ending]));
  return lines;
}

Deno.test("eachLine tells each line with what ends it", () => {
  deepEqual(linesOf("a\nb\r\nc\rd"), [["a", "\n"], ["b", "\r\n"], ["c", "\r"], ["d", ""]]);
  deepEqual(linesOf("\n\r\n\r"), [["", "\n"], ["", "\r\n"], ["", "\r"]]);
  deepEqual(linesOf(""), []);
});

Deno.test("eachLine finds in every short text what a pattern finds, and leaves nothing out", () => {
  const letters = ["x", "\n", "\r"];
  let texts = [""];
  for (let length = 0; length <= 7; length++) {
    for (const text of texts) {
      const lines = linesOf(text);
      deepEqual(lines.map(([line, ending]) => line + ending).join(""), text);
      const expected = text.split(/\r\n|\n|\r/);
      // Behind the last line end is no line.
      if (expected.at(-1) === "") expected.pop();
      deepEqual(lines.map(([line]) => line), expected, JSON.stringify(text));
    }
    texts = texts.flatMap((text) => letters.map((letter) => text + letter));
  }
});
