/** A node of a parsed page, as the parser makes it, and what it is asked. */

/** An element, a text or something else of a page. */
export interface PageNode {
  /** In small letters; `#text`, `#comment`, … for what is no element. */
  readonly nodeName: string;
  /** Content of a text. */
  readonly value?: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly PageNode[];
  readonly parentNode?: PageNode | null;
}

/** An attribute's value, "" when it is not there. */
export function attribute(node: PageNode, name: string): string {
  return node.attrs?.find((entry) => entry.name === name)?.value ?? "";
}

function hasAttribute(node: PageNode, name: string): boolean {
  return node.attrs?.some((entry) => entry.name === name) === true;
}

/** What is in a node, in the order of the page, without what `skip` names and what that holds. */
export function* walkPage(
  root: PageNode,
  skip: (node: PageNode) => boolean,
): Generator<PageNode, void, void> {
  const stack = [...(root.childNodes ?? [])].reverse();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (skip(node)) continue;
    yield node;
    const children = node.childNodes ?? [];
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]!);
  }
}

/** Elements that are no content, or whose text no reader sees. */
const DROPPED: ReadonlySet<string> = new Set([
  "#comment",
  "#documentType",
  "annotation-xml",
  "base",
  "canvas",
  "col",
  "colgroup",
  "datalist",
  "embed",
  "frameset",
  "head",
  "link",
  "meta",
  "noembed",
  "noframes",
  "noscript",
  "param",
  "script",
  "select",
  "style",
  "svg",
  "template",
  "title",
]);

/** Values with which a declaration hides what it is set on. */
const HIDING: Readonly<Record<string, RegExp>> = {
  "display": /^none$/,
  "visibility": /^(?:hidden|collapse)$/,
  "content-visibility": /^hidden$/,
  "opacity": /^0*(?:\.0*)?%?$/,
  "font-size": /^0*(?:\.0*)?(?:[a-z]{1,4}|%)?$/,
};

/** Elements that make `aria-hidden` content more than decoration. */
const BLOCKS: ReadonlySet<string> = new Set(
  "blockquote dd dl dt h1 h2 h3 h4 h5 h6 li ol p pre section table ul".split(" "),
);

/**
 * Whether a node says nothing to a reader: scripts, styles, comments and other things that are no content; what the `hidden` attribute or an inline style
 * hides; a closed dialog; and `aria-hidden` content, unless it holds whole blocks: it can be seen, and is mostly an icon, a gutter or a second copy.
 * Style sheets are not read.
 */
export function isUnseen(node: PageNode): boolean {
  if (DROPPED.has(node.nodeName)) return true;
  if (node.nodeName === "dialog" && !hasAttribute(node, "open")) return true;
  if (node.attrs === undefined || node.attrs.length === 0) return false;
  if (hasAttribute(node, "hidden")) return true;
  if (hides(attribute(node, "style"))) return true;
  return attribute(node, "aria-hidden") === "true" && !holdsBlocks(node);
}

function hides(style: string): boolean {
  if (style === "") return false;
  const text = style.includes("/*") ? style.split("/*").map(afterComment).join("") : style;
  return text.toLowerCase().split(";").some((declaration) => {
    const colon = declaration.indexOf(":");
    const value = declaration.slice(colon + 1).replace("!important", "").trim();
    return HIDING[declaration.slice(0, colon).trim()]?.test(value) === true && value !== "";
  });
}

function afterComment(part: string, position: number): string {
  if (position === 0) return part;
  const end = part.indexOf("*/");
  return end < 0 ? "" : part.slice(end + 2);
}

function holdsBlocks(node: PageNode): boolean {
  if (BLOCKS.has(node.nodeName)) return true;
  for (const inner of walkPage(node, (inner) => DROPPED.has(inner.nodeName))) {
    if (BLOCKS.has(inner.nodeName)) return true;
  }
  return false;
}
