// deno-lint-ignore-file no-control-regex -- a terminal is told what to do by control characters
import { deepStrictEqual, doesNotMatch, ok, strictEqual } from "node:assert/strict";
import { displayWidth, escapeControls } from "../terminal_text.ts";
import { MAX_RENDERED_LENGTH, renderMarkdown } from "./render_markdown.ts";

function rendered(text: string, columns: number = 40): string[] {
  return renderMarkdown(text, { columns, color: false }).split("\n");
}

Deno.test("markdown: emphasis is a style, or the mark that was written", () => {
  const text = "## A *b*\n\n**c *d*** ~~e~~ `f`";
  deepStrictEqual(rendered(text), ["## A *b*", "", "**c *d*** ~~e~~ `f`"]);
  strictEqual(
    renderMarkdown(text, { columns: 40, color: true }),
    "\x1b[1mA \x1b[0m\x1b[1;3mb\x1b[0m\n\n" +
      "\x1b[1mc \x1b[0m\x1b[1;3md\x1b[0m \x1b[9me\x1b[0m \x1b[36mf\x1b[0m",
  );
});

Deno.test("markdown: a link shows its address unless that is its text", () => {
  deepStrictEqual(
    rendered(
      "[a](https://x.test/) <https://y.test/> <me@z.test> [](u) [b][1]\n\n[1]: /v 'title'",
      100,
    ),
    ["a (https://x.test/) https://y.test/ me@z.test u b (/v)"],
  );
  // What a link seems to lead to is not where it leads.
  deepStrictEqual(rendered("[https://good.test/](https://evil.test/)", 100), [
    "https://good.test/ (https://evil.test/)",
  ]);
  deepStrictEqual(rendered("![seen](a.png) [![](b.png)](c)", 100), [
    "[image: seen] (a.png) [image] (b.png) (c)",
  ]);
});

Deno.test("markdown: lists keep their numbers, their levels and their tasks", () => {
  deepStrictEqual(
    rendered("9. a\n10. b\n    - c\n      - d\n        - e\n\n---\n\n- [ ] f\n- [X] **g**\n\n  h"),
    [
      " 9. a",
      "10. b",
      "    ◦ c",
      "      ▪ d",
      "        • e",
      "",
      "─".repeat(39),
      "",
      "• [ ] f",
      "",
      "• [x] **g**",
      "",
      "  h",
    ],
  );
});

Deno.test("markdown: lines end where they were meant to, and where the width does", () => {
  deepStrictEqual(rendered("one\ntwo  \nthree\\\nfour<br>five"), [
    "one two",
    "three",
    "four",
    "five",
  ]);
  deepStrictEqual(rendered("> > quoted text that goes on and on to the end"), [
    "│ │ quoted text that goes on and on to",
    "│ │ the end",
  ]);
  deepStrictEqual(rendered("日本語は空白なしで折り返す。「はい」", 13), [
    "日本語は空白",
    "なしで折り返",
    "す。「はい」",
  ]);
  deepStrictEqual(rendered(`see ${"x".repeat(60)} there`), ["see", "x".repeat(60), "there"]);
  deepStrictEqual(rendered("e\u0301".repeat(30) + " " + "👩‍👩‍👧".repeat(5), 31), [
    "e\u0301".repeat(30),
    "👩‍👩‍👧".repeat(5),
  ]);
});

Deno.test("markdown: code is never broken, and its tabs are blanks", () => {
  deepStrictEqual(rendered("```\na\tb\n\n\t日\tc\n" + "x".repeat(50) + "\n```\n\n    indented"), [
    "  a   b",
    "",
    "      日  c",
    "  " + "x".repeat(50),
    "",
    "  indented",
  ]);
});

Deno.test("markdown: a table fits, by breaking its cells or by a line for each of them", () => {
  const table =
    "| item | said of it |\n|:-:|---|\n| a | some words that need two lines |\n| bb | x |";
  deepStrictEqual(rendered(table, 30), [
    "item │ said of it",
    "─────┼───────────────────────",
    " a   │ some words that need",
    "     │ two lines",
    "─────┼───────────────────────",
    " bb  │ x",
  ]);
  deepStrictEqual(
    rendered("|one|two|three|four|\n|-|-|-|-|\n|1111111111|22222222222|3333333333|4|", 24),
    [
      "one: 1111111111",
      "two: 22222222222",
      "three: 3333333333",
      "four: 4",
    ],
  );
});

