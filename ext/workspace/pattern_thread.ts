/**
 * Runs regular expressions where they can be ended: a pattern that takes exponential time holds its own thread only, until that is terminated.
 * A thread is started with the first text and lives as long as one call.
 *
 * The runtime terminates a thread that computes only when it is one of `node:worker_threads` that holds a lock; any other goes on computing for
 * ever, and the program does not end.
 */
import { Worker } from "node:worker_threads";
import { byteCharacters, linePattern } from "./line_scan.ts";
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
  | {
    readonly shared?: SharedArrayBuffer;
    readonly ends: readonly number[];
    readonly limits: BatchLimits;
  }
  | { readonly whole: readonly string[] };

/** What it answers. */
type Answer =
  | { readonly ready: true }
  | { readonly value: unknown; readonly spentMs: number }
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
  #shared: SharedArrayBuffer = new SharedArrayBuffer(0);

  /** @param regex What to look for. */
  constructor(regex: RegExp, options: PatternOptions) {
    this.#regex = regex;
    this.#options = options;
    this.#leftMs = options.timeoutMs;
  }

  /**
   * The matching lines of a batch, which is free when this returns. Rejects when the call's time for matching is over; asks must not overlap.
   */
  async lines(
    { bytes, ends }: TextBatch,
    limits: BatchLimits,
  ): Promise<readonly (readonly [number, LineMatch[]])[]> {
    const length = ends.at(-1) ?? 0;
    // Of what is handed over in another way the runtime makes several copies.
    const isLarger = this.#shared.byteLength < length;
    if (isLarger) this.#shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(this.#shared).set(bytes.subarray(0, length));
    const shared = isLarger ? { shared: this.#shared } : {};
    return await this.#ask({ ...shared, ends, limits }) as [number, LineMatch[]][];
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
        worker.postMessage(question);
      };
      signal?.addEventListener("abort", abort);
      worker.on("message", (answer: Answer) => {
        if ("ready" in answer) return send();
        if ("failure" in answer) {
          return fail(new Error(`the pattern cannot be used: ${answer.failure}`));
        }
        this.#leftMs -= answer.spentMs;
        if (this.#leftMs < 0) return fail(tookTooLong(timeoutMs));
        settle(() => resolve(answer.value));
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
  const { scan, literal } = linePattern(regex);
  const code = `${matchLines}\n${matchText}\n${matchTexts}\n${matchWhole}\n${byteCharacters}
const pattern = { regex: ${codeOf(regex)}, scan: ${codeOf(scan)}, literal: ${
    JSON.stringify(literal)
  } };
const { Buffer } = require("node:buffer");
const { parentPort } = require("node:worker_threads");
let shared = new Uint8Array();
let bytes = new Uint8Array();
function search({ shared: larger, ends, limits }) {
  if (larger) [shared, bytes] = [new Uint8Array(larger), new Uint8Array(larger.byteLength)];
  // Bytes that are shared take twice as long to decode.
  bytes.set(shared.subarray(0, ends.at(-1) ?? 0));
  return matchTexts({ bytes, ends }, pattern, limits, byteCharacters);
}
parentPort.on("message", (question) => {
  const began = performance.now();
  try {
    const value = question.whole ? matchWhole(question.whole, pattern.regex) : search(question);
    parentPort.postMessage({ value, spentMs: performance.now() - began });
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

function codeOf(regex: RegExp | undefined): string {
  if (regex === undefined) return "undefined";
  return `new RegExp(${JSON.stringify(regex.source)}, ${JSON.stringify(regex.flags)})`;
}
