/**
 * Hands the events of one run to a sink: in their order, in batches, without holding up the run. After a conflict they are appended behind what came in between;
 * what could not be appended is tried again with the next event, and at the run's end.
 */
import { AgentLoopError } from "../contracts/errors.ts";
import type { RunEvent } from "../contracts/event.ts";
import { EventConflictError, type EventRecord, type EventSink } from "../contracts/event_log.ts";

/** Whose events they are, and where they go. */
export interface EventFeedOptions {
  readonly sink: EventSink;
  /** The stream: the session's id. */
  readonly streamId: string;
  /** The clock. */
  readonly now: () => Date;
  /** Hears of the first conflict, and of the first failure. */
  readonly warn: (message: string) => void;
}

/** Events of one append at most. */
const MAX_BATCH = 100;
/** Events that wait at most while a sink fails. */
const MAX_PENDING = 10_000;
/** Appends of one batch that may meet a conflict, each with another writer's success: so many in a row is a sink that cannot be right. */
const MAX_CONFLICTS = 100;
/** Events that only show what goes on, and carried data, which the session keeps. */
const NOT_KEPT: ReadonlySet<RunEvent["type"]> = new Set([
  "response_chunk",
  "response_discarded",
  "data_update",
]);

/** Events of one run on their way to a sink. */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #pending: EventRecord[] = [];
  #draining: Promise<void> | undefined;
  #version: number | undefined;
  #sequence = 0;
  #dropped = 0;
  #closed = false;
  #toldConflict = false;
  #toldFailure = false;

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  /** Takes an event. */
  readonly add = (event: RunEvent): void => {
    if (this.#closed || NOT_KEPT.has(event.type)) return;
    if (this.#pending.length >= MAX_PENDING) {
      this.#dropped++;
      return;
    }
    const own = copyOf(event);
    if (own === undefined) this.#dropped++;
    else this.#pending.push({ event: own, sequence: this.#sequence++, at: this.#options.now() });
    this.#drain();
  };

  /** Takes the last event, and resolves when everything was appended or tried once more. Gives how many events were not. */
  async finish(last: RunEvent): Promise<number> {
    this.add(last);
    this.#closed = true;
    await this.#draining;
    if (this.#pending.length > 0) await this.#drain();
    return this.#pending.length + this.#dropped;
  }

  #drain(): Promise<void> {
    this.#draining ??= this.#appendAll().finally(() => this.#draining = undefined);
    return this.#draining;
  }

  async #appendAll(): Promise<void> {
    try {
      while (this.#pending.length > 0) {
        const batch = this.#pending.slice(0, MAX_BATCH);
        await this.#append(batch);
        this.#pending.splice(0, batch.length);
      }
    } catch (cause) {
      if (this.#toldFailure) return;
      this.#toldFailure = true;
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#options.warn(`The events of the run are not kept for now, the run goes on: ${why}`);
    }
  }

  async #append(batch: readonly EventRecord[]): Promise<void> {
    const { sink, streamId } = this.#options;
    for (let conflicts = 0;; conflicts++) {
      const expected = this.#version ?? await sink.version(streamId);
      // Until it is known what came of the append, the version is not.
      this.#version = undefined;
      try {
        this.#version = await sink.append(streamId, batch, expected);
        return;
      } catch (error) {
        if (!isConflict(error) || conflicts >= MAX_CONFLICTS) throw error;
        if (error instanceof EventConflictError) this.#version = error.actualVersion;
        this.#tellConflict(error);
      }
    }
  }

  #tellConflict({ message }: AgentLoopError): void {
    if (this.#toldConflict) return;
    this.#toldConflict = true;
    this.#options.warn(
      `${message} The events of this run follow behind; further conflicts are not told.`,
    );
  }
}

/** The event as it is now: the run's listener gets it too, and may change it. Nothing for one that is no JSON, which a host function may have told. */
function copyOf(event: RunEvent): RunEvent | undefined {
  try {
    return JSON.parse(JSON.stringify(event));
  } catch {
    return undefined;
  }
}

function isConflict(error: unknown): error is AgentLoopError {
  return error instanceof AgentLoopError && error.code === "store_conflict";
}
