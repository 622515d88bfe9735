/**
 * Reads a model's reply line by line: reasoning sections, fenced blocks (CommonMark) and prose. It says what is there and leaves what
 * that means to reply.ts. Whichever opens first owns what follows: a fence inside reasoning is reasoning, a tag inside a fence is code.
 */
import { eachLine } from "../contracts/each_line.ts";

/** A fenced block outside reasoning. */
export interface FencedBlock {
  /** First word of the info string in lower case; "" when there is none. */
  readonly language: string;
  /** The content, lines joined by "\n", the fence's own indentation taken off. */
  readonly source: string;
  /** Whether its closing fence was there. */
  readonly closed: boolean;
}

/** What a reply is made of. */
export interface ScannedReply {
  /** The reply without its reasoning, blocks included, otherwise unchanged. */
  readonly visible: string;
  /** The visible text outside fences. */
  readonly prose: string;
  /** The fenced blocks, in order; only the last can be unclosed. */
  readonly blocks: readonly FencedBlock[];
  /** Where in `visible` the first line outside fences stands that is exactly `DONE`. */
  readonly done?: { readonly start: number; readonly end: number };
  /** The reply ends inside a reasoning section. */
  readonly unfinishedReasoning: boolean;
}

/** Takes a reply apart. Takes time linear in its length and never throws. */
export function scanReply(text: string): ScannedReply {
  // What stands beside calls of tools, most of the time.
  if (text === "") return { visible: "", prose: "", blocks: [], unfinishedReasoning: false };
  const scanner = new ReplyScanner();
  eachLine(text, (line, ending) => scanner.takeLine(line, ending));
  return scanner.finish();
}

/** An opened fence and the lines that it holds so far. */
interface OpenFence {
  readonly mark: string;
  readonly length: number;
  readonly indent: number;
  readonly language: string;
  readonly lines: string[];
}

class ReplyScanner {
  #visible = "";
  #prose = "";
  #blocks: FencedBlock[] = [];
  #fence: OpenFence | undefined;
  #reasoning = false;
  #done: { start: number; end: number } | undefined;

  takeLine(line: string, ending: string): void {
    if (this.#fence !== undefined) this.#takeFencedLine(this.#fence, line, ending);
    else this.#takeOpenLine(line, ending);
  }

  finish(): ScannedReply {
    if (this.#fence !== undefined) this.#closeFence(this.#fence, false);
    return {
      visible: this.#visible,
      prose: this.#prose,
      blocks: this.#blocks,
      unfinishedReasoning: this.#reasoning,
      ...(this.#done === undefined ? {} : { done: this.#done }),
    };
  }

  #takeFencedLine(fence: OpenFence, line: string, ending: string): void {
    this.#visible += line + ending;
    if (closesFence(line, fence)) this.#closeFence(fence, true);
    else fence.lines.push(unindent(line, fence.indent));
  }

  #closeFence(fence: OpenFence, closed: boolean): void {
    this.#blocks.push({ language: fence.language, source: fence.lines.join("\n"), closed });
    this.#fence = undefined;
  }

  /** Takes a line outside fences. Tags may stand anywhere in it; a fence only where a line, or what follows reasoning, begins. */
  #takeOpenLine(line: string, ending: string): void {
    let from = 0;
    if (!this.#reasoning && this.#openFence(line, ending)) return;
    for (const tag of findTags(line)) {
      if (this.#reasoning) {
        if (!tag.closing) continue;
        this.#reasoning = false;
        from = tag.end;
      } else if (tag.closing) {
        if (tag.inCode) continue;
        // Its opening was swallowed on the way here: all that came before it was reasoning.
        this.#visible = this.#prose = "";
        this.#blocks = [];
        this.#done = undefined;
        from = tag.end;
      } else if (!tag.inCode) {
        this.#takeProse(line.slice(from, tag.start));
        this.#reasoning = true;
      }
    }
    if (this.#reasoning) return;
    const rest = line.slice(from);
    if (from > 0 && this.#openFence(rest, ending)) return;
    const start = this.#visible.length;
    this.#takeProse(rest + ending);
    if (rest.trim() === "DONE") this.#done ??= { start, end: this.#visible.length };
  }

  #takeProse(text: string): void {
    this.#visible += text;
    this.#prose += text;
  }

  /** Opens a fence when the line is one. */
  #openFence(line: string, ending: string): boolean {
    if (!line.includes("```") && !line.includes("~~~")) return false;
    const [, indent = "", marks = "", info = ""] = /^( {0,3})(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
    const mark = marks[0];
    // Backticks in the info string make it code within a line.
    if (mark === undefined || (mark === "`" && info.includes("`"))) return false;
    const language = /^[\w+#-]*/.exec(info.trimStart())?.[0].toLowerCase() ?? "";
    this.#fence = { mark, length: marks.length, indent: indent.length, language, lines: [] };
    this.#visible += line + ending;
    return true;
  }
}

/** Whether a line closes a fence: the same mark, at least as often, and nothing else but white space. */
function closesFence(line: string, fence: OpenFence): boolean {
  const [, marks = ""] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line) ?? [];
  return marks[0] === fence.mark && marks.length >= fence.length;
}

/** Takes up to `indent` leading spaces off a line. */
function unindent(line: string, indent: number): string {
  let spaces = 0;
  while (spaces < indent && line[spaces] === " ") spaces++;
  return line.slice(spaces);
}

/** A reasoning tag in a line. */
interface Tag {
  readonly start: number;
  readonly end: number;
  readonly closing: boolean;
  /** It stands between backticks, so it is spoken of and not meant. */
  readonly inCode: boolean;
}

/** The reasoning tags of a line. */
function findTags(line: string): Tag[] {
  if (!line.includes("<")) return [];
  const tags: Tag[] = [];
  const found = [...line.matchAll(/`+|<(\/?)(?:think|thinking|reasoning)>/gi)];
  // A run of backticks opens a code span only when a run of the same length follows.
  const lastRun = new Map<number, number>();
  for (const match of found) {
    if (match[0][0] === "`") lastRun.set(match[0].length, match.index);
  }
  let span = 0;
  for (const match of found) {
    const length = match[0].length;
    if (match[0][0] !== "`") {
      const closing = match[1] === "/";
      tags.push({ start: match.index, end: match.index + length, closing, inCode: span > 0 });
    } else if (span === length) span = 0;
    else if (span === 0 && (lastRun.get(length) ?? 0) > match.index) span = length;
  }
  return tags;
}
