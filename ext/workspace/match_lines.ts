/**
 * What a pattern finds in texts. Both functions are also sent as text to a thread that can be ended (`pattern_thread.ts`), so that they refer
 * to nothing but their parameters.
 */

/** How much of what is found to keep. */
export interface MatchLimits {
  /** Lines to keep. */
  readonly maxMatches: number;
  /** Lines before and after each. */
  readonly context: number;
  /** Characters of a line to keep, around what matched. */
  readonly lineCharacters: number;
}

/** A line that matched. */
export interface LineMatch {
  /** Its number, from 1. */
  readonly line: number;
  /** The line, clipped around what matched. */
  readonly text: string;
  /** Lines before it. */
  readonly before?: string[];
  /** Lines after it. */
  readonly after?: string[];
}

/** The lines of a text that a regular expression matches, one more at most than is kept. */
export function matchLines(text: string, regex: RegExp, limits: MatchLimits): LineMatch[] {
  const { maxMatches, context, lineCharacters } = limits;
  const clip = (line: string, at: number): string => {
    if (line.length <= lineCharacters) return line;
    const start = Math.max(0, Math.min(at - (lineCharacters >> 2), line.length - lineCharacters));
    const end = start + lineCharacters;
    const cut = line.slice(start, end);
    return (start > 0 ? "…" : "") + cut + (end < line.length ? "…" : "");
  };
  const lineFrom = (start: number, end: number): string =>
    text.slice(start, end > start && text[end - 1] === "\r" ? end - 1 : end);
  const around = (start: number, step: -1 | 1): string[] => {
    const lines: string[] = [];
    for (let at = start; lines.length < context;) {
      if (step === 1 ? at >= text.length : at <= 0) break;
      const edge = step === 1 ? text.indexOf("\n", at) : text.lastIndexOf("\n", at - 2);
      const end = step === 1 ? (edge === -1 ? text.length : edge) : at - 1;
      // A search from before the beginning finds what stands at 0.
      const begin = step === 1 ? at : at < 2 ? 0 : edge + 1;
      lines.push(clip(lineFrom(begin, end), 0));
      at = step === 1 ? end + 1 : begin;
    }
    return step === 1 ? lines : lines.reverse();
  };
  const found: LineMatch[] = [];
  for (let start = 0, line = 1; start < text.length && found.length <= maxMatches; line++) {
    const edge = text.indexOf("\n", start);
    const end = edge === -1 ? text.length : edge;
    const content = lineFrom(start, end);
    regex.lastIndex = 0;
    const match = regex.exec(content);
    if (match !== null) {
      const before = around(start, -1);
      const after = around(end + 1, 1);
      found.push({
        line,
        text: clip(content, match.index),
        ...(before.length > 0 && { before }),
        ...(after.length > 0 && { after }),
      });
    }
    start = end + 1;
  }
  return found;
}

/** Which of the texts a regular expression matches, as their positions. */
export function matchWhole(texts: readonly string[], regex: RegExp): number[] {
  const found: number[] = [];
  for (let index = 0; index < texts.length; index++) {
    regex.lastIndex = 0;
    if (regex.test(texts[index] as string)) found.push(index);
  }
  return found;
}
