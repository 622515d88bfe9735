// deno-lint-ignore-file require-await -- the interface is asynchronous, and a bad argument is to reject, not to throw
/** Streams of events in this process's memory. Part of `MemoryStore`. */
import {
  EventConflictError,
  type EventLog,
  type EventRecord,
  type StreamEvent,
} from "../contracts/event_log.ts";
import {
  checkedEvents,
  checkedStreamId,
  checkedVersion,
  type KeptEvent,
  streamEvent,
} from "./event_input.ts";
import { checkedListLimit } from "./step_input.ts";

/** Keeps streams of events in memory. */
export class MemoryEvents implements EventLog {
  readonly #streams = new Map<string, KeptEvent[]>();

  /** Appends events if the stream is at the expected version. */
  async append(
    streamId: string,
    events: readonly EventRecord[],
    expectedVersion: number,
  ): Promise<number> {
    const id = checkedStreamId(streamId);
    const kept = checkedEvents(events);
    const expected = checkedVersion(expectedVersion);
    const stream = this.#streams.get(id) ?? [];
    if (stream.length !== expected) {
      throw new EventConflictError(id, { expected, actual: stream.length });
    }
    stream.push(...kept);
    if (stream.length > 0) this.#streams.set(id, stream);
    return stream.length;
  }

  /** How many events a stream has. */
  async version(streamId: string): Promise<number> {
    return this.#streams.get(checkedStreamId(streamId))?.length ?? 0;
  }

  /** Events of a stream in their order. */
  async read(
    streamId: string,
    options: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<StreamEvent[]> {
    const stream = this.#streams.get(checkedStreamId(streamId)) ?? [];
    const after = checkedVersion(options.after ?? 0);
    const limit = checkedListLimit(options.limit);
    return stream.slice(after, after + limit)
      .map((event, index) => streamEvent(event, after + index + 1));
  }

  /** Removes a stream and gives the number of its events. */
  async deleteStream(streamId: string): Promise<number> {
    const id = checkedStreamId(streamId);
    const count = this.#streams.get(id)?.length ?? 0;
    this.#streams.delete(id);
    return count;
  }
}
