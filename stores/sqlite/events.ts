/** Streams of events in the store's file. Part of `SqliteStore`, whose connection it uses. A version is checked in the transaction that appends. */
import {
  EventConflictError,
  type EventLog,
  type EventRecord,
  type StreamEvent,
} from "../../contracts/event_log.ts";
import { checkedEvents, checkedStreamId, checkedVersion, streamEvent } from "../event_input.ts";
import { checkedListLimit } from "../step_input.ts";
import type { Connection } from "./connection.ts";
import { textOf, toColumn } from "./text_column.ts";

const VERSION = "SELECT coalesce(max(version), 0) FROM events WHERE stream_id = ?";
const INSERT =
  "INSERT INTO events (stream_id, version, sequence, told_at, event) VALUES (?, ?, ?, ?, ?)";
const SELECT = `
  SELECT version, sequence, told_at, event FROM events WHERE stream_id = ? AND version > ?
    ORDER BY version LIMIT +?`;
const DELETE = "DELETE FROM events WHERE stream_id = ?";

/** Keeps streams of events in a store's file. */
export class SqliteEvents implements EventLog {
  readonly #connection: Connection;

  /** Uses a connection that somebody else owns. */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Appends events if the stream is at the expected version. */
  // deno-lint-ignore require-await -- a bad argument is to reject, not to throw
  async append(
    streamId: string,
    events: readonly EventRecord[],
    expectedVersion: number,
  ): Promise<number> {
    const id = checkedStreamId(streamId);
    const kept = checkedEvents(events);
    const expected = checkedVersion(expectedVersion);
    return this.#connection.write("append events", () => {
      const actual = this.#version(id);
      if (actual !== expected) throw new EventConflictError(id, { expected, actual });
      const insert = this.#connection.statement(INSERT);
      for (const [index, { sequence, at, json }] of kept.entries()) {
        insert.run(toColumn(id), expected + index + 1, sequence, at, toColumn(json));
      }
      return expected + kept.length;
    });
  }

  /** How many events a stream has. */
  // deno-lint-ignore require-await -- see append
  async version(streamId: string): Promise<number> {
    const id = checkedStreamId(streamId);
    return this.#connection.read("read the version of a stream", () => this.#version(id));
  }

  /** Events of a stream in their order. */
  // deno-lint-ignore require-await -- see append
  async read(
    streamId: string,
    options: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<StreamEvent[]> {
    const id = checkedStreamId(streamId);
    const after = checkedVersion(options.after ?? 0);
    const limit = checkedListLimit(options.limit);
    return this.#connection.read("read events", () => {
      const most = Math.min(limit, Number.MAX_SAFE_INTEGER);
      return this.#connection.rows(SELECT, toColumn(id), after, most)
        .map(([version, sequence, at, json]) =>
          streamEvent(
            { sequence: Number(sequence), at: Number(at), json: textOf(json) },
            Number(version),
          )
        );
    });
  }

  /** Removes a stream, its bytes in the file too, and gives the number of its events. */
  // deno-lint-ignore require-await -- see append
  async deleteStream(streamId: string): Promise<number> {
    const id = checkedStreamId(streamId);
    return this.#connection.write("delete a stream", () => deleteEvents(this.#connection, id));
  }

  #version(id: string): number {
    return Number(this.#connection.rows(VERSION, toColumn(id))[0]?.[0]);
  }
}

/** Deletes the events of a stream inside the transaction of whoever calls, and gives their number. */
export function deleteEvents(connection: Connection, streamId: string): number {
  return Number(connection.statement(DELETE).run(toColumn(streamId)).changes);
}
