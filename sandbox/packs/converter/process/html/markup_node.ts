/**
 * The few nodes of a page that are worth converting, as a tree of linked siblings. It has as much of the DOM's interface as Turndown asks for, and no more.
 * Nothing in it recurses, so depth costs no stack. Turndown asks each element for all of its text and searches it for two dozen names; both are
 * answered from what each node knows of its inside.
 */

/** The type number of an element. */
export const ELEMENT = 1;
/** The type number of a text. */
export const TEXT = 3;

/** What an element means beyond its name. All of it is set while the tree is built, but for `rendered`. */
export interface NodeFacts {
  /** Target of a link or an image. */
  url?: string;
  /** What a link says when it holds no text. */
  label?: string;
  /** The code of a block, line breaks and spaces as they are. */
  code?: string;
  /** The code's language. */
  language?: string;
  /** What a list item begins with. */
  marker?: string;
  /** A row of a table's head. */
  head?: boolean;
  /** A ticked checkbox. */
  checked?: boolean;
  /** Columns and rows that a cell spans. */
  columns?: number;
  rows?: number;
  /** The Markdown of a cell or caption, once there. */
  rendered?: string;
}

/** What a node knows of its inside: a bit for text that is not white space, and one for elements that mean something even when they hold no text. */
const HOLDS_TEXT = 1;
const HOLDS_ELEMENT = 2;

/** Elements that are no blank, whatever they hold: those that Turndown searches for. */
const NEVER_BLANK: ReadonlySet<string> = new Set(
  ["A", "BR", "HR", "IMG", "INPUT", "TABLE", "TD", "TH"],
);

const NO_FACTS: NodeFacts = Object.freeze({});

/** An element or a text. */
export class MarkupNode {
  readonly nodeType: number;
  /** In capitals; `#text` for a text. */
  nodeName: string;
  /** The content of a text, "" for an element. */
  data: string;
  readonly facts: NodeFacts;
  #holds = 0;
  parentNode: MarkupNode | null = null;
  firstChild: MarkupNode | null = null;
  lastChild: MarkupNode | null = null;
  previousSibling: MarkupNode | null = null;
  nextSibling: MarkupNode | null = null;
  // The converter's own notes on a node; named here so that all nodes keep one shape.
  isBlock: boolean | undefined = undefined;
  isCode: boolean | undefined = undefined;
  isBlank: boolean | undefined = undefined;
  flankingWhitespace: unknown = undefined;

  private constructor(nodeType: number, nodeName: string, data: string, facts: NodeFacts) {
    this.nodeType = nodeType;
    this.nodeName = nodeName;
    this.data = data;
    this.facts = facts;
  }

  /** Makes an element that belongs nowhere yet. */
  static element(name: string, facts: NodeFacts = {}): MarkupNode {
    return new MarkupNode(ELEMENT, name, "", facts);
  }

  /** Makes a text that belongs nowhere yet. */
  static text(data: string): MarkupNode {
    return new MarkupNode(TEXT, "#text", data, NO_FACTS);
  }

  /** The content of a text, `null` for an element. */
  get nodeValue(): string | null {
    return this.nodeType === TEXT ? this.data : null;
  }

  /** The children, as a list of their own. */
  get childNodes(): MarkupNode[] {
    const nodes: MarkupNode[] = [];
    for (let node = this.firstChild; node !== null; node = node.nextSibling) nodes.push(node);
    return nodes;
  }

  /** The text of all that is in it. Of a block that holds any, only that it does: nobody asks more of blocks. */
  get textContent(): string {
    if (this.nodeType === TEXT) return this.data;
    if (this.isBlock === true && (this.#holds & HOLDS_TEXT) !== 0) return "text";
    let text = "";
    for (let node = this.firstChild; node !== null; node = nodeAfter(node, this)) text += node.data;
    return text;
  }

  /** Whether it holds any element that is never blank, as a list that is empty or not. */
  getElementsByTagName(): readonly MarkupNode[] {
    return (this.#holds & HOLDS_ELEMENT) === 0 ? [] : [this];
  }

  /** Whether an ancestor has one of the names. */
  isWithin(...names: readonly string[]): boolean {
    for (let node = this.parentNode; node !== null; node = node.parentNode) {
      if (names.includes(node.nodeName)) return true;
    }
    return false;
  }

  /** Itself: whoever asks for a copy may have the tree, which nobody else needs. */
  cloneNode(): MarkupNode {
    return this;
  }

  /** Attributes are read while the tree is built and are not kept. */
  getAttribute(): null {
    return null;
  }

  /** Adds a node that belongs nowhere at the end, and returns it. */
  appendChild(node: MarkupNode): MarkupNode {
    node.parentNode = this;
    node.previousSibling = this.lastChild;
    if (this.lastChild === null) this.firstChild = node;
    else this.lastChild.nextSibling = node;
    this.lastChild = node;
    let holds = node.#holds;
    if (NEVER_BLANK.has(node.nodeName)) holds |= HOLDS_ELEMENT;
    if (node.nodeType === TEXT && node.data !== " ") holds |= HOLDS_TEXT;
    this.#note(holds);
    return node;
  }

  /** Adds to a text, which is the last child. */
  extendText(data: string): void {
    const node = this.lastChild!;
    node.data += data;
    if (node.data !== " ") this.#note(HOLDS_TEXT);
  }

  /** Takes a child out. */
  removeChild(node: MarkupNode): MarkupNode {
    if (node.previousSibling === null) this.firstChild = node.nextSibling;
    else node.previousSibling.nextSibling = node.nextSibling;
    if (node.nextSibling === null) this.lastChild = node.previousSibling;
    else node.nextSibling.previousSibling = node.previousSibling;
    node.parentNode = node.previousSibling = node.nextSibling = null;
    return node;
  }

  #note(holds: number): void {
    this.#holds |= holds;
    for (let node = this.parentNode; node !== null; node = node.parentNode) {
      if ((node.#holds | holds) === node.#holds) return;
      node.#holds |= holds;
    }
  }
}

/** The next node in the order of the page, within `root`. */
function nodeAfter(node: MarkupNode, root: MarkupNode): MarkupNode | null {
  if (node.firstChild !== null) return node.firstChild;
  let at: MarkupNode = node;
  while (at !== root && at.nextSibling === null) at = at.parentNode!;
  return at === root ? null : at.nextSibling;
}
