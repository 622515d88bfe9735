/** `require("markdown")` for scripts: Markdown as data, parsed in a process of its run's own, never on the host's thread. */
import type { JsonValue } from "../../../contracts/json.ts";
import type { BuildContext, Capability, Pack } from "../../../contracts/sandbox.ts";
import { type Converter, type ConverterOptions, createConverter } from "../converter/converter.ts";
import type { MarkdownPart } from "../converter/process/message.ts";

const PROMPT =
  `// require("markdown").parse(md: string): MarkdownParts; each part alone: .headings(md), .links(md), …
type MarkdownParts = { frontMatter: any; intro: string; headings: Heading[]; links: { text: string; url: string }[]; codeBlocks: { lang: string; code: string }[]; tables: { headers: string[]; rows: Record<string, string>[] }[]; lists: { items: Item[] }[] };
type Heading = { level: number; text: string; content: string; children: Heading[] };
type Item = { text: string; checked?: boolean; items?: Item[] };`;

const DOCUMENTATION = `const markdown = require("markdown");

markdown.parse(md) reads a Markdown text (CommonMark, GFM tables, task lists and bare links) and gives all parts.
markdown.frontMatter(md), .headings(md), .links(md), .codeBlocks(md), .tables(md), .lists(md) give one part each.

frontMatter  the YAML mapping at the head of the text; null when there is none. parse tells in frontMatterError when it is
             not valid YAML; frontMatter(md) throws then. Whole numbers that JavaScript would round are strings.
intro        the Markdown before the first heading.
headings     a tree. content is the Markdown between the heading and the next one of any level; children are deeper headings.
             Headings in quotes and list items are not told, nor is what looks like one in code.
links        { text, url, title? } in order; references are resolved, images are not links.
codeBlocks   { lang, code }: fenced and indented blocks; lang is the first word behind the fence, or "".
tables       { headers, rows }: a row is an object of cell texts by header. A header that is empty or repeated goes by its number, from 1.
lists        { ordered, items }: an item has text, checked (true or false, tasks only) and items (of the lists in it).

Example: markdown.tables(md)[0].rows.filter((row) => row.Status === "open")`;

const PARTS: readonly MarkdownPart[] = [
  "parse",
  "frontMatter",
  "headings",
  "links",
  "codeBlocks",
  "tables",
  "lists",
];

/** The module: each function asks the host for its part. The bare host function is nothing that scripts need to see. */
const GUEST_SOURCE = `
const api = {};
for (const part of ${JSON.stringify(PARTS)}) {
  api[part] = { [part]: (md) => host.call("markdown", [part, md]) }[part];
}
delete globalThis.markdown;
host.module("markdown", api);`;

/**
 * A capability named `markdown` that lets scripts take Markdown apart: headings as a tree with the text under each, links, code blocks, tables as rows of
 * objects, lists with the state of tasks, front matter.
 *
 * @throws {TypeError} when there is no such option. @throws {RangeError} when one is out of range.
 */
export function markdownCapability(options: ConverterOptions = {}): Capability {
  return markdownCapabilityOn(createConverter(options));
}

/** The same on a converter that other packs share; it stays the caller's to dispose. */
export function markdownCapabilityOn(converter: Converter): Capability {
  return {
    name: "markdown",
    description: "Markdown as data",
    build: (run) => [markdownPack(converter, run)],
  };
}

function markdownPack(converter: Converter, run: BuildContext): Pack {
  return {
    name: "markdown",
    prompt: PROMPT,
    modules: ["markdown"],
    documents: [{
      name: "markdown",
      description: "the module markdown: every function and field",
      text: DOCUMENTATION,
    }],
    guestSource: GUEST_SOURCE,
    functions: [{
      name: "markdown",
      async execute(args, { signal }) {
        const { part, text } = checkedArguments(args);
        const json = await converter.forRun(run.signal).convert({
          name: { call: `markdown.${part}`, input: "the Markdown" },
          task: { type: "markdown", part },
          text,
        }, signal);
        return JSON.parse(json) as JsonValue;
      },
    }],
  };
}

function checkedArguments(
  [part, md]: readonly JsonValue[],
): { readonly part: MarkdownPart; readonly text: string } {
  if (!isPart(part)) throw new TypeError(`markdown has these functions: ${PARTS.join(", ")}`);
  if (typeof md === "string") return { part, text: md };
  const given = md === null ? "null" : Array.isArray(md) ? "an array" : typeof md;
  throw new TypeError(`markdown.${part}(md): md must be a string, not ${given}`);
}

function isPart(value: JsonValue | undefined): value is MarkdownPart {
  return (PARTS as readonly unknown[]).includes(value);
}
