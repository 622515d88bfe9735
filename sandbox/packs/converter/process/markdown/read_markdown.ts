/**
 * Markdown as data: CommonMark with GFM's tables, task lists and bare links, and front matter. Parsed by markdown-it; what it finds is told as plain values.
 * The bare imports name versions of what the packages stand on: the process runs without a lock file and finds only what its parent has fetched.
 */
import "npm:argparse@3.0.4/package.json" with { type: "json" };
import "npm:entities@8.1.0/decode";
import "npm:linkify-it@6.1.0";
import "npm:mdurl@2.1.0";
import "npm:punycode.js@2.3.1";
import "npm:uc.micro@3.0.0";
import MarkdownIt from "npm:markdown-it@15.0.3";
import type { MarkdownPart } from "../message.ts";
import { takeFrontMatter } from "./front_matter.ts";
import { readCodeBlocks, readLinks } from "./inline_parts.ts";
import { readLists } from "./lists.ts";
import type { MarkdownToken } from "./markdown_token.ts";
import { readOutline } from "./outline.ts";
import { readTables } from "./tables.ts";

/**
 * Reads one part of a text, or all of them.
 *
 * @throws {Error} when front matter is asked for that is not YAML.
 */
export function readMarkdown(text: string, part: MarkdownPart): unknown {
  const { frontMatter, error, body } = takeFrontMatter(normalized(text));
  if (part === "frontMatter") {
    if (error !== undefined) throw new Error(error);
    return frontMatter;
  }
  const tokens = parseBlocks(body);
  switch (part) {
    case "headings":
      return readOutline(tokens, body).headings;
    case "links":
      return readLinks(tokens);
    case "codeBlocks":
      return readCodeBlocks(tokens);
    case "tables":
      return readTables(tokens);
    case "lists":
      return readLists(tokens);
    case "parse":
      return {
        frontMatter,
        ...(error !== undefined && { frontMatterError: error }),
        ...readOutline(tokens, body),
        links: readLinks(tokens),
        codeBlocks: readCodeBlocks(tokens),
        tables: readTables(tokens),
        lists: readLists(tokens),
      };
  }
}

/** As the parser counts lines: without a byte order mark, every line break one character. */
function normalized(text: string): string {
  return text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
}

function parseBlocks(body: string): readonly MarkdownToken[] {
  const parser = new MarkdownIt({ html: true, linkify: true });
  // Finds what begins with `www.`, and more, which is not told.
  parser.linkify.set({ fuzzyLink: true });
  // Nothing is rendered: a link is told as it stands.
  parser.validateLink = () => true;
  parser.normalizeLink = (url: string) => url;
  parser.normalizeLinkText = (text: string) => text;
  return parser.parse(body, {}) as readonly MarkdownToken[];
}