Deno.test("markdown: control characters are shown, wherever they stand and however they are written", () => {
  const evil = "\x1b[2J\x07\x9b\u202e&#x202e;&#8238;";
  const text = [
    evil,
    `# ${evil}`,
    `- ${evil}`,
    `> ${evil}`,
    `\`${evil}\``,
    `\`\`\`\n${evil}\n\`\`\``,
    `    ${evil}`,
    `|${evil}|\n|-|\n|${evil}|`,
    `[${evil}](<${evil}>) ![${evil}](<${evil}>)`,
    `<b title="${evil}">`,
    `<div>\n${evil}\n</div>`,
  ].join("\n\n");
  for (const color of [false, true]) {
    const shown = renderMarkdown(text, { columns: 60, color });
    doesNotMatch(
      shown.replaceAll(/\x1b\[[\d;]+m/g, ""),
      /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/,
    );
    strictEqual(shown.includes("\x1b[2J"), false);
  }
});

Deno.test("markdown: a text of which nothing would be seen is shown as it is", () => {
  deepStrictEqual(rendered("[a]: https://x.test/"), ["[a]: https://x.test/"]);
  deepStrictEqual(rendered(""), [""]);
});

Deno.test("markdown: what is too large or too deep is shown as it is, and nothing takes long or overflows the stack", () => {
  const asTheyAre = [
    "> ".repeat(100_000),
    "*".repeat(1_000_000),
    "> ".repeat(50) + "x",
    "word ".repeat(MAX_RENDERED_LENGTH / 5 + 2).trimEnd(),
    Array.from({ length: 30 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n"),
  ];
  for (const text of asTheyAre) {
    ok(renderMarkdown(text, { columns: 40, color: true }) === text, text.slice(0, 20));
  }
  const length = MAX_RENDERED_LENGTH;
  const rendered = [
    `|${"a|".repeat(10_000)}\n|${"-|".repeat(10_000)}\n|${"b|".repeat(10_000)}`,
    "*a ".repeat(length / 6) + " a*".repeat(length / 6),
    "![".repeat(length / 2),
    "`".repeat(length),
    `\`\`\`\n${"\t".repeat(length - 10)}x`,
    `    ${" ".repeat(length / 2)}x`,
    `a${" ".repeat(length / 2)}b`,
    `|a|\n|-|\n|${"a ".repeat(length / 4)}|`,
    "a\u0301".repeat(length / 2),
    "\u200d".repeat(length),
  ];
  for (const text of rendered) ok(renderMarkdown(text, { columns: 40, color: true }) !== "");
});

/** Random texts of words that are all different, so that one which is lost is missed. */
class Writer {
  readonly words: { readonly stem: string; readonly word: string }[] = [];
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(end: number): number {
    this.#state = Math.imul(this.#state, 1664525) + 1013904223 >>> 0;
    return Math.floor(this.#state / 2 ** 32 * end);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  word(): string {
    const stem = `w${this.words.length}x`;
    const word = stem + this.pick(["", "longer", "日本語", "e\u0301"]);
    this.words.push({ stem, word });
    return this.pick([
      (text: string) => text,
      (text: string) => `**${text}**`,
      (text: string) => `*${text}*`,
      (text: string) => `\`${text}\``,
      (text: string) => `[${text}](https://x.test/${text})`,
      (text: string) => `${text}\x1b[31m\u202e`,
      (text: string) => `${text} &amp; 👍🏽 ⚠️`,
    ])(word);
  }

  line(most: number = 12): string {
    return Array.from({ length: 1 + this.below(most) }, () => this.word()).join(" ");
  }

  block(depth: number = 0): string {
    const inner = () => depth < 3 ? this.block(depth + 1) : this.line();
    const row = (cells: number) =>
      `|${Array.from({ length: cells }, () => this.line(5)).join("|")}|`;
    const cells = 1 + this.below(5);
    return this.pick([
      () => this.line(30),
      () => `${"#".repeat(1 + this.below(6))} ${this.line()}`,
      () => inner().split("\n").map((line) => `> ${line}`).join("\n"),
      () =>
        Array.from(
          { length: 1 + this.below(3) },
          () => `- ${this.pick(["", "[ ] ", "[x] "])}${inner().replaceAll("\n", "\n  ")}`,
        ).join(this.pick(["\n", "\n\n"])),
      () => `7. ${inner().replaceAll("\n", "\n   ")}`,
      () => `${row(cells)}\n|${":-:|".repeat(cells)}\n${row(cells)}\n${row(cells)}`,
      () => `${this.line()}  \n${this.line()}\n\n---`,
    ])();
  }
}

Deno.test("markdown: random texts fit the width, lose no word and hold no control character", () => {
  for (let seed = 1; seed <= 400; seed++) {
    const writer = new Writer(seed);
    const text = Array.from({ length: 1 + writer.below(4) }, () => writer.block()).join("\n\n");
    const columns = 30 + writer.below(70);
    for (const color of [false, true]) {
      const shown = renderMarkdown(text, { columns, color }).replaceAll(/\x1b\[[\d;]+m/g, "");
      const about = () => JSON.stringify({ seed, columns, text, shown });
      strictEqual(escapeControls(shown), shown, about());
      for (const line of shown.split("\n")) {
        const words = line.replaceAll(/[│•◦▪]|\d+\.|\[[ x]\]/g, " ").trim().split(/\s+/);
        ok(displayWidth(line) < columns || words.length === 1, about());
      }
      const letters = shown.replaceAll(/[\s│]/g, "");
      // In a narrow column of a table a word may be broken, but not its first characters.
      const isWhole = !text.includes("|");
      for (const { stem, word } of writer.words) {
        ok(letters.includes(isWhole ? word : stem), `${word} in ${about()}`);
      }
    }
  }
});
