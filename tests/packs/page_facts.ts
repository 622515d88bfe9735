/** For the tests of HTML: what a page holds, counted on its elements without any of the converter's own code. */
import { type DefaultTreeAdapterTypes, parse } from "npm:parse5@8.1.1";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** What must be found again in the Markdown, and what must not. */
export interface PageFacts {
  /** Texts of the headings, white space taken out. */
  readonly headings: readonly string[];
  /** Targets of links that show a text. */
  readonly urls: ReadonlySet<string>;
  /** Texts of the code blocks, white space taken out. */
  readonly code: readonly string[];
  /** Tables that hold data: with head cells, or with more than one column and no table in them. Those in cells of such a table are not counted. */
  readonly tables: number;
  /** Lines of scripts, styles, comments and hidden elements that stand nowhere in the text that is seen. */
  readonly unseen: readonly string[];
}

/** Counts. */
export function pageFacts(html: string): PageFacts {
  const headings: string[] = [];
  const urls = new Set<string>();
  const code: string[] = [];
  let tables = 0;
  const hidden: string[] = [];
  let seen = "";

  function visit(node: Node, inside: { readonly cell: boolean; readonly code: boolean }): void {
    if (node.nodeName === "#comment") return void hidden.push((node as { data: string }).data);
    if (node.nodeName === "#text") {
      seen += (node as { value: string }).value + "\n";
      return;
    }
    if (isElement(node)) {
      if (isHidden(node)) return void hidden.push(textOf(node, true));
      const text = bare(textOf(node));
      if (/^h[1-6]$/.test(node.tagName) && text !== "" && !inside.cell) headings.push(text);
      if (node.tagName === "a" && text !== "" && !inside.code) {
        const href = attribute(node, "href")?.trim();
        if (href && !/^javascript:/i.test(href)) urls.add(href);
      }
      if (node.tagName === "pre" && text !== "" && !inside.cell) code.push(text);
      if (node.tagName === "table" && !inside.cell && isData(node)) {
        tables++;
        return node.childNodes.forEach((part) => visit(part, { ...inside, cell: true }));
      }
    }
    if (!("childNodes" in node)) return;
    const within = { ...inside, code: inside.code || node.nodeName === "pre" };
    for (const child of node.childNodes) visit(child, within);
  }

  visit(parse(html), { cell: false, code: false });
  const shown = bare(seen);
  const unseen = hidden.flatMap((text) => text.split("\n")).map((line) => line.trim())
    .filter((line) => line.length > 12 && !shown.includes(bare(line)));
  return { headings, urls, code, tables, unseen };
}

/** A text without white space and the characters that Markdown escapes with. */
export function bare(text: string): string {
  return text.replace(/[\s\\\u00ad\u200b]+/g, "");
}

function isElement(node: Node): node is Element {
  return "tagName" in node;
}

function attribute(node: Element, name: string): string | undefined {
  return node.attrs.find((entry) => entry.name === name)?.value;
}

function isHidden(node: Element): boolean {
  const tags = ["head", "script", "style", "noscript", "template", "svg", "select", "dialog"];
  return tags.includes(node.tagName) || attribute(node, "hidden") !== undefined ||
    /display:\s*none|visibility:\s*hidden/.test(attribute(node, "style") ?? "");
}

function textOf(node: Node, all = false): string {
  if (node.nodeName === "#text") return (node as { value: string }).value;
  if (!all && isElement(node) && (isHidden(node) || node.tagName === "button")) return "";
  return "childNodes" in node ? node.childNodes.map((child) => textOf(child, all)).join("") : "";
}

function elementsIn(node: Node, tag: string): Element[] {
  if (!("childNodes" in node)) return [];
  return node.childNodes.flatMap((child) => [
    ...(isElement(child) && child.tagName === tag ? [child] : []),
    ...elementsIn(child, tag),
  ]);
}

function isData(table: Element): boolean {
  const own = elementsIn(table, "th").filter((cell) => tableOf(cell) === table);
  if (own.length > 0) return true;
  return elementsIn(table, "table").length === 0 &&
    elementsIn(table, "tr").some((row) => elementsIn(row, "td").length > 1);
}

function tableOf(cell: Element): Node | null {
  let node: Node | null = cell;
  while (node !== null && node.nodeName !== "table") {
    node = "parentNode" in node ? node.parentNode : null;
  }
  return node;
}
