/**
 * Streamed text on its way to a listener: what could be the beginning of a secret waits until it cannot be. Stands between an answer stream,
 * which decides what is shown at all, and the events.
 */
import type { RedactionStream } from "../contracts/redaction.ts";
import type { AnswerStreamListener } from "./answer_stream.ts";

/** The chunks of one reply, redacted. */
export class RedactedChunks implements AnswerStreamListener {
  readonly #begin: () => RedactionStream;
  readonly #listener: AnswerStreamListener;
  #stream: RedactionStream | undefined;
  #shown = false;

  /** Begins; `begin` makes a stream for the reply, and another each time that it starts anew. */
  constructor(begin: () => RedactionStream, listener: AnswerStreamListener) {
    this.#begin = begin;
    this.#listener = listener;
  }

  /** Takes a piece. */
  readonly onChunk = (piece: string): void => {
    this.#stream ??= this.#begin();
    this.#show(this.#stream.push(piece));
  };

  /** What came so far is void. */
  readonly onDiscard = (): void => {
    this.#stream = undefined;
    if (this.#shown) this.#listener.onDiscard();
    this.#shown = false;
  };

  /** The reply is complete: what waited is shown. */
  finish(): void {
    const rest = this.#stream?.flush() ?? "";
    this.#stream = undefined;
    this.#show(rest);
  }

  #show(text: string): void {
    if (text === "") return;
    this.#shown = true;
    this.#listener.onChunk(text);
  }
}
