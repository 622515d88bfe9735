/**
 * What a pattern finds in texts. The functions are also sent as text to a thread that can be ended (`pattern_thread.ts`), so that they refer to
 * nothing but their parameters and one another.
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

/** How much of what is found in several texts to keep. */
export interface BatchLimits extends MatchLimits {
  /** Characters of all lines to keep. */
  readonly maxCharacters: number;
  /** Bytes at the beginning of a file that are searched for a NUL. */
  readonly sniffedBytes: number;
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

/** A pattern in the forms in which it is run. */
export interface LinePattern {
  /** For one line, without its end. */
  readonly regex: RegExp;
  /** For a whole text, where there is one: see `line_scan.ts`. */
  readonly scan?: RegExp;
  /** What every match holds, if that is known: the bytes of it in UTF-8, each as one character. */
  readonly literal?: string;
}

/** Texts that lie behind one another in one buffer. */
export interface TextBatch {
  /** UTF-8, if it is text at all. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each text ends. */
  readonly ends: readonly number[];
}

/**
 * The lines of the texts of a batch, each with the text's position; no more texts than it takes to pass a limit.
 *
 * @param toCharacters Makes one character of each byte.
 */
export function matchTexts(
  { bytes, ends }: TextBatch,
  pattern: LinePattern,
  limits: BatchLimits,
  toCharacters: (bytes: Uint8Array<ArrayBuffer>) => string,
): [number, LineMatch[]][] {
  const { literal } = pattern;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const all = literal === undefined ? "" : toCharacters(bytes.subarray(0, ends.at(-1) ?? 0));
  const found: [number, LineMatch[]][] = [];
  let { maxMatches, maxCharacters } = limits;
  for (let index = 0; index < ends.length && maxMatches >= 0 && maxCharacters >= 0; index++) {
    const start = ends[index - 1] ?? 0;
    if (literal !== undefined) {
      const at = all.indexOf(literal, start);
      if (at === -1) break;
      while ((ends[index] ?? 0) <= at) index++;
    }
    const content = bytes.subarray(ends[index - 1] ?? 0, ends[index]);
    if (content.subarray(0, limits.sniffedBytes).includes(0)) continue;
    let text: string;
    try {
      text = decoder.decode(content);
    } catch {
      continue;
    }
    const lines = matchText(text, pattern, { ...limits, maxMatches });
    if (lines.length === 0) continue;
    found.push([index, lines]);
    maxMatches -= lines.length;
    for (const { text, before = [], after = [] } of lines) {
      maxCharacters -= text.length + before.join("").length + after.join("").length;
    }
  }
  return found;
}

/** The lines of a text that a pattern matches, one more at most than is kept. */
export function matchText(
  text: string,
  { regex, scan }: Pick<LinePattern, "regex" | "scan">,
  limits: MatchLimits,
): LineMatch[] {
  return scan === undefined
    ? matchLines(text, regex, limits)
    : matchLines(text, regex, limits, (from) => {
      scan.lastIndex = from;
      return scan.exec(text)?.index;
    });
}

/**
 * The lines of a text that a regular expression matches, one more at most than is kept.
 *
 * @param next From the beginning of a line: a position in the next line that may match, if there is one. Without it each line is tried.
 */
export function matchLines(
  text: string,
  regex: RegExp,
  limits: MatchLimits,
  next?: (from: number) => number | undefined,
): LineMatch[] {
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
    const candidate = next === undefined ? start : next(start);
    if (candidate === undefined) break;
    for (let skipped = text.indexOf("\n", start); skipped !== -1 && skipped < candidate;) {
      line++;
      start = skipped + 1;
      skipped = text.indexOf("\n", start);
    }
    if (start >= text.length) break;
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
