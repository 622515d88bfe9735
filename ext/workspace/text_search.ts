/** Searches the texts of files: in place where the pattern cannot take long, else in a thread that can be ended. */
import { isPlain, scanOf } from "./line_scan.ts";
import { type BatchLimits, type LineMatch, matchTexts, type TextBatch } from "./match_lines.ts";
import { type PatternOptions, PatternThread } from "./pattern_thread.ts";

/** The lines of each text in which something was found, with the text's position in its batch. */
export type TextMatches = readonly (readonly [number, readonly LineMatch[]])[];

/** One pattern. Dispose it to end its thread. */
export class TextSearch implements Disposable {
  readonly #search: (batch: TextBatch, limits: BatchLimits) => Promise<TextMatches>;
  readonly #thread: PatternThread | undefined;

  /** @param regex For one line, without its end. */
  constructor(regex: RegExp, options: PatternOptions & { readonly literal?: boolean }) {
    if (options.literal || isPlain(regex)) {
      const pattern = { regex, scan: scanOf(regex) };
      this.#search = (batch, limits) => Promise.resolve(matchTexts(batch, pattern, limits));
    } else {
      const thread = this.#thread = new PatternThread(regex, options);
      this.#search = (batch, limits) => thread.lines(batch, limits);
    }
  }

  /** What is found in a batch, which is free when this returns. Searches must not overlap. */
  search(batch: TextBatch, limits: BatchLimits): Promise<TextMatches> {
    return this.#search(batch, limits);
  }

  /** Ends the thread. */
  [Symbol.dispose](): void {
    this.#thread?.[Symbol.dispose]();
  }
}
