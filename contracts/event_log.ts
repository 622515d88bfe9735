/**
 * The events of runs, kept: a stream a session, appended to with optimistic concurrency, so that several writers never write over each other unseen.
 * The trace is what later runs read; the stream is for whoever follows runs, or rebuilds what came of them.
 */
import { AgentLoopError } from "./errors.ts";
import type { RunEvent } from "./event.ts";

/** An event as it is kept. */
export interface EventRecord {
  /** What was told. Without secrets, as every event is. */
  readonly event: RunEvent;
  /** Its place among the kept events of its run: 0, 1, 2, … An event that is kept twice, since its first append was not confirmed, has the same. */
  readonly sequence: number;
  /** When it was told. */
  readonly at: Date;
}

/** An event in its stream. */
export interface StreamEvent extends EventRecord {
  /** The version of the stream that it made: 1 for the first, and on without a gap. */
  readonly version: number;
}

/**
 * Takes the events of runs. A stream's version is the number of its events.
 *
 * The loop appends what a run tells but for what is shown while it streams (`response_chunk`, `response_discarded`) and the carried data (`data_update`), in
 * their order, to the stream named by the session's id. It does not wait for an append but at the run's end, and there for five seconds. After a conflict its events are
 * appended behind those of the other writer, and a warning tells of the first; what cannot be kept costs a warning, never the run.
 */
export interface EventSink {
  /**
   * Appends events, all or none, if the stream is at the expected version. Resolves with its new version once they are as durable as a step.
   *
   * @throws {EventConflictError} when the stream is at another version; nothing was appended.
   */
  append(
    streamId: string,
    events: readonly EventRecord[],
    expectedVersion: number,
  ): Promise<number>;
  /** The version of a stream; 0 for one without events. */
  version(streamId: string): Promise<number>;
}

/** Keeps the events of runs, and gives them back. Held to `eventLogContract` in `@agentloop/core/testing`. */
export interface EventLog extends EventSink {
  /**
   * Events of a stream in their order, those behind the version `after`; none for an unknown stream.
   *
   * @throws {RangeError} when a number is not a whole one of at least 0; a limit may be `Infinity`.
   */
  read(
    streamId: string,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<StreamEvent[]>;
  /** Removes a stream for good and gives the number of its events. Deleting a session in the same store does this too. */
  deleteStream(streamId: string): Promise<number>;
}

/** Another writer has appended to a stream. Its code is `store_conflict`; read what came, or append at the version that is told. */
export class EventConflictError extends AgentLoopError {
  /** The stream. */
  readonly streamId: string;
  /** The version that the writer took it to be at. */
  readonly expectedVersion: number;
  /** The version that it is at. */
  readonly actualVersion: number;

  /** Creates the error for a stream and its two versions. */
  constructor(streamId: string, versions: { readonly expected: number; readonly actual: number }) {
    super(
      `The event stream ${streamId} is at version ${versions.actual}, not ${versions.expected}: another writer has appended to it. Nothing was appended.`,
      { code: "store_conflict" },
    );
    this.name = "EventConflictError";
    this.streamId = streamId;
    this.expectedVersion = versions.expected;
    this.actualVersion = versions.actual;
  }
}
