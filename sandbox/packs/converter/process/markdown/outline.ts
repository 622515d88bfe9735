/** Headings as a tree, with the Markdown that stands under each. */
import { inlineText, type MarkdownToken } from "./markdown_token.ts";

/** A heading with what belongs to it. */
export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
  /** The Markdown between this heading and the next one of any level. */
  readonly content: string;
  /** Headings of a deeper level, up to the next that is not deeper. */
  readonly children: Heading[];
}

/** The headings of a text, and the Markdown before the first. */
export interface Outline {
  readonly intro: string;
  readonly headings: Heading[];
}

/** Reads the headings of the text itself: those in quotes and list items belong to what they stand in. */
export function readOutline(tokens: readonly MarkdownToken[], body: string): Outline {
  const lines = body.split("\n");
  const found = tokens.flatMap((token, at) =>
    token.type === "heading_open" && token.level === 0 && token.map !== null
      ? [{ level: Number(token.tag[1]), map: token.map, inline: tokens[at + 1]! }]
      : []
  );
  const headings: Heading[] = [];
  const open: Heading[] = [];
  found.forEach(({ level, map, inline }, at) => {
    const end = found[at + 1]?.map[0] ?? lines.length;
    const heading = {
      level,
      text: inlineText(inline.children),
      content: passage(lines, map[1], end),
      children: [],
    };
    while (open.length > 0 && open.at(-1)!.level >= level) open.pop();
    (open.at(-1)?.children ?? headings).push(heading);
    open.push(heading);
  });
  return { intro: passage(lines, 0, found[0]?.map[0] ?? lines.length), headings };
}

/** Some lines, without empty ones around them. */
function passage(lines: readonly string[], start: number, end: number): string {
  let first = start;
  let last = end;
  while (first < last && lines[first]!.trim() === "") first++;
  while (last > first && lines[last - 1]!.trim() === "") last--;
  return lines.slice(first, last).join("\n");
}
