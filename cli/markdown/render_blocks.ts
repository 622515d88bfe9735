/** Lays blocks out in lines for a number of columns of the terminal. Pure. */
import { displayWidth, escapeControls } from "../terminal_text.ts";
import { type Span, wrapSpans } from "../wrap_text.ts";
import type { Block, List } from "./block.ts";
import type { Look } from "./inline_spans.ts";
import { layoutTable, type Line } from "./table.ts";

/** Columns that a text needs to be read at all. */
const LEAST_WIDTH = 8;
/** Columns from which on code is indented by four. */
const WIDE = 60;

const BULLETS = ["•", "◦", "▪"];

/** Where blocks stand. */
export interface Room extends Look {
  /** Columns. */
  readonly width: number;
  /** Lists around them. @default 0 */
  readonly depth?: number;
}

/**
 * Lays blocks out, a blank line between them unless they stand in a tight list. Lines are no wider than the room, but for code and for words that are.
 *
 * @throws {RangeError} when blocks lie so deep in each other that no room is left.
 */
export function renderBlocks(
  blocks: readonly Block[],
  room: Room,
  isTight: boolean = false,
): readonly Line[] {
  if (room.width < LEAST_WIDTH) throw new RangeError("there is no room for what lies so deep");
  const lines: Line[] = [];
  for (const [index, block] of blocks.entries()) {
    if (index > 0 && !isTight) lines.push([]);
    for (const line of renderBlock(block, room)) lines.push(line);
  }
  return lines;
}

function renderBlock(block: Block, room: Room): readonly Line[] {
  const { width, color } = room;
  switch (block.kind) {
    case "heading": {
      const mark = color ? [] : [plain(`${"#".repeat(block.level)} `)];
      return wrapSpans([...mark, ...block.spans], { width });
    }
    case "paragraph":
      return wrapSpans(block.spans, { width });
    case "code":
      return codeLines(block.text, room);
    case "quote":
      return renderBlocks(block.blocks, { ...room, width: width - 2 })
        .map((line) => [{ text: "│ ", style: color ? "2" : "" }, ...line]);
    case "rule":
      return [[{ text: "─".repeat(width), style: color ? "2" : "" }]];
    case "list":
      return listLines(block, room);
    case "table":
      return layoutTable(block, width);
  }
}

/** Code is never broken: who copies it gets what was written. */
function codeLines(text: string, { width, color }: Room): readonly Line[] {
  const indent = plain(" ".repeat(width < WIDE ? 2 : 4));
  return escapeControls(text).split("\n").map((line) => {
    const shown = withoutTabs(line);
    return shown === "" ? [] : [indent, { text: shown, style: color ? "36" : "" }];
  });
}

function withoutTabs(line: string): string {
  let shown = "";
  // Counted on, and not anew for each tab: a line may hold nothing else.
  let width = 0;
  for (const [index, part] of line.split("\t").entries()) {
    const blanks = index === 0 ? 0 : 4 - width % 4;
    shown += " ".repeat(blanks) + part;
    width += blanks + displayWidth(part);
  }
  return shown;
}

function listLines({ start, loose, items }: List, room: Room): readonly Line[] {
  const { depth = 0 } = room;
  const widest = start === undefined ? 1 : String(start + items.length - 1).length + 1;
  const lines: Line[] = [];
  for (const [index, item] of items.entries()) {
    if (loose && index > 0) lines.push([]);
    const bullet = start === undefined
      ? BULLETS[depth % BULLETS.length] ?? ""
      : `${start + index}.`.padStart(widest);
    for (const line of itemLines(item, bullet, { ...room, depth: depth + 1 }, loose)) {
      lines.push(line);
    }
  }
  return lines;
}

function itemLines(
  blocks: readonly Block[],
  bullet: string,
  room: Room,
  loose: boolean,
): readonly Line[] {
  const marker = `${bullet} `;
  const indent = displayWidth(marker);
  const inner = renderBlocks(blocks, { ...room, width: room.width - indent }, !loose);
  const [first = [], ...others] = inner;
  return [
    [plain(marker), ...first],
    ...others.map((line) => line.length === 0 ? [] : [plain(" ".repeat(indent)), ...line]),
  ];
}

function plain(text: string): Span {
  return { text, style: "" };
}
