/** A run as a stream of its events. The run never waits for a reader, and a reader who leaves ends the run. */
import type { RunEvent } from "../contracts/event.ts";
import type { RunRequest, RunResult, RunStream } from "../contracts/loop.ts";

/** Starts a run that tells the listener its events. */
export type StartRun = (
  request: RunRequest,
  listener: (event: RunEvent) => void,
) => Promise<RunResult>;

/**
 * Starts a run and hands out its events as they happen. There is one queue: who iterates twice goes on where the first left off. Events
 * that nobody reads are freed with the stream.
 */
export function streamRun(request: RunRequest, start: StartRun): RunStream {
  const reader = new AbortController();
  const queue = new EventQueue();
  const signal = request.signal === undefined
    ? reader.signal
    : AbortSignal.any([request.signal, reader.signal]);
  const result = start({ ...request, signal }, (event) => {
    queue.push(event);
    return request.onEvent?.(event);
  });
  // Both ways: the queue must end whatever happens, and the result's failure is for whoever awaits it.
  result.then(() => queue.end(), () => queue.end());
  return {
    result,
    [Symbol.asyncIterator]: () => ({
      next: () => queue.next(),
      return: async () => {
        reader.abort();
        queue.clear();
        await result.catch(() => {});
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Events on their way from a run to its reader. */
class EventQueue {
  #events: RunEvent[] = [];
  #readers: ((result: IteratorResult<RunEvent>) => void)[] = [];
  #open = true;

  push(event: RunEvent): void {
    if (!this.#open) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#events.push(event);
    else reader({ done: false, value: event });
  }

  next(): Promise<IteratorResult<RunEvent>> {
    const event = this.#events.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (!this.#open) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  /** No event will follow those that are queued. */
  end(): void {
    this.#open = false;
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
  }

  /** Nobody reads any more. */
  clear(): void {
    this.#events = [];
    this.end();
  }
}
