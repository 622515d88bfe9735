/** Searches the texts of files: in place where they are few and the pattern cannot take long, else in a thread that can be ended. */
import { byteCharacters, isPlain, linePattern } from "./line_scan.ts";
import {
  type BatchLimits,
  type LineMatch,
  type LinePattern,
  matchTexts,
  type TextBatch,
} from "./match_lines.ts";
import { type PatternOptions, PatternThread } from "./pattern_thread.ts";

/** Texts that are searched in place, in bytes, if the pattern allows it. After them it pays to start a thread that searches while others are read. */
const IN_PLACE_BYTES = 4 * 1024 * 1024;

/** The lines of each text in which something was found, with the text's position in its batch. */
export type TextMatches = readonly (readonly [number, readonly LineMatch[]])[];

/** One pattern. Dispose it to end its thread. */
export class TextSearch implements Disposable {
  readonly #pattern: LinePattern;
  readonly #thread: PatternThread;
  #bytesInPlace: number;

  /** @param regex For one line, without its end. */
  constructor(regex: RegExp, options: PatternOptions & { readonly literal?: boolean }) {
    this.#pattern = linePattern(regex);
    this.#thread = new PatternThread(regex, options);
    this.#bytesInPlace = options.literal || isPlain(regex) ? IN_PLACE_BYTES : 0;
  }

  /** What is found in a batch, which is free when this returns. Searches must not overlap. */
  async search(batch: TextBatch, limits: BatchLimits): Promise<TextMatches> {
    if (this.#bytesInPlace <= 0) return await this.#thread.lines(batch, limits);
    this.#bytesInPlace -= batch.ends.at(-1) ?? 0;
    return matchTexts(batch, this.#pattern, limits, byteCharacters);
  }

  /** Ends the thread. */
  [Symbol.dispose](): void {
    this.#thread[Symbol.dispose]();
  }
}
