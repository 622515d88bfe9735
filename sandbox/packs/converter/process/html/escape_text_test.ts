import { equal } from "node:assert/strict";
import MarkdownIt from "npm:markdown-it@15.0.3";
import { inlineText, type MarkdownToken } from "../markdown/markdown_token.ts";
import { codeFence, codeSpan, escapeText, escapeUrl, plainText } from "./escape_text.ts";

const parser = new MarkdownIt({ html: true });

function readBack(markdown: string): string {
  const tokens = parser.parse(markdown, {}) as readonly MarkdownToken[];
  return tokens.map((token) => token.type === "inline" ? inlineText(token.children) : token.content)
    .join("");
}

const PIECES = [
  ..."ab*_`[]()<>#+-=|~!\\&;:.01/ \"'$^%",
  ...["&amp;", "&#42;", "1. ", "- ", "# ", "**", "```", "~~~", "---", "===", "|--|", "![", "]("],
  ...["<br>", "<div>", "<!--", "a_b", "http://a.b/c_d_", "    "],
];

Deno.test("escapeText: any text is read back as it was", () => {
  let state = 11;
  const random = (below: number): number => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
  for (let round = 0; round < 5000; round++) {
    let text = "";
    for (let count = 1 + random(10); count > 0; count--) text += PIECES[random(PIECES.length)];
    // White space at the ends of a block means nothing, and the converter has taken it off.
    text = plainText(text).trim();
    equal(readBack(escapeText(text)), text);
  }
});

Deno.test("escapeText: leaves alone what means nothing", () => {
  const text = "snake_case, 2 * 3, a < b, R&D, 10% ~ $5! (see C:\\dir) a-b 1.5";
  equal(escapeText(text), text);
});

Deno.test("plainText: keeps one space of each run and nothing that cannot be seen", () => {
  equal(plainText(" a\u00a0\u2003\t\n b\u00ad\u200b\u{e0041}c\u0000"), " a bc ");
});

Deno.test("codeSpan: holds any run of backticks", () => {
  for (const code of ["a", "`", "a``b`c", "`a`", "  a", "a  ", "`` ` ```"]) {
    equal(parser.parse(`x${codeSpan(code)}x`, {})[1]?.children?.[1]?.content, code);
  }
});

Deno.test("codeFence: is longer than any run inside", () => {
  for (const code of ["a", "```\nb\n```", "a\n``````\n", "~~~"]) {
    equal(parser.parse(codeFence(code, "js"), {})[0]?.content, `${code}\n`);
  }
});

Deno.test("escapeUrl: any destination is read back as it was", () => {
  for (const url of ["a", "a b", "a(b)c", "a)", "(((a)))", "a\\b", "<a>", "a*_b", ""]) {
    parser.normalizeLink = (given) => given;
    const link = parser.parse(`[x](${escapeUrl(url)})`, {})[1]?.children?.[0];
    equal(link?.attrGet("href"), url);
  }
});
