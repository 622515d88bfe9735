/** Reads Markdown into blocks, with the parser that scripts have too. Loads it, so that this is imported only where an answer is rendered. */
import MarkdownIt from "npm:markdown-it@15.0.3";
import type { MarkdownToken } from "../../sandbox/packs/converter/process/markdown/markdown_token.ts";
import { escapeControls } from "../terminal_text.ts";
import type { Span } from "../wrap_text.ts";
import type { Alignment, Block, Table } from "./block.ts";
import { inlineSpans, type Look } from "./inline_spans.ts";

/** Blocks in blocks at most: lists within lists to twenty levels. The parser leaves out what lies deeper than its own bound, so that is higher. */
const MAX_LEVEL = 40;
const PARSER_LEVEL = 60;

/** Reads a text; `undefined` when blocks lie too deep in each other. */
export function readBlocks(text: string, look: Look): readonly Block[] | undefined {
  const parser = new MarkdownIt({ html: true, maxNesting: PARSER_LEVEL });
  // Nothing is followed here: an address is shown as it was written.
  parser.validateLink = () => true;
  parser.normalizeLink = (url: string) => url;
  parser.normalizeLinkText = (shown: string) => shown;
  const tokens = parser.parse(text, {}) as readonly MarkdownToken[];
  if (tokens.some(({ level }) => level > MAX_LEVEL)) return undefined;
  return readUntil(new Cursor(tokens), undefined, look);
}

/** The tokens that are still to be read. */
class Cursor {
  readonly #tokens: readonly MarkdownToken[];
  #at = 0;

  constructor(tokens: readonly MarkdownToken[]) {
    this.#tokens = tokens;
  }

  next(): MarkdownToken | undefined {
    return this.#tokens[this.#at++];
  }

  /** Takes the next token when it is of this type. */
  take(type: string): MarkdownToken | undefined {
    return this.#tokens[this.#at]?.type === type ? this.next() : undefined;
  }
}

function readUntil(cursor: Cursor, end: string | undefined, look: Look): Block[] {
  const blocks: Block[] = [];
  for (let token = cursor.next(); token !== undefined; token = cursor.next()) {
    if (token.type === end) break;
    const block = readBlock(token, cursor, look);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

function readBlock(token: MarkdownToken, cursor: Cursor, look: Look): Block | undefined {
  switch (token.type) {
    case "heading_open": {
      const level = Number(token.tag.slice(1));
      const style = ["1;4", "1"][level - 1] ?? "1;3";
      return { kind: "heading", level, spans: spansOf(cursor, look, style) };
    }
    case "paragraph_open":
      return { kind: "paragraph", spans: spansOf(cursor, look) };
    case "fence":
    case "code_block":
      return { kind: "code", text: token.content.replace(/\n$/, "") };
    case "html_block":
      return {
        kind: "paragraph",
        spans: [{ text: escapeControls(token.content.trimEnd()), style: "" }],
      };
    case "blockquote_open":
      return { kind: "quote", blocks: readUntil(cursor, "blockquote_close", look) };
    case "hr":
      return { kind: "rule" };
    case "bullet_list_open":
    case "ordered_list_open":
      return readList(token, cursor, look);
    case "table_open":
      return readTable(cursor, look);
    default:
      // What closes a block that was read here, such as a paragraph.
      return undefined;
  }
}

function spansOf(cursor: Cursor, look: Look, style: string = ""): readonly Span[] {
  const inline = cursor.take("inline");
  return inline === undefined ? [] : inlineSpans(inline.children ?? [], look, style);
}

function readList(opening: MarkdownToken, cursor: Cursor, look: Look): Block {
  const isOrdered = opening.type === "ordered_list_open";
  const items: (readonly Block[])[] = [];
  let loose = false;
  while (cursor.take("list_item_open") !== undefined) {
    const inner: MarkdownToken[] = [];
    let depth = 1;
    for (let token = cursor.next(); token !== undefined; token = cursor.next()) {
      if (token.type === "list_item_open") depth++;
      if (token.type === "list_item_close" && --depth === 0) break;
      inner.push(token);
      if (token.type === "paragraph_open" && depth === 1) loose ||= isLoose(token);
    }
    items.push(readItem(inner, look));
  }
  cursor.take(isOrdered ? "ordered_list_close" : "bullet_list_close");
  return {
    kind: "list",
    loose,
    items,
    ...(isOrdered ? { start: Number(opening.attrGet("start") ?? 1) } : {}),
  };
}

/** In a tight list the parser hides the paragraphs. */
function isLoose(paragraph: MarkdownToken): boolean {
  return (paragraph as MarkdownToken & { readonly hidden?: boolean }).hidden !== true;
}

/** A task begins with its box. */
function readItem(tokens: readonly MarkdownToken[], look: Look): readonly Block[] {
  const blocks = readUntil(new Cursor(tokens), undefined, look);
  const [first, ...others] = blocks;
  const [span, ...spans] = first?.kind === "paragraph" ? first.spans : [];
  const task = /^\[([ xX])\](?: +|$)/.exec(span?.text ?? "");
  if (span === undefined || task === null) return blocks;
  const box = { text: task[1] === " " ? "[ ] " : "[x] ", style: "" };
  const rest = { ...span, text: span.text.slice(task[0].length) };
  return [{ kind: "paragraph", spans: [box, rest, ...spans] }, ...others];
}

function readTable(cursor: Cursor, look: Look): Table {
  const rows: (readonly Span[])[][] = [];
  const alignments: Alignment[] = [];
  for (let token = cursor.next(); token !== undefined; token = cursor.next()) {
    if (token.type === "table_close") break;
    if (token.type === "tr_open") rows.push([]);
    if (token.type === "th_open") alignments.push(alignmentOf(token));
    if (token.type === "th_open" || token.type === "td_open") {
      rows.at(-1)?.push(spansOf(cursor, look, token.type === "th_open" ? "1" : ""));
    }
  }
  const [head = [], ...others] = rows;
  return { kind: "table", alignments, head, rows: others };
}

function alignmentOf(token: MarkdownToken): Alignment {
  const [, side] = /text-align:(right|center)/.exec(token.attrGet("style") ?? "") ?? [];
  return side === "right" || side === "center" ? side : "left";
}
