/**
 * From a parsed page to the tree that is converted: what no reader sees is dropped, what means nothing is unwrapped, and what Markdown cannot hold
 * is brought into a form that it can. It keeps its own stack, and beyond a depth that no page of people's needs the nesting is given up, not the text.
 */
import { blockLanguage, blockText, isPlainSpan, spanPieces } from "./code_text.ts";
import { plainText } from "./escape_text.ts";
import { MarkupNode, type NodeFacts, TEXT } from "./markup_node.ts";
import { attribute, isUnseen, type PageNode, walkPage } from "./page_node.ts";
import { settleTable, type TableTraits } from "./settle_table.ts";

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

/** Depth that an element's own parts need. */
const ROOM: Readonly<Record<string, number>> = { OL: 2, TABLE: 3, UL: 2 };
/** What the parts of a table must stand in. Elsewhere, as in formulas, they are blocks. */
const OWNERS: Readonly<Record<string, string>> = {
  CAPTION: "TABLE",
  TD: "TR",
  TH: "TR",
  TR: "TABLE",
};

function nameIn(target: MarkupNode, name: string | undefined): string | undefined {
  const owner = OWNERS[name ?? ""];
  return owner === undefined || owner === target.nodeName ? name : "DIV";
}

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
  /** What is left to do behind the children. */
  readonly end?: () => void;
}

/** Builds the tree. All of it is in a `BODY`, the one child of its root. */
export function buildTree(page: PageNode): MarkupNode {
  const root = MarkupNode.element("DIV");
  const target = root.appendChild(MarkupNode.element("BODY"));
  const stack: Frame[] = [{ children: [page], next: 0, target, depth: 0 }];
  const tables: TableTraits[] = [];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const child = frame.children[frame.next++];
    if (child === undefined) {
      stack.pop();
      frame.end?.();
      continue;
    }
    if (isUnseen(child)) continue;
    const inner = place(child, frame, tables);
    if (inner !== undefined) stack.push(inner);
  }
  return root;
}

/** Puts one node of the page into the tree; the frame for its children, if they are still to come. */
function place(child: PageNode, outer: Frame, tables: TableTraits[]): Frame | undefined {
  const { nodeName } = child;
  const frame = frameFor(child, outer);
  const { target, depth } = frame;
  if (child.value !== undefined) return void addText(child.value, target);
  if (BLOCK_CODE.has(nodeName)) return void addBlock(child, target);
  if (SPAN_CODE.has(nodeName) && isPlainSpan(child)) return void addSpan(child, target);
  if (MEDIA.has(nodeName)) return void addMedia(child, target);
  if (nodeName === "math" && addMath(child, target)) return undefined;
  if (nodeName === "br") return void target.appendChild(MarkupNode.element("BR"));
  if (nodeName === "input") return void addCheckbox(child, target);
  if (nodeName === "button") return addSpaced(frame);
  const name = nameIn(target, NAMES.get(nodeName));
  if (name === undefined) return frame;
  if (name === "A") setApart(target);
  if (name === "IMG" || name === "HR") {
    return void target.appendChild(MarkupNode.element(name, factsOf(child, target)));
  }
  if (depth + (ROOM[name] ?? 0) >= MAX_DEPTH) return giveUp(frame, name);
  const node = target.appendChild(MarkupNode.element(name, factsOf(child, target)));
  const inner = { ...frame, target: node, depth: depth + 1 };
  if (name !== "TABLE") return inner;
  for (const around of tables.slice(-1)) around.nested = true;
  const traits = { role: attribute(child, "role"), nested: false };
  tables.push(traits);
  const end = () => {
    tables.pop();
    settleTable(node, traits);
  };
  return { ...inner, end };
}

/**
 * The frame for what is in a node, as if the node itself were unwrapped. A list holds items, and only a list does: what stands between them belongs to
 * the one before, and an item without a list gets one.
 */
function frameFor(child: PageNode, { target, depth }: Frame): Frame {
  const inner = { children: child.childNodes ?? [], next: 0 };
  const isList = target.nodeName === "UL" || target.nodeName === "OL";
  const isItem = child.nodeName === "li";
  if (isItem === isList || (isList && child.value?.trim() === "")) {
    return { ...inner, target, depth };
  }
  const last = target.lastChild;
  if (isList) {
    const item = last ??
      target.appendChild(MarkupNode.element("LI", { marker: markerOf(child, target) }));
    return { ...inner, target: item, depth: depth + 1 };
  }
  if (!isItem || depth + ROOM.UL! >= MAX_DEPTH) return { ...inner, target, depth };
  const list = last?.nodeName === "UL" ? last : target.appendChild(MarkupNode.element("UL"));
  return { ...inner, target: list, depth: depth + 1 };
}

/** Beyond the depth: the text stays, and a block still stands apart. */
function giveUp(frame: Frame, name: string): Frame {
  if (INLINE.has(name)) return frame;
  const { target } = frame;
  const border = () => {
    const last = target.lastChild;
    if (last?.nodeName === "DIV" && last.firstChild === null) return;
    target.appendChild(MarkupNode.element("DIV"));
  };
  border();
  return { ...frame, end: border };
}

function addText(value: string, target: MarkupNode): void {
  const text = plainText(value);
  if (text === "" || isBetweenParts(text, target)) return;
  const last = target.lastChild;
  if (last === null || last.nodeType !== TEXT) target.appendChild(MarkupNode.text(text));
  else target.extendText(last.data.endsWith(" ") ? text.replace(/^ /, "") : text);
}

function isBetweenParts(text: string, target: MarkupNode): boolean {
  return text === " " && ["OL", "TABLE", "TR", "UL"].includes(target.nodeName);
}

/** An exclamation mark before a link would make an image of it: it becomes a text of its own, which is escaped. */
function setApart(target: MarkupNode): void {
  const last = target.lastChild;
  if (last?.nodeType !== TEXT || !last.data.endsWith("!") || last.data === "!") return;
  last.data = last.data.slice(0, -1);
  target.appendChild(MarkupNode.text("!"));
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
    if (isLink) setApart(target);
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
  setApart(target);
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
function addSpaced(frame: Frame): Frame {
  addText(" ", frame.target);
  return { ...frame, end: () => addText(" ", frame.target) };
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
