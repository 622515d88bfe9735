/** Links and code blocks, wherever they stand. */
import { inlineText, type MarkdownToken } from "./markdown_token.ts";

/** A link: written out, by reference, or bare. */
export interface Link {
  readonly text: string;
  readonly url: string;
  readonly title?: string;
}

/** A fenced or indented block. */
export interface CodeBlock {
  /** The first word behind the fence; "" when there is none. */
  readonly lang: string;
  /** The code without its last line break. */
  readonly code: string;
}

/** Reads the links. References are resolved; images are none, but may be what a link shows. */
export function readLinks(tokens: readonly MarkdownToken[]): Link[] {
  return tokens.flatMap((token) => token.type === "inline" ? linksIn(token.children ?? []) : []);
}

function linksIn(parts: readonly MarkdownToken[]): Link[] {
  const links: Link[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!;
    if (part.type !== "link_open") continue;
    let end = at + 1;
    while (end < parts.length && parts[end]!.type !== "link_close") end++;
    const inside = parts.slice(at + 1, end);
    const text = inlineText(inside);
    const title = part.attrGet("title");
    if (part.markup === "linkify" && !isBareLink(text)) continue;
    links.push({ text, url: part.attrGet("href") ?? "", ...(title && { title }) });
  }
  return links;
}

/** GFM takes bare text for a link when it says that it is one; the parser also takes names of files that end like a domain. */
function isBareLink(text: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|www\.)/i.test(text) || text.includes("@");
}

/** Reads the code blocks. */
export function readCodeBlocks(tokens: readonly MarkdownToken[]): CodeBlock[] {
  return tokens.flatMap((token) => {
    if (token.type !== "fence" && token.type !== "code_block") return [];
    const lang = token.type === "fence" ? token.info.trim().split(/\s/, 1)[0] ?? "" : "";
    return [{ lang, code: token.content.replace(/\n$/, "") }];
  });
}
