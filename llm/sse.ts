/**
 * Server-sent events from text that arrives in any pieces. Pure: it neither reads nor waits.
 *
 * Written here and not taken from a package because one rule must differ from the standard, which throws an event away when the
 * stream ends without the blank line behind it: model servers end like that, and what is lost then is the end of an answer.
 */

/** One event of a stream. */
export interface ServerSentEvent {
  /** Its name; "" when it has none. */
  readonly name: string;
  /** Its data, lines joined by a line feed. Never empty: an event without data is no event. */
  readonly data: string;
}

/** Takes a stream apart into events. One reader a stream. */
export class ServerSentEventReader {
  #line: string[] = [];
  #data: string[] = [];
  #name = "";
  #skipLineFeed = false;
  #heldLength = 0;

  /** How many characters of an unfinished event are held; for a caller that wants a limit. */
  get heldLength(): number {
    return this.#heldLength;
  }

  /** Takes the next text of the stream, of any length, and returns the events that it completes. */
  push(text: string): ServerSentEvent[] {
    if (text === "") return [];
    const start = this.#skipLineFeed && text.startsWith("\n") ? 1 : 0;
    this.#skipLineFeed = text.endsWith("\r");
    const lines = text.slice(start).split(/\r\n|\n|\r/);
    const rest = lines.pop() ?? "";
    const events: ServerSentEvent[] = [];
    for (const line of lines) {
      this.#line.push(line);
      this.#endLine(events);
    }
    if (rest !== "") this.#line.push(rest);
    this.#heldLength += rest.length;
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
    const line = this.#line.length === 1 ? this.#line[0] ?? "" : this.#line.join("");
    this.#line = [];
    if (line === "") return this.#dispatch(events);
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event") return;
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#name = value;
    else this.#data.push(value);
    this.#heldLength += value.length;
  }

  #dispatch(events: ServerSentEvent[]): void {
    const data = this.#data.join("\n");
    if (data !== "") events.push({ name: this.#name, data });
    this.#data = [];
    this.#name = "";
    this.#heldLength = 0;
  }
}
