import { deepEqual, equal, match, ok } from "node:assert/strict";
import { byteLength } from "../../../ext/project/clean_text.ts";
import { openFenceOf } from "../../../ext/project/code_fences.ts";
import { openingOf } from "../../../ext/project/opening_section.ts";
import { longMarkdown, randomNumbers } from "./markdown.ts";

Deno.test("opening: a text that fits is whole, to the byte", () => {
  const text = "# Heading\n\nä ö\n\n## Another\n";
  equal(openingOf(text, byteLength(text)), text);
  equal(openingOf("", 1), "");
});

Deno.test("opening: it ends with a paragraph", () => {
  const text = `# One\n\nfirst first\n\nsecond\nsecond\n\n${"third ".repeat(9)}`;
  equal(openingOf(text, 40), "# One\n\nfirst first\n\nsecond\nsecond");
  equal(openingOf(text, 32), "# One\n\nfirst first");
});

Deno.test("opening: it never ends on a heading of either kind, nor on several", () => {
  const long = "```\n" + "x".repeat(100);
  for (
    const heading of [
      "## Next",
      "## Next\n\n### Deeper",
      "Next\n----",
      "Next\n====\n\n#",
      "  ## Next ##",
    ]
  ) {
    equal(openingOf(`# One\n\ntext\n\n${heading}\n\n${long}`, 60), "# One\n\ntext", heading);
  }
  equal(openingOf(`# One\n\n## Two\n\n${long}`, 60), "");
});

Deno.test("opening: a fence is whole or left out, whatever is in it", () => {
  const fence = "```md\nline\n\n# no heading\n~~~\n````x\n\nline\n```";
  const text = `text\n\n${fence}\n\nbehind behind behind`;
  for (let bytes = 5; bytes < text.length; bytes++) {
    const opening = openingOf(text, bytes);
    const expected = bytes < text.indexOf("behind") - 2
      ? "text"
      : opening.length > text.indexOf("behind")
      ? opening
      : `text\n\n${fence}`;
    equal(opening, expected, String(bytes));
  }
  equal(
    openingOf(`text\n\n- item:\n  \`\`\`\n  never closed\n\n${"x\n\n".repeat(50)}`, 80),
    "text\n\n- item:",
  );
});

Deno.test("opening: a long list ends with an item, a long paragraph with a line, a long line with a word or a character", () => {
  const list = "intro\n\n" + "- an item\n  of two lines\n".repeat(20);
  equal(openingOf(list, 100), "intro\n\n" + "- an item\n  of two lines\n".repeat(3).trimEnd());
  equal(openingOf("one two three\n".repeat(20), 50), "one two three\n".repeat(3).trimEnd());
  equal(openingOf("# T\n\n" + "word ".repeat(50), 21), "# T\n\nword word word");
  equal(openingOf("ää".repeat(50), 9), "ääää");
  equal(openingOf("😀".repeat(50), 10), "😀😀");
});

Deno.test("opening: whatever the text and the bound, it is a beginning within it, outside of fences and on no heading", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const text = longMarkdown(3_000, seed);
    const random = randomNumbers(seed);
    for (let round = 0; round < 40; round++) {
      const bytes = 1 + random(3_200);
      const opening = openingOf(text, bytes);
      const about = `seed ${seed}, ${bytes} bytes: …${JSON.stringify(opening.slice(-80))}`;
      ok(text.startsWith(opening) && byteLength(opening) <= bytes, about);
      if (opening === text) continue;
      equal(openFenceOf(opening), undefined, about);
      const line = opening.split("\n").at(-1) ?? "";
      ok(!/^ {0,3}#|^(?:=+|-+)$/.test(line), about);
      ok(!/^\n(?:=====|---)(?:\n|$)/.test(text.slice(opening.length)), about);
      equal(opening, opening.trimEnd(), about);
      if (bytes > 1_500) ok(byteLength(opening) > bytes / 4, about);
    }
  }
});

Deno.test("opening: hostile lines take no time to speak of", () => {
  const lines = ["`", "~", "#", " ", "> ", "- ", "\t", "=", "a ", "1. ", "<"].map((piece) =>
    piece.repeat(300_000)
  );
  for (const line of [...lines, lines.join("\n"), lines.join("x\n")]) {
    for (const bytes of [4_096, 65_536]) {
      const opening = openingOf(line, bytes);
      ok(byteLength(opening) <= bytes);
    }
    openFenceOf(line);
  }
});

Deno.test("fences: the end is of the same kind and no shorter, and a line of code is none", () => {
  deepEqual(
    ["```\n~~~\n```", "```\n````", "~~~ a\n~~~", "```a`b", "- ```\n  ```"].map(openFenceOf),
    [
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ],
  );
  deepEqual(["````\n```", "```\n``` x", "~~~\n```", "text\n1. ```js"].map(openFenceOf), [
    "````",
    "```",
    "~~~",
    "```",
  ]);
  match(openFenceOf("> ```\n> a") ?? "", /^```$/);
});
