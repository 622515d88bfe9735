/**
 * Breaks text into lines of a number of columns. Pure. The text is fit to be shown already; where styles are switched on and off is left to whoever writes it.
 */
import { characterWidth, displayWidth } from "./terminal_text.ts";

/** A piece of text in one style. */
export interface Span {
  /** The text; a line feed in it ends the line. */
  readonly text: string;
  /** Parameters of the terminal's sequence for styles, such as `1;4`; "" for none. */
  readonly style: string;
}

/** How lines are broken. */
export interface WrapOptions {
  /** Columns of a line. */
  readonly width: number;
  /** Columns of the first line. @default as of any other */
  readonly firstWidth?: number;
  /** Whether a word that is wider than a line is cut; else it stands on a line of its own, which is then too wide. @default false */
  readonly breakWords?: boolean;
}

// What must not begin a line of Chinese or Japanese.
const CLINGS = /^[、。，．：；！？）」』】〕〉》ーっゃゅょッャュョ・…]$/u;

/**
 * Breaks at blanks, and beside characters of scripts that know none. Blanks at which a line is broken are gone, all others stay. Gives one empty line for no text.
 */
export function wrapSpans(
  spans: readonly Span[],
  { width, firstWidth = width, breakWords = false }: WrapOptions,
): readonly (readonly Span[])[] {
  const lines: Span[][] = [];
  let line: Span[] = [];
  let used = 0;
  let blanks: Span | undefined;
  let word: Span[] = [];
  let wordWidth = 0;
  let before = "";

  function room(): number {
    return lines.length === 0 ? firstWidth : width;
  }

  function endLine(): void {
    lines.push(line);
    line = [];
    used = 0;
    blanks = undefined;
  }

  function endWord(): void {
    if (word.length === 0) return;
    const gap = used === 0 ? 0 : blanks?.text.length ?? 0;
    if (used > 0 && used + gap + wordWidth > room()) endLine();
    else if (gap > 0 && blanks !== undefined) line.push(blanks);
    used += used === 0 ? 0 : gap;
    blanks = undefined;
    line.push(...word);
    used += wordWidth;
    word = [];
    wordWidth = 0;
  }

  function addToWord(character: string, style: string): void {
    const columns = characterWidth(character);
    const isWide = columns === 2;
    const joins = columns === 0 || before === "\u200d" || CLINGS.test(character);
    if (!joins && (isWide || isWideBefore())) endWord();
    // A word that does not fit behind others begins on the next line.
    const most = used === 0 ? room() : width;
    if (breakWords && wordWidth + columns > most && wordWidth > 0) {
      endWord();
      endLine();
    }
    const last = word.at(-1);
    if (last?.style === style) word[word.length - 1] = { text: last.text + character, style };
    else word.push({ text: character, style });
    wordWidth += columns;
  }

  function isWideBefore(): boolean {
    return before !== "" && characterWidth(before) === 2;
  }

  for (const { text, style } of spans) {
    for (const character of text) {
      if (character === "\n") {
        endWord();
        endLine();
      } else if (character === " " || character === "\t") {
        endWord();
        blanks = { text: `${blanks?.text ?? ""} `, style };
      } else addToWord(character, style);
      before = character;
    }
  }
  endWord();
  lines.push(line);
  return lines;
}

/** The same for plain text, whose blanks at its beginning stay, as far as they take no more than half a line. Lines behind the first one begin with `indent`, which counts into their width. */
export function wrapWords(text: string, width: number, indent: string = ""): string[] {
  if (!text.includes("\n") && displayWidth(text) <= width) return [text];
  const lead = (/^ */.exec(text)?.[0] ?? "").slice(0, Math.floor(width / 2));
  const widths = {
    firstWidth: Math.max(1, width - lead.length),
    width: Math.max(1, width - displayWidth(indent)),
  };
  return wrapSpans([{ text, style: "" }], { ...widths, breakWords: true })
    .map((line, index) => (index === 0 ? lead : indent) + line.map((span) => span.text).join(""));
}

/** Cuts a line into pieces of a number of columns, wherever they end: nothing is left out and nothing moved. Gives one piece for an empty line. */
export function cutIntoPieces(line: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const character of line) {
    const columns = characterWidth(character);
    if (used + columns > width && piece !== "") {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += character;
    used += columns;
  }
  pieces.push(piece);
  return pieces;
}

/** Columns of a line of spans. */
export function spansWidth(spans: readonly Span[]): number {
  return spans.reduce((width, { text }) => width + displayWidth(text), 0);
}
