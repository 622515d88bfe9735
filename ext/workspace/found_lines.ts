/** The lines that a search found so far, and how many more it may find. */
import type { BatchLimits, LineMatch } from "./match_lines.ts";
import { SNIFFED_BYTES } from "./read_file.ts";
import type { BatchedFile } from "./text_batch.ts";
import type { TextMatches } from "./text_search.ts";

/** Characters of a line that are returned. */
const LINE_CHARACTERS = 300;

/** Characters that a call returns. */
const MAX_RESULT_CHARACTERS = 1_000_000;

/** Files that are named as skipped. */
const MAX_SKIPPED = 20;

/** A line that was found. */
export interface FoundLine extends LineMatch {
  /** The file, from the root. */
  readonly path: string;
}

/** What was found. */
export interface SearchResult {
  /** The lines, file by file. */
  readonly matches: readonly FoundLine[];
  /** Whether there is more than was returned. */
  readonly truncated: boolean;
  /** Text files that were too large to search, if any. */
  readonly skipped?: readonly string[];
}

/** Collects what is found. */
export class FoundLines {
  readonly #max: number;
  readonly #context: number;
  readonly #matches: FoundLine[] = [];
  readonly #skipped: string[] = [];
  #characters = 0;
  #truncated = false;

  /** @param limits Lines to return, and lines around each. */
  constructor({ max, context }: { readonly max: number; readonly context: number }) {
    this.#max = max;
    this.#context = context;
  }

  /** What may still be found. */
  limits(): BatchLimits {
    return {
      maxMatches: this.#max - this.#matches.length,
      maxCharacters: MAX_RESULT_CHARACTERS - this.#characters,
      context: this.#context,
      lineCharacters: LINE_CHARACTERS,
      sniffedBytes: SNIFFED_BYTES,
    };
  }

  /** Adds what was found in a batch. Returns whether there is room for more. */
  add({ files }: { readonly files: readonly BatchedFile[] }, found: TextMatches): boolean {
    for (const { names, tooLarge } of files) {
      if (tooLarge && this.#skipped.length < MAX_SKIPPED) this.#skipped.push(names.join("/"));
    }
    for (const [index, lines] of found) {
      const path = files[index]?.names.join("/") ?? "";
      for (const line of lines) {
        this.#characters += sizeOf(line);
        this.#truncated = this.#matches.length === this.#max ||
          this.#characters > MAX_RESULT_CHARACTERS;
        if (this.#truncated) return false;
        this.#matches.push({ path, ...line });
      }
    }
    return true;
  }

  /** All of it. */
  result(): SearchResult {
    return {
      matches: this.#matches,
      truncated: this.#truncated,
      ...(this.#skipped.length > 0 && { skipped: this.#skipped }),
    };
  }
}

function sizeOf({ text, before = [], after = [] }: LineMatch): number {
  return [text, ...before, ...after].reduce((sum, line) => sum + line.length, 0);
}
