import { deepEqual, equal, throws } from "node:assert/strict";
import { readMarkdown } from "./read_markdown.ts";

Deno.test("headings: a tree with the Markdown under each", () => {
  const md = "intro\n\n# A *a*\n\ntext\n\n- x\n\n### B\nb\n## C\n# D\n";
  const leaf = { content: "", children: [] };
  deepEqual(readMarkdown(md, "headings"), [
    {
      level: 1,
      text: "A a",
      content: "text\n\n- x",
      children: [
        { level: 3, text: "B", content: "b", children: [] },
        { level: 2, text: "C", ...leaf },
      ],
    },
    { level: 1, text: "D", ...leaf },
  ]);
  equal((readMarkdown(md, "parse") as { intro: string }).intro, "intro");
});

Deno.test("headings: underlined ones count, what looks like one in code, a quote or a list does not", () => {
  const md = "T\n=\n\nU `c` [l](x)\n---\n\n```\n# no\n```\n\n    # no\n\n> # no\n\n- # no\n\n#no\n";
  const [first] = readMarkdown(md, "headings") as { text: string; children: { text: string }[] }[];
  equal(first?.text, "T");
  deepEqual(first?.children.map(({ text }) => text), ["U c l"]);
});

Deno.test("links: written out, by reference, bare, and around an image", () => {
  const md = "[a *b*](u 'T') [c][r] [r] <https://x.y> https://z.w/a_b, www.example.com me@x.y\n\n" +
    "[![alt](i.png)](big) ![n[o](x)](j.png) README.md `[no](x)`\n\n- [d](<e f>)\n\n[r]: /ref\n[s]: /unused";
  deepEqual(readMarkdown(md, "links"), [
    { text: "a b", url: "u", title: "T" },
    { text: "c", url: "/ref" },
    { text: "r", url: "/ref" },
    { text: "https://x.y", url: "https://x.y" },
    { text: "https://z.w/a_b", url: "https://z.w/a_b" },
    { text: "www.example.com", url: "http://www.example.com" },
    { text: "me@x.y", url: "mailto:me@x.y" },
    { text: "alt", url: "big" },
    { text: "d", url: "e f" },
  ]);
});

Deno.test("codeBlocks: fenced with the first word as language, indented, nested, unclosed", () => {
  const md =
    "~~~ts title\na\n\n  b\n~~~\n\n    c\n\n- ````\n  ```\n  ````\n\n> ```js\n> d\n\n```\ne";
  deepEqual(readMarkdown(md, "codeBlocks"), [
    { lang: "ts", code: "a\n\n  b" },
    { lang: "", code: "c" },
    { lang: "", code: "```" },
    { lang: "js", code: "d" },
    { lang: "", code: "e" },
  ]);
});

Deno.test("tables: rows by header, pipes in cells, missing cells, headers that repeat", () => {
  const md = "| a \\| b | `c \\| d` |\n|:--|--:|\n| 1 \\| 2 | [x](y)<br>z |\n| 3 |\n\n" +
    "| n | n | |\n|-|-|-|\n| 1 | 2 | 3 |\n\n| `__proto__` |\n|-|\n| 4 |\n";
  const [first, second, third] = readMarkdown(md, "tables") as { headers: string[] }[];
  deepEqual(first, {
    headers: ["a | b", "c | d"],
    rows: [{ "a | b": "1 | 2", "c | d": "x\nz" }, { "a | b": "3", "c | d": "" }],
  });
  deepEqual(second, { headers: ["n", "n", ""], rows: [{ n: "1", "2": "2", "3": "3" }] });
  equal(JSON.stringify(third), '{"headers":["__proto__"],"rows":[{"__proto__":"4"}]}');
});

Deno.test("lists: nesting, tasks, and all that stands in an item", () => {
  const md =
    "- [ ] a **b**\n- [X] c\n  1. d\n     - [x] e\n  2. f\n- [x]g\n\n  more\n\n  ```\n  code\n  ```\n\n> 3) h\n";
  deepEqual(readMarkdown(md, "lists"), [
    {
      ordered: false,
      items: [
        { text: "a b", checked: false },
        {
          text: "c",
          checked: true,
          items: [{ text: "d", items: [{ text: "e", checked: true }] }, { text: "f" }],
        },
        { text: "[x]g\nmore\ncode" },
      ],
    },
    { ordered: true, items: [{ text: "h" }] },
  ]);
});

Deno.test("frontMatter: a mapping as YAML 1.2 means it", () => {
  const md =
    "---\na: [1, x]\non: no\nid: 12345678901234567890\nday: 2024-01-02\nb:\n  c: null\n---\n# H\n";
  deepEqual(readMarkdown(md, "frontMatter"), {
    a: [1, "x"],
    on: "no",
    id: "12345678901234567890",
    day: "2024-01-02",
    b: { c: null },
  });
  deepEqual((readMarkdown(md, "headings") as { text: string }[]).map(({ text }) => text), ["H"]);
  deepEqual(readMarkdown("---\n---\nx", "frontMatter"), {});
});

Deno.test("frontMatter: two rules and a text are none", () => {
  for (
    const md of ["x", "---\ntext\n---\n", "---\n- a\n---", "---\n*a*: b: c\n---", "--- \nopen: x"]
  ) {
    equal(readMarkdown(md, "frontMatter"), null, md);
  }
  equal((readMarkdown("---\ntext\n---\n", "headings") as unknown[]).length, 1);
});

Deno.test("frontMatter: what is not YAML is said, and the rest is read", () => {
  const md = "---\na: [\n---\n# H";
  throws(() => readMarkdown(md, "frontMatter"), /the front matter is not valid YAML: .*line 2/);
  const parsed = readMarkdown(md, "parse") as { frontMatter: unknown; frontMatterError: string };
  equal(parsed.frontMatter, null);
  equal(parsed.frontMatterError.startsWith("the front matter is not valid YAML"), true);
  const bomb = "---\na: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\n" +
    "d: &d [*c, *c, *c, *c]\ne: [*d, *d, *d, *d]\n---\n";
  throws(() => readMarkdown(bomb, "frontMatter"), /alias/i);
});

Deno.test("a byte order mark, CRLF and lone CR change nothing", () => {
  const md = "---\na: 1\n---\nintro\n\nT\n==\n\n```js\nx\ny\n```\n\n- [x] a\n\n|a|\n|-|\n|1|\n";
  const expected = readMarkdown(md, "parse");
  deepEqual(readMarkdown("\ufeff" + md.replaceAll("\n", "\r\n"), "parse"), expected);
  deepEqual(readMarkdown(md.replaceAll("\n", "\r"), "parse"), expected);
});

Deno.test("nothing in, nothing out", () => {
  deepEqual(readMarkdown("", "parse"), {
    frontMatter: null,
    intro: "",
    headings: [],
    links: [],
    codeBlocks: [],
    tables: [],
    lists: [],
  });
});
