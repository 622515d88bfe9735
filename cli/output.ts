/**
 * stdout: what a program that reads us gets, and nothing else. Text is queued and written in order without holding up the run: a reader that
 * pauses must not make the program deaf to Ctrl-C. Owns no other stream.
 */
import type { JsonValue } from "../contracts/json.ts";
import { escapeUnseen } from "./approval/approval_text.ts";
import { CliError, messageOf } from "./failure.ts";
import { escapeControls } from "./terminal_text.ts";

/** The part of `Deno.stdout` that is used. */
export interface OutputStream {
  /** Writes some of the bytes and resolves with their number. */
  write(bytes: Uint8Array): Promise<number>;
  /** The same at once. */
  writeSync(bytes: Uint8Array): number;
  /** Whether a person may be looking. */
  isTerminal(): boolean;
}

/** stdout of the command. */
export interface Output {
  /** JSON lines were asked for. */
  readonly json: boolean;
  /** A person may be looking. */
  readonly isTerminal: boolean;
  /** Ends when the reader went away or nothing more can be written; the reason is what happened. */
  readonly closed: AbortSignal;
  /** Queues text; at a terminal its control characters are escaped. Does nothing in JSON mode. */
  text(text: string): void;
  /** Queues text for a terminal that was made fit for one already, styles included. Does nothing in JSON mode. */
  rendered(text: string): void;
  /** Queues one object as a line. Does nothing unless in JSON mode. */
  line(value: JsonValue): void;
  /** Resolves when all that was queued is written or cannot be. */
  flush(): Promise<void>;
  /** Writes one object as the last line at once, when nothing is waiting before it; for the way out that waits for nothing. */
  lastLine(value: JsonValue): void;
}

/** The reader of stdout went away (`| head -1`): not a failure to tell anyone about. */
export class ReaderGone extends Error {
  /** Creates the reason that {@linkcode Output.closed} ends with. */
  constructor() {
    super("the reader of stdout went away");
    this.name = "ReaderGone";
  }
}

/** Opens stdout in one of its two modes. */
export function openOutput(stream: OutputStream, json: boolean): Output {
  const encoder = new TextEncoder();
  const closed = new AbortController();
  const queue: Uint8Array[] = [];
  let draining: Promise<void> | undefined;

  /** At a terminal what it would obey, or hide, is written as escapes of JSON: the object is the same. */
  function jsonLine(value: JsonValue): string {
    const text = JSON.stringify(value);
    return `${stream.isTerminal() ? escapeUnseen(text) : text}\n`;
  }

  function enqueue(text: string): void {
    if (closed.signal.aborted) return;
    queue.push(encoder.encode(text));
    draining ??= drain();
  }

  async function drain(): Promise<void> {
    try {
      for (let bytes = queue[0]; bytes !== undefined; bytes = queue[0]) {
        for (let at = 0; at < bytes.length;) at += await stream.write(bytes.subarray(at));
        queue.shift();
      }
    } catch (error) {
      queue.length = 0;
      closed.abort(
        error instanceof Deno.errors.BrokenPipe
          ? new ReaderGone()
          : new CliError("output", `Cannot write to stdout: ${messageOf(error)}`, { cause: error }),
      );
    }
    draining = undefined;
  }

  return {
    json,
    isTerminal: stream.isTerminal(),
    closed: closed.signal,
    text(text) {
      if (!json) enqueue(stream.isTerminal() ? escapeControls(text) : text);
    },
    rendered(text) {
      if (!json) enqueue(text);
    },
    line(value) {
      if (json) enqueue(jsonLine(value));
    },
    async flush() {
      while (draining !== undefined) await draining;
    },
    lastLine(value) {
      if (!json || draining !== undefined || closed.signal.aborted) return;
      const bytes = encoder.encode(jsonLine(value));
      try {
        for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
      } catch {
        // The program is on its way out; there is nobody left to tell.
      }
    },
  };
}
