/**
 * Server-sent events from text that arrives in any pieces. Pure: it neither reads nor waits.
 *
 * Written here and not taken from a package because one rule must differ from the standard, which throws an event away when the
 * stream ends without the blank line behind it: model servers end like that, and what is lost then is the end of an answer.
 */
import { eachLine } from "../contracts/each_line.ts";

/** One event of a stream. */
export interface ServerSentEvent {
  /** Its name; "" when it has none. */
  readonly name: string;
  /** Its data, lines joined by a line feed. Never empty: an event without data is no event. */
  readonly data: string;
}

/** Takes a stream apart into events. One reader a stream. */
export class ServerSentEventReader {
  #line = "";
  /** Nothing before the first line of data, which may be empty. */
  #data: string | undefined;
  #name = "";
  #skipLineFeed = false;
  #heldLength = 0;

  /** How many characters of an unfinished event are held; for a caller that wants a limit. */
  get heldLength(): number {
    return this.#heldLength;
  }

  /** Takes the next text of the stream, of any length, and returns the events that it completes. */
  push(text: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    if (text === "") return events;
    const isSkipped = this.#skipLineFeed && text.startsWith("\n");
    this.#skipLineFeed = text.endsWith("\r");
    eachLine(isSkipped ? text.slice(1) : text, (line, ending) => {
      this.#line += line;
      if (ending === "") this.#heldLength += line.length;
      else this.#endLine(events);
    });
    return events;
  }

  /** Says that the stream has ended and returns the event that nothing more will complete, if there is one. */
  end(): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    this.#endLine(events);
    this.#dispatch(events);
    return events;
  }

  #endLine(events: ServerSentEvent[]): void {
    const line = this.#line;
    this.#line = "";
    if (line === "") return this.#dispatch(events);
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event") return;
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#name = value;
    else this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    this.#heldLength += value.length;
  }

  #dispatch(events: ServerSentEvent[]): void {
    if (this.#data) events.push({ name: this.#name, data: this.#data });
    this.#data = undefined;
    this.#name = "";
    this.#heldLength = 0;
  }
}
