/**
 * The channel between a host and its guest process: the messages, and frames that carry them over a pipe.
 * A frame is two 32-bit little-endian lengths, a JSON head and a body. The body is JSON text of a script's own (arguments, results),
 * so it is never quoted a second time, and its length is known before anything of it is decoded.
 */
import type { Execution, SandboxLimits } from "../contracts/sandbox.ts";
import type { GuestPack } from "./guest/realm_bridge.ts";

/** What a host sends. The body of `evaluate` is the script's `args`, of `reply` the result. */
export type HostMessage =
  | {
    readonly type: "evaluate";
    readonly id: number;
    readonly source: string;
    readonly hasArgs: boolean;
    readonly seed: number;
    readonly nowMs: number;
    readonly limits: SandboxLimits;
    /** Key of packs that were sent before with `packs`. */
    readonly packs: number;
  }
  | {
    readonly type: "packs";
    readonly key: number;
    readonly packs: readonly GuestPack[];
    /** What the next realm is made for, ahead of need. */
    readonly limits: SandboxLimits;
  }
  | {
    readonly type: "reply";
    readonly id: number;
    readonly sequence: number;
    readonly nowMs: number;
    readonly ok: boolean;
    /** Length of the JSON at the beginning of the body, in UTF-16 units; absent when there is none. */
    readonly jsonLength?: number;
    /** Whether a long text is the rest of the body. */
    readonly hasText?: boolean;
    /** The property that the long text belongs to. */
    readonly textKey?: string;
    readonly name?: string;
    readonly message?: string;
  }
  | { readonly type: "cancel"; readonly id: number };

/** What a guest sends. The body of `call` is the arguments, of `answer` and `done` the value. */
export type GuestMessage =
  | { readonly type: "ready" }
  | { readonly type: "broken"; readonly message: string }
  | {
    readonly type: "call";
    readonly id: number;
    readonly sequence: number;
    readonly name: string;
  }
  | { readonly type: "answer"; readonly id: number }
  | { readonly type: "stuck"; readonly id: number }
  | { readonly type: "memory"; readonly rssBytes: number }
  | {
    readonly type: "done";
    readonly id: number;
    readonly hasValue: boolean;
    readonly execution: Omit<Execution, "valueJson" | "answerJson">;
  };

/** A message with its body. */
export interface Frame<Message> {
  readonly message: Message;
  readonly body: Uint8Array;
}

const LENGTHS_BYTES = 8;
const encoder = new TextEncoder();
/** A mark at the beginning of a body is a character of its text. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Writes a frame. */
export function encodeFrame(
  message: HostMessage | GuestMessage,
  body?: string,
): Uint8Array<ArrayBuffer> {
  const batch = new Batch();
  batch.add(message, body);
  return batch.take();
}

/** Frames that are written together. */
export interface FrameBatch {
  /** Adds a frame; it is written at the end of what the program is doing just now. */
  add(message: HostMessage | GuestMessage, body?: string): void;
}

/** Gathers the frames of one go, so that many scripts at once do not cost a system call each. `write` owns the bytes it gets. */
export function createFrameBatch(write: (bytes: Uint8Array<ArrayBuffer>) => void): FrameBatch {
  const batch = new Batch();
  let scheduled = false;
  const flush = (): void => {
    scheduled = false;
    write(batch.take());
  };
  return {
    add(message, body) {
      batch.add(message, body);
      if (scheduled) return;
      scheduled = true;
      queueMicrotask(flush);
    },
  };
}

/** A batch keeps no more room than this between two writes. */
const KEPT_BYTES = 262_144;

class Batch {
  #buffer = new Uint8Array(4096);
  #filled = 0;

  add(message: HostMessage | GuestMessage, body: string = ""): void {
    const head = JSON.stringify(message);
    // A UTF-16 unit takes three bytes at most.
    this.#reserve(LENGTHS_BYTES + 3 * (head.length + body.length));
    const start = this.#filled;
    const headBytes = this.#append(head, start + LENGTHS_BYTES);
    const bodyBytes = this.#append(body, start + LENGTHS_BYTES + headBytes);
    const view = new DataView(this.#buffer.buffer, start, LENGTHS_BYTES);
    view.setUint32(0, headBytes, true);
    view.setUint32(4, bodyBytes, true);
    this.#filled = start + LENGTHS_BYTES + headBytes + bodyBytes;
  }

  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#buffer.slice(0, this.#filled);
    this.#filled = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = new Uint8Array(4096);
    return bytes;
  }

  #append(text: string, at: number): number {
    return text === "" ? 0 : encoder.encodeInto(text, this.#buffer.subarray(at)).written;
  }

  #reserve(bytes: number): void {
    const needed = this.#filled + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#filled));
    this.#buffer = larger;
  }
}

/** The text of a body. */
export function bodyText(body: Uint8Array): string {
  return decoder.decode(body);
}

/** Reads frames out of pieces of any size. */
export interface FrameReader<Message> {
  /**
   * Takes a piece and calls back for each frame that it completes. The body is only valid during the call.
   *
   * @throws {RangeError} when a frame says that it is larger than the bound: whoever wrote it is not to be trusted any more.
   */
  push(piece: Uint8Array, onFrame: (frame: Frame<Message>) => void): void;
}

/** Makes a reader that refuses frames of more than `maxBytes()`. */
export function createFrameReader<Message>(maxBytes: () => number): FrameReader<Message> {
  let buffer = new Uint8Array(65_536);
  let filled = 0;

  function append(piece: Uint8Array): void {
    const needed = filled + piece.length;
    if (needed > buffer.length) {
      const larger = new Uint8Array(Math.max(needed, buffer.length * 2));
      larger.set(buffer.subarray(0, filled));
      buffer = larger;
    }
    buffer.set(piece, filled);
    filled = needed;
  }

  return {
    push(piece, onFrame) {
      append(piece);
      let at = 0;
      while (filled - at >= LENGTHS_BYTES) {
        const view = new DataView(buffer.buffer, at, LENGTHS_BYTES);
        const headBytes = view.getUint32(0, true);
        const bodyBytes = view.getUint32(4, true);
        const total = LENGTHS_BYTES + headBytes + bodyBytes;
        if (total > maxBytes()) {
          throw new RangeError(`A frame of ${total} bytes is over the bound.`);
        }
        if (filled - at < total) break;
        const start = at + LENGTHS_BYTES;
        const head = buffer.subarray(start, start + headBytes);
        const body = buffer.subarray(start + headBytes, at + total);
        at += total;
        onFrame({ message: JSON.parse(decoder.decode(head)) as Message, body });
      }
      if (at > 0) {
        buffer.copyWithin(0, at, filled);
        filled -= at;
      }
      if (filled === 0 && buffer.length > 1_048_576) buffer = new Uint8Array(65_536);
    },
  };
}
