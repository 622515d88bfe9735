/**
 * Runs regular expressions where they can be ended: a pattern that takes exponential time holds its own thread only, until that is terminated.
 * A thread is started with the first text and lives as long as one call.
 */
import { type LineMatch, type MatchLimits, matchLines, matchWhole } from "./match_lines.ts";

/** What is asked of the thread. */
type Question =
  | { readonly lines: readonly string[]; readonly limits: MatchLimits }
  | { readonly whole: readonly string[] };

/** How to run a pattern. */
export interface PatternOptions {
  /** Time that all matching of the call may take, in ms. */
  readonly timeoutMs: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** A regular expression in its own thread. Dispose it to end the thread. */
export class PatternThread implements Disposable {
  readonly #regex: RegExp;
  readonly #options: PatternOptions;
  #worker: Worker | undefined;
  #leftMs: number;

  /** @param regex What to look for. */
  constructor(regex: RegExp, options: PatternOptions) {
    this.#regex = regex;
    this.#options = options;
    this.#leftMs = options.timeoutMs;
  }

  /** The matching lines of each text. Rejects when the call's time for matching is over; asks must not overlap. */
  async lines(texts: readonly string[], limits: MatchLimits): Promise<readonly LineMatch[][]> {
    return await this.#ask({ lines: texts, limits }) as LineMatch[][];
  }

  /** The positions of the texts that match. Rejects when the call's time for matching is over; asks must not overlap. */
  async whole(texts: readonly string[]): Promise<readonly number[]> {
    return await this.#ask({ whole: texts }) as number[];
  }

  /** Ends the thread. */
  [Symbol.dispose](): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #ask(question: Question): Promise<unknown> {
    const { signal, timeoutMs } = this.#options;
    signal?.throwIfAborted();
    const worker = this.#worker ??= startWorker(this.#regex);
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const settle = (action: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        this.#leftMs -= performance.now() - began;
        action();
      };
      const fail = (error: unknown) => {
        this[Symbol.dispose]();
        settle(() => reject(error));
      };
      const abort = () => fail(signal?.reason);
      const timer = setTimeout(
        () =>
          fail(
            new Error(
              `the pattern took longer than ${timeoutMs} ms; make it simpler (no nested + or *), or narrow the search`,
            ),
          ),
        Math.max(0, this.#leftMs),
      );
      signal?.addEventListener("abort", abort);
      worker.onmessage = ({ data }) => settle(() => resolve(data));
      worker.onerror = (event) => {
        event.preventDefault();
        fail(new Error(`the pattern cannot be used: ${event.message}`));
      };
      worker.postMessage(question);
    });
  }
}

/** The thread's code comes as text: so no permission to read it is needed, and nothing is to be found beside the package. */
function startWorker(regex: RegExp): Worker {
  const code = `${matchLines}\n${matchWhole}
const regex = new RegExp(${JSON.stringify(regex.source)}, ${JSON.stringify(regex.flags)});
self.onmessage = ({ data }) => self.postMessage(data.whole
  ? matchWhole(data.whole, regex)
  : data.lines.map((text) => matchLines(text, regex, data.limits)));`;
  return new Worker(`data:text/javascript,${encodeURIComponent(code)}`, { type: "module" });
}
