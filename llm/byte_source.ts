/**
 * The bytes of a response body, one part after another, with a limit on the silence between them. Owns the body: whoever made it disposes it.
 */

/** What a wait for the next bytes brought. `silence` and `broken` leave the source to be disposed. */
export type NextBytes =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "silence" }
  | { readonly kind: "broken"; readonly error: unknown };

/** Reads a body. */
export class ByteSource implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  /** Takes over the body of a response; `null` is an empty one. */
  constructor(body: ReadableStream<Uint8Array> | null) {
    this.#reader = body?.getReader();
  }

  /** Waits for the next bytes, for `waitMs` at most. Parts of no bytes are passed over. Never rejects. */
  async next(waitMs: number): Promise<NextBytes> {
    if (this.#reader === undefined) return { kind: "end" };
    const silence = Promise.withResolvers<NextBytes>();
    const timer = setTimeout(() => silence.resolve({ kind: "silence" }), Math.max(0, waitMs));
    try {
      for (;;) {
        const part = await Promise.race([read(this.#reader), silence.promise]);
        if (part.kind !== "bytes" || part.bytes.length > 0) return part;
      }
    } finally {
      clearTimeout(timer);
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

function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<NextBytes> {
  return reader.read().then(
    ({ done, value }) => done ? { kind: "end" } : { kind: "bytes", bytes: value },
    (error) => ({ kind: "broken", error }),
  );
}
