/**
 * From a parsed page to the tree that is converted: what no reader sees is dropped, what means nothing is unwrapped, and what Markdown cannot hold
 * is brought into a form that it can. It keeps its own stack, and beyond a depth that no page of people's needs the nesting is given up, not the text.
 */
import { blockLanguage, blockText, spanPieces } from "./code_text.ts";
import { plainText } from "./escape_text.ts";
import { MarkupNode, type NodeFacts, TEXT } from "./markup_node.ts";
import { attribute, isUnseen, type PageNode, walkPage } from "./page_node.ts";
import { settleTable } from "./settle_table.ts";

/** Elements within elements that are kept. */
const MAX_DEPTH = 100;

/** What becomes of an element. Those that are not here are unwrapped. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...same("a blockquote caption del em h1 h2 h3 h4 h5 h6 hr img li ol p q strong sub sup td th"),
  ...same("table tr ul"),
  ...renamed("DIV", "address article aside center dd details dialog div dl dt fieldset"),
  ...renamed("DIV", "figcaption figure footer form header hgroup main nav search section"),
  ...renamed("P", "legend summary"),
  ...renamed("DEL", "s strike"),
  ...renamed("EM", "i"),
  ...renamed("STRONG", "b"),
  ...renamed("UL", "dir menu"),
]);

const BLOCK_CODE: ReadonlySet<string> = new Set(["listing", "plaintext", "pre", "textarea", "xmp"]);
const SPAN_CODE: ReadonlySet<string> = new Set(["code", "kbd", "samp", "tt"]);
const INLINE: ReadonlySet<string> = new Set(["A", "DEL", "EM", "Q", "STRONG", "SUB", "SUP"]);
const MEDIA: ReadonlySet<string> = new Set(["audio", "iframe", "video"]);

function same(names: string): [string, string][] {
  return names.split(" ").map((name) => [name, name.toUpperCase()]);
}

function renamed(to: string, names: string): [string, string][] {
  return names.split(" ").map((name) => [name, to]);
}

/** Where the children of a page's node go. */
interface Frame {
  readonly children: readonly PageNode[];
  next: number;
  readonly target: MarkupNode;
  readonly depth: number;
  /** The element that the frame fills, when it is one of those that end in some way. */
  readonly table?: OpenTable;
  /** What is put behind the children, so that a block that was given up still ends its line. */
  readonly closing?: string;
}

/** A table whose end has not come. */
interface OpenTable {
  readonly node: MarkupNode;
  readonly role: string;
  nested: boolean;
}

/** Builds the tree. Its root is a `DIV`. */
export function buildTree(page: PageNode): MarkupNode {
  const root = MarkupNode.element("DIV");
  const stack: Frame[] = [{ children: [page], next: 0, target: root, depth: 0 }];
  const tables: OpenTable[] = [];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const child = frame.children[frame.next++];
    if (child === undefined) {
      stack.pop();
      if (frame.closing !== undefined) frame.target.appendChild(MarkupNode.element(frame.closing));
      if (frame.table !== undefined) {
        tables.pop();
        settleTable(frame.table.node, frame.table);
      }
      continue;
    }
    if (isUnseen(child)) continue;
    const inner = place(child, frame, tables);
    if (inner !== undefined) stack.push(inner);
  }
  return root;
}

/** Puts one node of the page into the tree; the frame for its children, if they are still to come. */
function place(child: PageNode, frame: Frame, tables: OpenTable[]): Frame | undefined {
  const { nodeName } = child;
  const target = targetFor(child, frame.target);
  if (child.value !== undefined) return void addText(child.value, target);
  if (BLOCK_CODE.has(nodeName)) return void addBlock(child, target);
  if (SPAN_CODE.has(nodeName)) return void addSpan(child, target);
  if (MEDIA.has(nodeName)) return void addMedia(child, target);
  if (nodeName === "math") return addMath(child, target) ? undefined : into(child, target, frame);
  if (nodeName === "br") return void target.appendChild(MarkupNode.element("BR"));
  if (nodeName === "input") return void addCheckbox(child, target);
  if (nodeName === "button") return addSpaced(child, target, frame);
  const name = NAMES.get(nodeName);
  if (name === undefined) return into(child, target, frame);
  if (name === "IMG" || name === "HR") {
    return void target.appendChild(MarkupNode.element(name, factsOf(child, target)));
  }
  if (frame.depth >= MAX_DEPTH) return giveUp(child, { name, target, frame });
  const node = target.appendChild(MarkupNode.element(name, factsOf(child, target)));
  if (name !== "TABLE") return { ...into(child, node, frame), depth: frame.depth + 1 };
  const outer = tables.at(-1);
  if (outer !== undefined) outer.nested = true;
  const table = { node, role: attribute(child, "role"), nested: false };
  tables.push(table);
  return { ...into(child, node, frame), depth: frame.depth + 1, table };
}

function into(child: PageNode, target: MarkupNode, frame: Frame): Frame {
  return { children: child.childNodes ?? [], next: 0, target, depth: frame.depth };
}

/** A list holds items only: what stands between them belongs to the one before. */
function targetFor(child: PageNode, target: MarkupNode): MarkupNode {
  if (target.nodeName !== "UL" && target.nodeName !== "OL") return target;
  if (child.nodeName === "li") return target;
  if (child.value !== undefined && child.value.trim() === "") return target;
  return target.lastChild ?? target.appendChild(MarkupNode.element("LI", { marker: "-" }));
}

