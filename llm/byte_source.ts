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
  async next(waitMs: number): Promise<NextBytes> {
    if (this.#reader === undefined) return { kind: "end" };
    const silence = Promise.withResolvers<NextBytes>();
    const stopTimer = startTimer(waitMs, () => silence.resolve({ kind: "silence" }));
    try {
      for (;;) {
        const part = await Promise.race([read(this.#reader), silence.promise]);
        if (part.kind !== "bytes" || part.bytes.length > 0) return part;
      }
    } finally {
      stopTimer();
    }
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

/** Reads parts, each of which may be overwritten by the next. */
interface PartReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
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
  // A caller's own stream may close without answering the read that waits: letting go of the stream ends that read.
  reader.closed.then(() => {
    isOver = true;
    reader.releaseLock();
  }, () => {});
  return {
    async read() {
      // From then on the buffer may be another source's.
      if (isOver) return { done: true };
      try {
        const { done, value } = await reader.read(new Uint8Array(buffer));
        // Where the stream was given up the buffer stays away.
        if (value !== undefined) buffer = value.buffer;
        if (done) isOver = true;
        if (value !== undefined && done && spare.length < MAX_SPARE) spare.push(buffer);
        return { done, value };
      } catch (error) {
        if (isOver) return { done: true };
        throw error;
      }
    },
    cancel: () => reader.cancel(),
  };
}

function read(reader: PartReader): Promise<NextBytes> {
  return reader.read().then(
    ({ done, value }) =>
      done || value === undefined ? { kind: "end" } : { kind: "bytes", bytes: value },
    (error) => ({ kind: "broken", error }),
  );
}
