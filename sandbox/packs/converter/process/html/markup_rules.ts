/** How each kind of element is written in Markdown. What is not here is written as Turndown does it. */
import { codeFence, codeSpan, escapeText, escapeUrl } from "./escape_text.ts";
import type { MarkupNode } from "./markup_node.ts";
import { cellText, innerTableText, tableText } from "./settle_table.ts";

/** A rule: the elements that it is for, and what they become. `content` is what is in them, already converted. */
export interface MarkupRule {
  readonly name: string;
  readonly filter: string | readonly string[] | ((node: MarkupNode) => boolean);
  readonly replacement: (content: string, node: MarkupNode) => string;
}

/** The rules. */
export const MARKUP_RULES: readonly MarkupRule[] = [
  { name: "break", filter: "br", replacement: writeBreak },
  { name: "heading", filter: ["h1", "h2", "h3", "h4", "h5", "h6"], replacement: writeHeading },
  { name: "item", filter: "li", replacement: writeItem },
  { name: "list", filter: ["ol", "ul"], replacement: writeList },
  {
    name: "code",
    filter: "code",
    replacement: (_content, node) => codeSpan(node.textContent.trim()),
  },
  { name: "quote", filter: "blockquote", replacement: writeQuote },
  { name: "block of code", filter: "pre", replacement: writeCodeBlock },
  { name: "link", filter: "a", replacement: writeLink },
  { name: "image", filter: "img", replacement: writeImage },
  { name: "checkbox", filter: "input", replacement: writeCheckbox },
  {
    name: "rule",
    filter: "hr",
    replacement: (_content, node) => isInCell(node) ? "" : "\n\n***\n\n",
  },
  { name: "strong", filter: "strong", replacement: (text, node) => mark(text, "**", node) },
  { name: "emphasis", filter: "em", replacement: (text, node) => mark(text, "*", node) },
  { name: "deleted", filter: "del", replacement: (text, node) => mark(text, "~~", node) },
  { name: "quoted", filter: "q", replacement: (text) => `“${text}”` },
  { name: "raised", filter: ["sub", "sup"], replacement: writeRaised },
  { name: "cell", filter: ["td", "th"], replacement: keepCell },
  { name: "caption", filter: "caption", replacement: keepCaption },
  { name: "row", filter: "tr", replacement: () => "" },
  { name: "table", filter: "table", replacement: writeTable },
];

const BLOCKS: ReadonlySet<string> = new Set(
  "BLOCKQUOTE CAPTION DIV H1 H2 H3 H4 H5 H6 HR LI OL P PRE TABLE TD TH UL".split(" "),
);

/** A break beside a block or at one of its ends breaks nothing; several of them end the paragraph. */
function writeBreak(_content: string, node: MarkupNode): string {
  const { previousSibling: before, nextSibling: after, parentNode: parent } = node;
  const isAtEdge = (before === null || after === null) && parent?.isBlock === true;
  const isBesideBlock = BLOCKS.has(before?.nodeName ?? "") || BLOCKS.has(after?.nodeName ?? "");
  if (isAtEdge || isBesideBlock || before?.nodeName === "BR") return "";
  return after?.nodeName === "BR" ? "\n\n" : "  \n";
}

function writeHeading(content: string, node: MarkupNode): string {
  // What looks like a closing sequence would be taken away.
  const text = oneLine(content).replace(/(^|\s)(#+)$/, "$1\\$2");
  return text === "" ? "" : `\n\n${"#".repeat(Number(node.nodeName[1]))} ${text}\n\n`;
}

function writeList(content: string, node: MarkupNode): string {
  const inItem = node.parentNode?.nodeName === "LI";
  return inItem && node.nextSibling === null ? `\n${content}` : `\n\n${content}\n\n`;
}

function writeItem(content: string, node: MarkupNode): string {
  const prefix = `${node.facts.marker ?? "-"} `;
  const isLoose = content.endsWith("\n");
  const lines = trimLines(content).split("\n");
  const indent = " ".repeat(prefix.length);
  const text = lines.map((line, i) => i === 0 || line === "" ? line : indent + line).join("\n");
  return `${(prefix + text).trimEnd()}${isLoose ? "\n" : ""}${
    node.nextSibling === null ? "" : "\n"
  }`;
}

function writeQuote(content: string): string {
  const lines = trimLines(content).split("\n").map((line) => line === "" ? ">" : `> ${line}`);
  return `\n\n${lines.join("\n")}\n\n`;
}

function writeCodeBlock(_content: string, node: MarkupNode): string {
  const { code = "", language = "" } = node.facts;
  if (!isInCell(node)) return `\n\n${codeFence(code, language)}\n\n`;
  return `\n\n${code.split("\n").map(codeSpan).join("\n")}\n\n`;
}

/** A link around blocks keeps its text in one line; around a heading it stands in the heading. */
function writeLink(content: string, node: MarkupNode): string {
  const { url = "", label = "" } = node.facts;
  if (url === "") return content;
  const text = content.trim() === "" ? escapeText(label) : content;
  if (text === "") return "";
  if (!text.includes("\n")) return `[${text}](${escapeUrl(url)})`;
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const heading = lines.length === 1 ? /^#{1,6} /.exec(lines[0]!)?.[0] ?? "" : "";
  const words = lines.map((line) => line.replace(/^#{1,6} /, "")).join(" ");
  const link = `[${words}](${escapeUrl(url)})`;
  return `\n\n${heading}${link}\n\n`;
}

function writeImage(_content: string, node: MarkupNode): string {
  const { url = "", label = "" } = node.facts;
  return url === "" ? escapeText(label) : `![${escapeText(label)}](${escapeUrl(url)})`;
}

function writeCheckbox(_content: string, node: MarkupNode): string {
  const next = node.nextSibling;
  const isApart = next === null || next.data.startsWith(" ");
  return `[${node.facts.checked ? "x" : " "}]${isApart ? "" : " "}`;
}

/** Marks do not reach over blocks, and do not stand within marks of their own kind. */
function mark(text: string, delimiter: string, node: MarkupNode): string {
  if (text.trim() === "" || text.includes("\n\n") || node.isWithin(node.nodeName)) return text;
  return delimiter + text + delimiter;
}

function writeRaised(text: string, node: MarkupNode): string {
  if (text.includes("](") || text.includes("\n")) return text;
  const name = node.nodeName.toLowerCase();
  return `<${name}>${text}</${name}>`;
}

function keepCell(content: string, node: MarkupNode): string {
  node.facts.rendered = cellText(content);
  return "";
}

function keepCaption(content: string, node: MarkupNode): string {
  node.facts.rendered = oneLine(content);
  return "";
}

function writeTable(_content: string, node: MarkupNode): string {
  return `\n\n${isInCell(node) ? innerTableText(node) : tableText(node)}\n\n`;
}

function isInCell(node: MarkupNode): boolean {
  return node.isWithin("TD", "TH");
}

function oneLine(text: string): string {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "").join(" ");
}

/** Without empty lines at its ends. */
function trimLines(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === "\n") start++;
  while (end > start && text[end - 1] === "\n") end--;
  return text.slice(start, end);
}
