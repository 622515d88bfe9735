/** The parser's tokens, as far as they are read, and the text in them. */

/** A token: one that opens, one that closes, or one that stands for itself. */
export interface MarkdownToken {
  readonly type: string;
  readonly tag: string;
  /** Tokens that are open around it. */
  readonly level: number;
  readonly content: string;
  readonly info: string;
  readonly markup: string;
  /** First line and the line after the last, from 0; on block tokens only. */
  readonly map: readonly [number, number] | null;
  readonly children: readonly MarkdownToken[] | null;
  attrGet(name: string): string | null;
}

/** The text that a reader sees of a line's parts. Line breaks of the source are spaces, those that are meant are line breaks. */
export function inlineText(parts: readonly MarkdownToken[] | null): string {
  let text = "";
  for (const part of parts ?? []) text += partText(part);
  return text.trim();
}

function partText(part: MarkdownToken): string {
  switch (part.type) {
    case "softbreak":
      return " ";
    case "hardbreak":
      return "\n";
    case "html_inline":
      return /^<br\s*\/?>$/i.test(part.content) ? "\n" : "";
    case "image":
      return inlineText(part.children);
    default:
      return part.content;
  }
}
