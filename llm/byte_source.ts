/**
 * The bytes of a response body, one part after another, with a limit on the silence between them. Owns the body: whoever made it disposes it.
 *
 * The parts are read into one buffer, again and again: to let the runtime make one for each, of 64 KiB, takes more time than all else that a short reply needs.
 */
import { startTimer } from "../contracts/timer.ts";

/** What a wait for the next bytes brought: `bytes` are there until the next wait. `silence` and `broken` leave the source to be disposed. */
export type NextBytes =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "silence" }
  | { readonly kind: "broken"; readonly error: unknown };

const END: NextBytes = { kind: "end" };

/** Holds more than a server sends at once while a model writes. */
const BUFFER_BYTES = 16_384;
/** Buffers that are kept at most: half a megabyte. */
const MAX_SPARE = 32;

/** The buffers of sources that came to their end, for those that begin. */
const spare: ArrayBuffer[] = [];

/** Reads a body. */
export class ByteSource implements AsyncDisposable {
  readonly #reader: PartReader | undefined;

  /** Takes over the body of a response; none is an empty one. */
  constructor(body: ReadableStream<Uint8Array> | null | undefined) {
    this.#reader = body ? readerOf(body) : undefined;
  }

  /** Waits for the next bytes, for `waitMs` at most. Parts of no bytes are passed over. Never rejects. */
  next(waitMs: number): Promise<NextBytes> {
    const reader = this.#reader;
    if (reader === undefined) return Promise.resolve(END);
    return new Promise((resolve) => {
      let waits = true;
      const settle = (next: NextBytes) => {
        waits = false;
        stopTimer();
        resolve(next);
      };
      const stopTimer = startTimer(waitMs, () => settle({ kind: "silence" }));
      const fail = (error: unknown) => settle({ kind: "broken", error });
      // A caller's own stream may give what are no bytes, and its read may throw: neither is to leave a rejection that nobody hears.
      const take = ({ done, value }: Part) => {
        if (done || value === undefined) settle(END);
        else if (!ArrayBuffer.isView(value)) fail(new TypeError("a part of the body is no bytes"));
        else if (value.length > 0) settle({ kind: "bytes", bytes: value });
        else if (waits) read();
      };
      const read = () => {
        try {
          reader.read().then(take, fail);
        } catch (error) {
          fail(error);
        }
      };
      read();
    });
  }

  /** Reads on to the end, for `waitMs` at most, and throws away what comes. */
  async drain(waitMs: number): Promise<void> {
    const until = performance.now() + waitMs;
    for (let left = waitMs; left > 0; left = until - performance.now()) {
      if ((await this.next(left)).kind !== "bytes") return;
    }
  }

  /** Gives the body up; a response that has not ended is ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    // A body that is already broken has nothing more to tell.
    await this.#reader?.cancel().catch(() => {});
  }
}

/** What a reader read. */
type Part = { readonly done: boolean; readonly value?: Uint8Array | undefined };

/** Reads parts, each of which may be overwritten by the next. */
interface PartReader {
  read(): Promise<Part>;
  cancel(): Promise<void>;
}

function readerOf(body: ReadableStream<Uint8Array>): PartReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    // The stream of a caller's own `fetch` need not be one of bytes.
    return body.getReader();
  }
  let buffer = spare.pop() ?? new ArrayBuffer(BUFFER_BYTES);
  let isOver = false;
  let isWaiting = false;
  const take = ({ done, value }: Part): Part => {
    isWaiting = false;
    // Where the stream was given up the buffer stays away.
    if (value !== undefined) buffer = value.buffer as ArrayBuffer;
    if (done) isOver = true;
    if (value !== undefined && done && spare.length < MAX_SPARE) spare.push(buffer);
    return { done, value };
  };
  const fail = (error: unknown): Part => {
    isWaiting = false;
    if (isOver) return { done: true };
    throw error;
  };
  // A caller's own stream may close without answering the read that waits: letting go of the stream ends that read. Others have answered by the next promise.
  reader.closed.then(() => {}).then(() => {
    isOver = true;
    if (isWaiting) reader.releaseLock();
  }, () => {});
  return {
    read() {
      // From then on the buffer may be another source's.
      if (isOver) return Promise.resolve({ done: true });
      isWaiting = true;
      return reader.read(new Uint8Array(buffer)).then(take, fail);
    },
    // Where all is over there is nothing to give up.
    cancel: () => isOver ? Promise.resolve() : reader.cancel(),
  };
}
