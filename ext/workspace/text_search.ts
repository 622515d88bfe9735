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
    if (this.#bytesInPlace > 0) {
      // What looks for a text first is done with it before a thread would be.
      if (this.#pattern.literal === undefined) this.#bytesInPlace -= batch.ends.at(-1) ?? 0;
      return matchTexts(batch, this.#pattern, limits, byteCharacters);
    }
    if (this.#pattern.literal === undefined) return await this.#thread.lines(batch, limits);
    const holding = textsHolding(batch, this.#pattern.literal);
    if (holding.length === 0) return [];
    const found = await this.#thread.lines(textsOf(batch, holding), limits);
    return found.map(([index, lines]) => [holding[index] ?? 0, lines]);
  }

  /** Ends the thread. */
  [Symbol.dispose](): void {
    this.#thread[Symbol.dispose]();
  }
}

/** The positions of the texts that hold some bytes, given as one character for each. */
function textsHolding({ bytes, ends }: TextBatch, literal: string): readonly number[] {
  const all = byteCharacters(bytes.subarray(0, ends.at(-1) ?? 0));
  const holding: number[] = [];
  for (let index = 0; index < ends.length; index++) {
    const at = all.indexOf(literal, ends[index - 1] ?? 0);
    if (at === -1) break;
    while ((ends[index] ?? 0) <= at) index++;
    holding.push(index);
  }
  return holding;
}

/** A batch of some of the texts of a batch. */
function textsOf({ bytes, ends }: TextBatch, indexes: readonly number[]): TextBatch {
  const texts = indexes.map((index) => bytes.subarray(ends[index - 1] ?? 0, ends[index]));
  const some = new Uint8Array(texts.reduce((sum, text) => sum + text.length, 0));
  let at = 0;
  return {
    bytes: some,
    ends: texts.map((text) => {
      some.set(text, at);
      return at += text.length;
    }),
  };
}
