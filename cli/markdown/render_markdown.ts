/**
 * Markdown as it is shown at a terminal: laid out for its width, emphasized by its styles, or by the marks of Markdown where there are none. Whatever the text
 * holds, what comes out draws nothing but itself. Loads the parser, so that this is imported only where an answer is rendered.
 */
import { escapeControls } from "../terminal_text.ts";
import type { Span } from "../wrap_text.ts";
import { readBlocks } from "./read_blocks.ts";
import { renderBlocks } from "./render_blocks.ts";

/** Length of a text that is rendered, in UTF-16 units: 256 Ki, far beyond any answer, and a second for the worst of them. */
export const MAX_RENDERED_LENGTH = 256 * 1024;

/** The terminal. */
export interface RenderOptions {
  /** Its columns. */
  readonly columns: number;
  /** Whether styles may be used. */
  readonly color: boolean;
}

/**
 * Renders a text; no line feed stands at the end. Lines fit in the terminal less one column, but for code and for words that do not. A text that is too long, or
 * whose blocks lie too deep in each other, is given as it is, control characters escaped; so is one of which nothing would be seen.
 */
export function renderMarkdown(text: string, options: RenderOptions): string {
  if (text.length > MAX_RENDERED_LENGTH) return asItIs(text);
  try {
    const rendered = render(text, options);
    if (rendered !== undefined && rendered.trim() !== "") return rendered;
  } catch (error) {
    // No room is left, in the lines or on the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  return asItIs(text);
}

function asItIs(text: string): string {
  return escapeControls(text).replace(/\n$/, "");
}

function render(text: string, { columns, color }: RenderOptions): string | undefined {
  const blocks = readBlocks(text, { color });
  if (blocks === undefined) return undefined;
  // One column stays free: terminals do not agree on the width of every emoji, nor on what happens behind the last column.
  return renderBlocks(blocks, { width: Math.max(1, columns - 1), color })
    .map((line) => lineText(line, color)).join("\n");
}

function lineText(line: readonly Span[], color: boolean): string {
  let text = "";
  let style = "";
  for (const span of line) {
    const wanted = color ? span.style : "";
    if (wanted !== style) {
      if (style !== "") text += "\x1b[0m";
      if (wanted !== "") text += `\x1b[${wanted}m`;
      style = wanted;
    }
    text += span.text;
  }
  return (style === "" ? text : `${text}\x1b[0m`).trimEnd();
}
