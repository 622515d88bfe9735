/**
 * Reads one output of a command to its end and keeps its beginning and its end within a bound, whatever comes. What lies between is dropped
 * as it is read, so that the command never waits for a reader.
 */

/** One output that is being read. */
export interface OutputCapture {
  /** Resolves when the output has ended or was let go. Never rejects. */
  readonly done: Promise<void>;
  /** Stops reading: what came so far stays. */
  letGo(): Promise<void>;
  /** What was kept, and whether something was left out. */
  read(): KeptOutput;
}

/** What was kept of an output. */
export interface KeptOutput {
  /** Well-formed text; bytes that are not UTF-8 are U+FFFD. Where something was left out a line of its own says how many bytes. */
  readonly text: string;
  /** Whether something was left out. */
  readonly truncated: boolean;
}

/** What a pipe holds on Linux. */
const READ_BYTES = 65_536;

/** Starts to read. Owns the stream from then on. */
export function captureOutput(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): OutputCapture {
  const kept = new HeadAndTail(maxBytes);
  const reader = stream.getReader({ mode: "byob" });
  const drain = async (): Promise<void> => {
    // One buffer for all reads: endless output would fill the memory with old ones faster than they are collected.
    let buffer = new Uint8Array(READ_BYTES);
    try {
      for (;;) {
        const { value, done } = await reader.read(buffer);
        if (value !== undefined) kept.add(value);
        if (done) return;
        buffer = new Uint8Array(value.buffer);
      }
    } catch {
      // The pipe broke: what came is what there is.
    }
  };
  return {
    done: drain(),
    letGo: () => reader.cancel().catch(() => {}),
    read: () => kept.read(),
  };
}

/** The first and the last bytes of what is added. Takes no more memory than the bound. */
export class HeadAndTail {
  readonly #head: Uint8Array;
  readonly #tail: Uint8Array;
  /** Where in the tail the next byte goes; once it is full the oldest byte is there. */
  #next = 0;
  #total = 0;

  /** @param maxBytes how much is kept: half of it from each end */
  constructor(maxBytes: number) {
    this.#head = new Uint8Array(Math.ceil(maxBytes / 2));
    this.#tail = new Uint8Array(Math.floor(maxBytes / 2));
  }

  /** Adds bytes; they are copied. */
  add(bytes: Uint8Array): void {
    const room = Math.max(0, this.#head.length - this.#total);
    this.#head.set(bytes.subarray(0, room), this.#total < this.#head.length ? this.#total : 0);
    this.#total += bytes.length;
    this.#addToTail(bytes.subarray(room));
  }

  /** What was kept so far. */
  read(): KeptOutput {
    const size = this.#head.length + this.#tail.length;
    if (this.#total <= size) {
      const inTail = Math.max(0, this.#total - this.#head.length);
      const whole = new Uint8Array(this.#total);
      whole.set(this.#head.subarray(0, this.#total));
      whole.set(this.#tail.subarray(0, inTail), this.#total - inTail);
      return { text: decode(whole), truncated: false };
    }
    const head = withoutCutEnd(this.#head);
    const tail = withoutCutStart(this.#tailInOrder());
    const leftOut = this.#total - head.length - tail.length;
    return {
      text: `${decode(head)}\n[... ${leftOut} bytes left out ...]\n${decode(tail)}`,
      truncated: true,
    };
  }

  #addToTail(bytes: Uint8Array): void {
    const size = this.#tail.length;
    if (size === 0) return;
    const last = bytes.subarray(Math.max(0, bytes.length - size));
    // Skipped bytes move the place too, as if they had been written.
    this.#next = (this.#next + bytes.length - last.length) % size;
    const untilEnd = last.subarray(0, size - this.#next);
    this.#tail.set(untilEnd, this.#next);
    this.#tail.set(last.subarray(untilEnd.length), 0);
    this.#next = (this.#next + last.length) % size;
  }

  #tailInOrder(): Uint8Array {
    const ordered = new Uint8Array(this.#tail.length);
    ordered.set(this.#tail.subarray(this.#next), 0);
    ordered.set(this.#tail.subarray(0, this.#next), this.#tail.length - this.#next);
    return ordered;
  }
}

/** Bytes of a character beyond its first, at most. */
const MAX_FOLLOWERS = 3;

/** Leaves out the beginning of a character whose rest was cut off. */
function withoutCutEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(MAX_FOLLOWERS, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (isFollower(byte)) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Leaves out the rest of a character whose beginning was cut off. */
function withoutCutStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < Math.min(MAX_FOLLOWERS, bytes.length) && isFollower(bytes[start]!)) start++;
  return bytes.subarray(start);
}

function isFollower(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
