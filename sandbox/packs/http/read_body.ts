/** Reads the body of an answer: decompressed, and no further than the limit, which counts what comes out of the decompression. */
import type { IncomingMessage } from "node:http";
import { Readable, type Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { HttpFailure } from "./http_failure.ts";

/** More encodings on one another than any server has a reason for. */
const MAX_ENCODINGS = 3;
/** Room for a body before more is made. */
const FIRST_BYTES = 16 * 1024;
const KNOWN_ENCODINGS = new Set(["gzip", "x-gzip", "deflate", "br"]);

/**
 * Reads a body to its end, or fails at the limit and reads no more of it.
 *
 * @throws {HttpFailure} when the body is over the limit or cannot be decompressed.
 * @throws {Error} what the connection failed with.
 */
export async function readBody(
  answer: IncomingMessage,
  { maxBytes }: { readonly maxBytes: number },
): Promise<Uint8Array> {
  const encodings = encodingsOf(answer);
  if (encodings.length > 0) return await readEncoded(answer, { encodings, maxBytes });
  refuseAnnounced(answer, maxBytes);
  const sink = new BoundedSink(maxBytes);
  await new Promise<void>((resolve, reject) => {
    const onClose = () => reject(answer.errored ?? closedEarly());
    if (answer.destroyed) return onClose();
    answer.on("data", (piece: Uint8Array) => {
      if (!sink.take(piece)) reject(overLimit(`more than ${maxBytes}`, maxBytes));
    });
    answer.on("end", resolve);
    answer.on("error", reject);
    answer.on("close", onClose);
  });
  return sink.bytes();
}

async function readEncoded(
  answer: IncomingMessage,
  { encodings, maxBytes }: { readonly encodings: readonly string[]; readonly maxBytes: number },
): Promise<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = answer[Symbol.asyncIterator]();
  const first = await chunks.next();
  // Empty bodies are not compressed, whatever the header says.
  if (first.done) return new Uint8Array();
  const decoders = encodings.map((encoding, index) =>
    decoderFor(encoding, index === 0 ? first.value : undefined)
  );
  const sink = new BoundedSink(maxBytes);
  const writable = new Writable({
    write: (piece: Uint8Array, _encoding, done) =>
      done(sink.take(piece) ? null : new RangeError("over the limit")),
  });
  try {
    await pipeline([Readable.from(withFirst(first.value, chunks)), ...decoders, writable]);
  } catch (error) {
    if (sink.isOver) throw overLimit(`more than ${maxBytes}`, maxBytes);
    if (answer.errored !== null) throw answer.errored ?? error;
    throw new HttpFailure(`the body is not what its header says: ${encodings.join(", ")}`);
  }
  return sink.bytes();
}

function closedEarly(): Error {
  return Object.assign(new Error("closed"), { code: "ECONNRESET" });
}

/**
 * Keeps the bytes of a body up to a limit. They are copied out of their pieces: how many of those there are is the server's choice, and each holds
 * some hundred bytes beside its own.
 */
class BoundedSink {
  #kept = new Uint8Array(FIRST_BYTES);
  readonly #maxBytes: number;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isOver(): boolean {
    return this.#length > this.#maxBytes;
  }

  /** Takes a piece; false when that made it too much, and the piece was not kept. */
  take(piece: Uint8Array): boolean {
    const at = this.#length;
    this.#length += piece.length;
    if (this.isOver) return false;
    if (this.#length > this.#kept.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#kept.length));
      larger.set(this.#kept.subarray(0, at));
      this.#kept = larger;
    }
    this.#kept.set(piece, at);
    return true;
  }

  bytes(): Uint8Array {
    return this.#kept.subarray(0, this.#length);
  }
}

/** What was read already, then the rest. Ending it early destroys the answer. */
async function* withFirst(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** The encodings in the order in which they are taken off. */
function encodingsOf({ headers }: IncomingMessage): readonly string[] {
  const named = (headers["content-encoding"] ?? "").toLowerCase().split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (named.length > MAX_ENCODINGS) {
    throw new HttpFailure(`the body is encoded ${named.length} times over`);
  }
  const unknown = named.find((name) => !KNOWN_ENCODINGS.has(name));
  if (unknown !== undefined) {
    throw new HttpFailure(
      `the body is encoded as ${JSON.stringify(unknown.slice(0, 40))}, which cannot be read here`,
    );
  }
  return named.reverse();
}

function decoderFor(encoding: string, first: Uint8Array | undefined): Transform {
  if (encoding === "br") return createBrotliDecompress();
  if (encoding !== "deflate") return createGunzip();
  // Some servers leave the zlib header away, which has an 8 in its first byte.
  return first !== undefined && (first[0]! & 0x0f) !== 8 ? createInflateRaw() : createInflate();
}

/** Refuses at once what says beforehand that it is too large. */
function refuseAnnounced({ headers }: IncomingMessage, maxBytes: number): void {
  const length = Number(headers["content-length"] ?? 0);
  if (length > maxBytes) throw overLimit(String(length), maxBytes);
}

function overLimit(size: string, maxBytes: number): HttpFailure {
  return new HttpFailure(
    `the body has ${size} bytes, the limit is ${maxBytes} (maxBytes); ask for less at once, such as one page or a range`,
    "RangeError",
  );
}
