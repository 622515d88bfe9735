/**
 * A stream of server-sent events to one client. What waits for a client that reads slowly is bounded: first the pieces of an answer are left out, which comes whole later on, and
 * beyond a second bound, or after a time in which nothing was read, the client counts as gone.
 */
import type { JsonValue } from "../../contracts/json.ts";

/** An object of the stream; its `type` is the event's. */
export interface StreamedLine {
  /** The type. */
  readonly type: string;
  /** All else. */
  readonly [key: string]: JsonValue;
}

/** Options of {@linkcode openEventStream}. */
export interface EventStreamOptions {
  /** A comment is sent after so long without an event, in ms: connections that are silent are closed on the way. @default 15_000 */
  readonly heartbeatMs?: number;
  /** Bytes that wait before pieces of answers are left out. @default 262_144 (256 KiB) */
  readonly tightBytes?: number;
  /** Bytes that wait at most, one event excepted. @default 16_777_216 (16 MiB): two of the largest events */
  readonly maxBytes?: number;
  /** How long a client may read nothing while something waits for it, in ms. @default 60_000 */
  readonly stallMs?: number;
}

/** A stream to a client. */
export interface EventStream {
  /** What is sent. */
  readonly body: ReadableStream<Uint8Array>;
  /** Ends when the client is gone; the reason says how. */
  readonly gone: AbortSignal;
  /** Sends an event. */
  send(line: StreamedLine): void;
  /** Lets the stream end behind what was sent. */
  end(): void;
  /** Ends it now; what waits is lost. */
  drop(reason: string): void;
}

/** Opens a stream. It has a timer of its own until the end has been read, or the client is gone. */
export function openEventStream(options: EventStreamOptions = {}): EventStream {
  const {
    heartbeatMs = 15_000,
    tightBytes = 256 * 1024,
    maxBytes = 16 * 1024 * 1024,
    stallMs = 60_000,
  } = options;
  const encoder = new TextEncoder();
  const gone = new AbortController();
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let isEnding = false;
  let isOver = false;
  let wanted: (() => void) | undefined;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let lastReadAt = performance.now();
  let lastSentAt = lastReadAt;

  const timer = setInterval(() => {
    const now = performance.now();
    if (waitingBytes > 0 && now - lastReadAt > stallMs) drop("the client reads nothing");
    else if (waitingBytes === 0 && now - lastSentAt >= heartbeatMs) push(encoder.encode(":\n\n"));
  }, Math.max(1, Math.min(heartbeatMs, stallMs) / 4));

  function push(bytes: Uint8Array): void {
    waiting.push(bytes);
    waitingBytes += bytes.length;
    wanted?.();
  }

  function over(): void {
    isOver = true;
    clearInterval(timer);
    waiting.length = 0;
    waitingBytes = 0;
  }

  function drop(reason: string): void {
    if (isOver) return;
    over();
    controller?.error(new Error(reason));
    wanted?.();
    gone.abort(new DOMException(reason, "AbortError"));
  }

  const body = new ReadableStream<Uint8Array>({
    start(started) {
      controller = started;
    },
    async pull(stream) {
      lastReadAt = performance.now();
      while (waiting.length === 0 && !isEnding && !isOver) {
        await new Promise<void>((resolve) => wanted = resolve);
      }
      wanted = undefined;
      if (isOver) return;
      const bytes = waiting.shift();
      if (bytes === undefined) {
        over();
        return stream.close();
      }
      waitingBytes -= bytes.length;
      lastReadAt = lastSentAt = performance.now();
      stream.enqueue(bytes);
    },
    cancel() {
      if (isOver) return;
      over();
      wanted?.();
      gone.abort(new DOMException("the client went away", "AbortError"));
    },
  }, { highWaterMark: 0 });

  return {
    body,
    gone: gone.signal,
    send(line) {
      if (isOver || isEnding) return;
      if (line.type === "response_chunk" && waitingBytes > tightBytes) return;
      // JSON text has no line feeds, so that one line of data holds it.
      const bytes = encoder.encode(`event: ${line.type}\ndata: ${JSON.stringify(line)}\n\n`);
      if (waitingBytes > 0 && waitingBytes + bytes.length > maxBytes) {
        return drop("the client reads too slowly");
      }
      push(bytes);
    },
    end() {
      isEnding = true;
      wanted?.();
    },
    drop,
  };
}
