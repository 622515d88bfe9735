/** Searches the texts of files: in place where the pattern cannot take long, else in a thread that can be ended. */
import { isPlain, scanOf } from "./line_scan.ts";
import { type BatchLimits, type LineMatch, matchTexts, type TextBatch } from "./match_lines.ts";
import { type PatternOptions, PatternThread } from "./pattern_thread.ts";

/** The lines of each text in which something was found, with the text's position in its batch. */
export type TextMatches = readonly (readonly [number, readonly LineMatch[]])[];

/** One pattern, and the buffers that texts are read into. Dispose it to end its thread. */
export class TextSearch implements Disposable {
  readonly #search: (batch: TextBatch, limits: BatchLimits) => Promise<TextMatches>;
  readonly #thread: PatternThread | undefined;
  readonly #free: Uint8Array<ArrayBuffer>[] = [];

  /** @param regex For one line, without its end. */
  constructor(regex: RegExp, options: PatternOptions & { readonly literal?: boolean }) {
    if (options.literal || isPlain(regex)) {
      const pattern = { regex, scan: scanOf(regex) };
      this.#search = (batch, limits) => {
        const found = matchTexts(batch, pattern, limits);
        this.#free.push(batch.bytes);
        return Promise.resolve(found);
      };
    } else {
      const thread = this.#thread = new PatternThread(regex, options);
      this.#search = async (batch, limits) => {
        const { found, bytes } = await thread.lines(batch, limits);
        this.#free.push(bytes);
        return found;
      };
    }
  }

  /** A buffer that an earlier batch needs no longer. */
  freeBuffer(): Uint8Array<ArrayBuffer> | undefined {
    return this.#free.pop();
  }

  /** What is found in a batch. Its bytes are gone after it. Searches must not overlap. */
  search(batch: TextBatch, limits: BatchLimits): Promise<TextMatches> {
    return this.#search(batch, limits);
  }

  /** Ends the thread. */
  [Symbol.dispose](): void {
    this.#thread?.[Symbol.dispose]();
  }
}
