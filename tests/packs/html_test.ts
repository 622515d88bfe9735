import { deepEqual, equal, match, ok } from "node:assert/strict";
import MarkdownIt from "npm:markdown-it@15.0.3";
import { createConverter } from "../../sandbox/packs/converter/converter.ts";
import { htmlCapabilityOn } from "../../sandbox/packs/html/html_capability.ts";
import { readPackagePages } from "./package_pages.ts";
import { bare, type PageFacts, pageFacts } from "./page_facts.ts";
import { runScripts } from "./script_loop.ts";

const parser = new MarkdownIt({ html: true });
parser.validateLink = () => true;
parser.normalizeLink = (url) => url;

/** What a script is given for a piece of HTML, or the error that it catches. */
async function inScript(html: string, expression = "htmlToMarkdown(page())"): Promise<string> {
  await using converter = createConverter();
  const page = {
    name: "page",
    description: "a page",
    build: () => [{
      name: "page",
      prompt: "",
      functions: [{ name: "page", execute: () => html }],
    }],
  };
  const { result } = await runScripts(
    [`function run() { try { answer(${expression}); } catch (error) { answer(String(error)); } }`],
    { capabilities: [htmlCapabilityOn(converter), page] },
  );
  equal(result.status, "completed");
  return result.finalText;
}

Deno.test("htmlToMarkdown in a script", async () => {
  equal(await inScript('<h1>A</h1><p>b <a href="c">d</a>'), "# A\n\nb [d](c)");
});

Deno.test("htmlToMarkdown: Promise.all in an async script", async () => {
  await using converter = createConverter();
  const { result } = await runScripts([
    `async function run() {
      const pages = [1, 2, 3, 4, 5].map((n) => htmlToMarkdown("<h" + n + ">x"));
      answer((await Promise.all(pages)).join());
    }`,
  ], { capabilities: [htmlCapabilityOn(converter)] });
  equal(result.finalText, "# x,## x,### x,#### x,##### x");
});

Deno.test("htmlToMarkdown: what is no string is refused with what to pass", async () => {
  match(
    await inScript("", "htmlToMarkdown({ body: 'x' })"),
    /html must be a string, not object; of a response pass its text\(\)/,
  );
});

Deno.test("htmlToMarkdown: the script goes on after a page that takes too long", async () => {
  await using converter = createConverter({ timeoutMs: 300 });
  const { result } = await runScripts([
    `function run() {
      try { htmlToMarkdown("<blockquote>a<br>b".repeat(40000)); } catch (error) { log(error.message); }
      answer(htmlToMarkdown("<b>on</b>"));
    }`,
  ], { capabilities: [htmlCapabilityOn(converter)] });
  equal(result.finalText, "**on**");
});

for (
  const [name, html] of [
    ["tabs", "<p>\u0000 " + "\t".repeat(100_000) + "\u000b</p>"],
    ["line breaks", "<p>a</p>" + " \n".repeat(200_000)],
    ["spaces of other kinds", "<i>a" + "\u000b\u00a0".repeat(100_000) + "b</i>"],
  ] as const
) {
  Deno.test(`MDN-01: long runs of white space are no work: ${name}`, async () => {
    ok((await inScript(html)).length <= 5);
  });
}

Deno.test("MDN-02: 20,000 images, 20,000 nested elements, 50,000 list items", async () => {
  equal((await inScript('<img src="/i.png">\n'.repeat(20_000))).length, 20_000 * 12 - 1);
  equal(await inScript("<div>".repeat(20_000) + "deep"), "deep");
  const items = await inScript(`<ul>${"<li>x</li>".repeat(50_000)}</ul>`);
  equal(items.split("\n").length, 50_000);
});

Deno.test("MDN-04: pre without code in a list item keeps lines and spaces", async () => {
  const markdown = await inScript("<ul><li>log <pre>a  b\n  c</pre></li><li>next</li></ul>");
  const tokens = parser.parse(markdown, {});
  equal(tokens.filter((token) => token.type === "list_item_open").length, 2);
  equal(tokens.find((token) => token.type === "fence")?.content, "a  b\n  c\n");
  equal(tokens.findLast((token) => token.type === "inline")?.content, "next");
});

Deno.test("MDN-05: pipes and line breaks in cells keep the columns", async () => {
  const html = "<table><tr><th>op</th><th>means</th></tr>" +
    "<tr><td>a | b</td><td>or<br>either</td></tr></table>";
  const tokens = parser.parse(await inScript(html), {});
  deepEqual(
    tokens.flatMap((token) => token.type === "inline" ? [token.content] : []),
    ["op", "means", "a | b", "or<br>either"],
  );
  equal(tokens.filter((token) => token.type === "tr_open").length, 2);
});

Deno.test("MDN-06: code that holds a fence cannot close its own", async () => {
  const code = "```javascript\nfunction run(){}\n```";
  const tokens = parser.parse(await inScript(`<pre><code>${code}</code></pre><p>after</p>`), {});
  deepEqual(tokens.map((token) => token.type), [
    "fence",
    "paragraph_open",
    "inline",
    "paragraph_close",
  ]);
  equal(tokens[0]?.content, `${code}\n`);
});

Deno.test("real pages keep headings, links, tables and code, and show nothing hidden", async (t) => {
  const pages = await readPackagePages();
  ok(pages.length >= 20);
  await using converter = createConverter({ timeoutMs: 60_000 });
  const { signal } = new AbortController();
  const run = converter.forRun(signal);
  const total: PageFacts[] = [];
  for (const { name, html } of pages) {
    await t.step(name, async () => {
      const markdown = await run.convert({
        name: { call: "htmlToMarkdown", input: "the HTML" },
        task: { type: "html" },
        text: html,
      }, signal);
      total.push(checkPage(html, markdown));
    });
  }
  // The checks are worth something: there was much to keep and much to leave out.
  const sum = (count: (facts: PageFacts) => number) =>
    total.reduce((all, facts) => all + count(facts), 0);
  ok(sum((facts) => facts.headings.length) > 500);
  ok(sum((facts) => facts.urls.size) > 500);
  ok(sum((facts) => facts.code.length) > 100);
  ok(sum((facts) => facts.tables) > 20);
  ok(sum((facts) => facts.unseen.length) > 100);
});

function checkPage(html: string, markdown: string): PageFacts {
  const facts = pageFacts(html);
  const tokens = parser.parse(markdown, {});
  const headings = tokens.flatMap((token, at) =>
    token.type === "heading_open" ? [shownText(tokens[at + 1]?.children ?? [])] : []
  );
  deepEqual(headings.filter((text) => text !== ""), facts.headings.map(bare));
  const code = tokens.filter((token) => token.type === "fence");
  deepEqual(code.map((token) => bare(token.content)), facts.code.map(bare));
  equal(tokens.filter((token) => token.type === "table_open").length, facts.tables);
  const urls = new Set(tokens.flatMap((token) => token.children ?? []).map(urlOf));
  for (const url of facts.urls) ok(urls.has(url), `the link to ${url} is lost`);
  const shown = bare(markdown);
  for (const line of facts.unseen) ok(!shown.includes(bare(line)), `it shows: ${line}`);
  return facts;
}

type Token = ReturnType<typeof parser.parse>[number];

function shownText(parts: readonly Token[]): string {
  const texts = parts.filter(({ type }) => ["text", "code_inline", "text_special"].includes(type));
  return bare(texts.map((part) => part.content).join(""));
}

function urlOf(part: Token): string | null {
  return part.type === "link_open" ? String(part.attrGet("href")) : null;
}