function giveUp(
  child: PageNode,
  place: { readonly name: string; readonly target: MarkupNode; readonly frame: Frame },
): Frame {
  const { name, target, frame } = place;
  if (INLINE.has(name)) return into(child, target, frame);
  target.appendChild(MarkupNode.element("DIV"));
  return { ...into(child, target, frame), closing: "DIV" };
}

function addText(value: string, target: MarkupNode): void {
  const text = plainText(value);
  if (text === "" || isBetweenParts(text, target)) return;
  const last = target.lastChild;
  if (last !== null && last.nodeType === TEXT) last.data = joinText(last.data, text);
  else target.appendChild(MarkupNode.text(text));
}

function isBetweenParts(text: string, target: MarkupNode): boolean {
  return text === " " && ["OL", "TABLE", "TR", "UL"].includes(target.nodeName);
}

function joinText(before: string, text: string): string {
  return before + (before.endsWith(" ") ? text.replace(/^ /, "") : text);
}

function addBlock(child: PageNode, target: MarkupNode): void {
  const code = blockText(child);
  if (code.trim() === "") return;
  const node = MarkupNode.element("PRE", { code, language: blockLanguage(child) });
  node.appendChild(MarkupNode.text("code"));
  target.appendChild(node);
}

function addSpan(child: PageNode, target: MarkupNode): void {
  for (const { text, url } of spanPieces(child)) {
    const isLink = url !== undefined && !target.isWithin("A") && target.nodeName !== "A";
    const parent = isLink
      ? target.appendChild(MarkupNode.element("A", { url: cleanUrl(url) }))
      : target;
    parent.appendChild(MarkupNode.element("CODE")).appendChild(MarkupNode.text(text));
  }
}

/** What plays or shows another page becomes a link to it. */
function addMedia(child: PageNode, target: MarkupNode): void {
  const sources = (child.childNodes ?? []).filter((node) => node.nodeName === "source");
  const url = [child, ...sources].map((node) => attribute(node, "src")).find((src) => src !== "");
  if (url === undefined) return;
  const label = attribute(child, "title") || attribute(child, "aria-label") || child.nodeName;
  target.appendChild(MarkupNode.element("A", { url: cleanUrl(url), label: plainText(label) }));
}

/** Formulas that bring their TeX are given as that. */
function addMath(child: PageNode, target: MarkupNode): boolean {
  for (const node of walkPage(child, () => false)) {
    if (node.nodeName !== "annotation") continue;
    if (attribute(node, "encoding") !== "application/x-tex") continue;
    const tex = (node.childNodes ?? []).map((inner) => inner.value ?? "").join("");
    target.appendChild(MarkupNode.element("CODE")).appendChild(MarkupNode.text(plainText(tex)));
    return true;
  }
  return false;
}

function addCheckbox(child: PageNode, target: MarkupNode): void {
  if (attribute(child, "type").toLowerCase() !== "checkbox") return;
  const checked = child.attrs?.some(({ name }) => name === "checked") === true;
  target.appendChild(MarkupNode.element("INPUT", { checked }));
}

/** Buttons stand apart from what is beside them. */
function addSpaced(child: PageNode, target: MarkupNode, frame: Frame): Frame {
  addText(" ", target);
  return { ...into(child, target, frame), closing: "#space" };
}

function factsOf(child: PageNode, target: MarkupNode): NodeFacts {
  switch (child.nodeName) {
    case "a":
      return {
        url: cleanUrl(attribute(child, "href")),
        label: plainText(attribute(child, "aria-label") || attribute(child, "title")),
      };
    case "img":
      return {
        url: imageUrl(child),
        label: plainText(attribute(child, "alt") || attribute(child, "title")),
      };
    case "li":
      return { marker: markerOf(child, target) };
    case "tr":
      return { head: child.parentNode?.nodeName === "thead" };
    case "td":
    case "th":
      return { columns: span(child, "colspan"), rows: span(child, "rowspan") };
    default:
      return {};
  }
}

/** As a browser reads it: without what surrounds it and without line breaks. Scripts lead nowhere. */
function cleanUrl(url: string): string {
  const clean = url.trim().replace(/[\t\n\r]+/g, "");
  return /^\s*(?:javascript|vbscript):/i.test(clean) ? "" : clean;
}

/** An image that is written into the page is named by its kind, not carried along. */
function imageUrl(image: PageNode): string {
  const url = cleanUrl(
    attribute(image, "data-src") || attribute(image, "src") ||
      (attribute(image, "srcset").trim().split(/[\s,]/, 1)[0] ?? ""),
  );
  return url.startsWith("data:") ? url.split(/[;,]/, 1)[0]! : url;
}

/** The largest number that Markdown takes for a list. */
const MAX_NUMBER = 999_999_999;

function markerOf(item: PageNode, list: MarkupNode): string {
  if (list.nodeName !== "OL") return "-";
  const before = list.lastChild?.facts.marker;
  const start = item.parentNode?.nodeName === "ol" ? attribute(item.parentNode, "start") : "";
  const given = attribute(item, "value") || (before === undefined ? start : "");
  const number = /^\s*\d+\s*$/.test(given)
    ? Number(given)
    : before === undefined
    ? 1
    : Number.parseInt(before) + 1;
  return `${Math.min(number, MAX_NUMBER)}.`;
}

function span(cell: PageNode, name: string): number {
  const value = Number.parseInt(attribute(cell, name));
  return value >= 1 ? Math.min(value, 1000) : 1;
}
