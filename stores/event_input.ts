/** The border of every event log in this folder: checks what a caller hands in, and gives events the text that is kept. Pure. */
import type { EventRecord, StreamEvent } from "../contracts/event_log.ts";
import { count, typeName } from "./step_input.ts";

/** An event as it is kept. */
export interface KeptEvent {
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The event as JSON. */
  readonly json: string;
}

/**
 * Checks a stream's id: any text but the empty one.
 *
 * @throws {TypeError} when it is none, or ill-formed: replacing it could make two streams one.
 */
export function checkedStreamId(streamId: string): string {
  if (typeof streamId === "string" && streamId !== "" && streamId.isWellFormed()) return streamId;
  throw new TypeError(
    `A stream's id must be a non-empty string of well-formed Unicode, not ${
      typeof streamId === "string" ? JSON.stringify(streamId) : typeName(streamId)
    }.`,
  );
}

/**
 * Checks events.
 *
 * @throws {TypeError} when there is no list, or one of them is no event.
 * @throws {RangeError} when a sequence is no whole number of at least 0.
 */
export function checkedEvents(events: readonly EventRecord[]): KeptEvent[] {
  if (!Array.isArray(events)) {
    throw new TypeError(`Events must be a list, not ${typeName(events)}.`);
  }
  return events.map(({ event, sequence, at }: EventRecord) => {
    if (typeof event?.type !== "string") throw new TypeError("An event must have a type.");
    if (!(at instanceof Date) || Number.isNaN(at.getTime())) {
      throw new TypeError(`The time of an event must be a valid Date, not ${typeName(at)}.`);
    }
    return {
      sequence: count(sequence, "An event's sequence"),
      at: at.getTime(),
      json: JSON.stringify(event),
    };
  });
}

/**
 * Checks a version.
 *
 * @throws {RangeError} when it is no whole number of at least 0.
 */
export function checkedVersion(version: number, what: string = "A stream's version"): number {
  return count(version, what);
}

/** An event as it is given back. */
export function streamEvent({ sequence, at, json }: KeptEvent, version: number): StreamEvent {
  return { event: JSON.parse(json), sequence, at: new Date(at), version };
}
