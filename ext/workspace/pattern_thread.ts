/**
 * Runs regular expressions where they can be ended: a pattern that takes exponential time holds its own thread only, until that is terminated.
 * A thread is started with the first text and lives as long as one call.
 *
 * The runtime terminates a thread that computes only when it is one of `node:worker_threads` that holds a lock; any other goes on computing for
 * ever, and the program does not end.
 */
import { Worker } from "node:worker_threads";
import { scanOf } from "./line_scan.ts";
import {
  type BatchLimits,
  type LineMatch,
  matchLines,
  matchText,
  matchTexts,
  matchWhole,
  type TextBatch,
} from "./match_lines.ts";

/** What is asked of the thread. */
type Question =
  | { readonly batch: TextBatch; readonly limits: BatchLimits }
  | { readonly whole: readonly string[] };

/** What it answers. */
type Answer =
  | { readonly ready: true }
  | { readonly value: unknown; readonly spentMs: number; readonly bytes?: Uint8Array<ArrayBuffer> }
  | { readonly failure: string };

/** How long an answer that was ready in time may lie unread, in ms. */
const GRACE_MS = 20;

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

  /**
   * The matching lines of a batch, and its bytes, which are gone meanwhile. Rejects when the call's time for matching is over; asks must not
   * overlap.
   */
  async lines(
    batch: TextBatch,
    limits: BatchLimits,
  ): Promise<
    {
      readonly found: readonly (readonly [number, LineMatch[]])[];
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  > {
    const { bytes, ends } = batch;
    const { value, bytes: back } = await this.#ask({ batch: { bytes, ends }, limits });
    return { found: value as [number, LineMatch[]][], bytes: back ?? new Uint8Array() };
  }

  /** The positions of the texts that match. Rejects when the call's time for matching is over; asks must not overlap. */
  async whole(texts: readonly string[]): Promise<readonly number[]> {
    const { value } = await this.#ask({ whole: texts });
    return value as number[];
  }

  /** Ends the thread. */
  [Symbol.dispose](): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #ask(question: Question): Promise<Extract<Answer, { readonly value: unknown }>> {
    const { signal, timeoutMs } = this.#options;
    signal?.throwIfAborted();
    const isNew = this.#worker === undefined;
    const worker = this.#worker ??= startWorker(this.#regex);
    return new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const settle = (action: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        worker.removeAllListeners();
        action();
      };
      const fail = (error: unknown) => {
        this[Symbol.dispose]();
        settle(() => reject(error));
      };
      const abort = () => fail(signal?.reason);
      const send = () => {
        // What the thread answered while this one was busy is read before the second timer.
        const late = () => timer = setTimeout(() => fail(tookTooLong(timeoutMs)), GRACE_MS);
        timer = setTimeout(late, Math.max(0, this.#leftMs));
        const bytes = "batch" in question ? question.batch.bytes : undefined;
        worker.postMessage(question, bytes === undefined ? [] : [bytes.buffer]);
      };
      signal?.addEventListener("abort", abort);
      worker.on("message", (answer: Answer) => {
        if ("ready" in answer) return send();
        if ("failure" in answer) {
          return fail(new Error(`the pattern cannot be used: ${answer.failure}`));
        }
        this.#leftMs -= answer.spentMs;
        if (this.#leftMs < 0) return fail(tookTooLong(timeoutMs));
        settle(() => resolve(answer));
      });
      worker.on("error", (error: Error) => {
        fail(new Error(`the pattern cannot be used: ${error.message}`));
      });
      if (!isNew) send();
    });
  }
}

/** Says that a pattern took longer than it may. */
export function tookTooLong(timeoutMs: number): Error {
  return new Error(
    `the pattern took longer than ${timeoutMs} ms; make it simpler (no nested + or *), or narrow the search`,
  );
}

/** The thread's code comes as text: so no permission to read it is needed, and nothing is to be found beside the package. */
function startWorker(regex: RegExp): Worker {
  const scan = scanOf(regex);
  const literal = (one: RegExp | undefined) =>
    one && `new RegExp(${JSON.stringify(one.source)}, ${JSON.stringify(one.flags)})`;
  const code = `${matchLines}\n${matchText}\n${matchTexts}\n${matchWhole}
const { parentPort } = require("node:worker_threads");
const pattern = { regex: ${literal(regex)}, scan: ${literal(scan)} };
parentPort.on("message", (question) => {
  const began = performance.now();
  try {
    const bytes = question.batch?.bytes;
    const value = question.whole
      ? matchWhole(question.whole, pattern.regex)
      : matchTexts(question.batch, pattern, question.limits);
    const spentMs = performance.now() - began;
    parentPort.postMessage({ value, spentMs, bytes }, bytes ? [bytes.buffer] : []);
  } catch (error) {
    parentPort.postMessage({ failure: String(error?.message) });
  }
});
navigator.locks.request(${JSON.stringify(crypto.randomUUID())}, () => {
  parentPort.postMessage({ ready: true });
  return new Promise(() => {});
});`;
  return new Worker(code, { eval: true });
}
