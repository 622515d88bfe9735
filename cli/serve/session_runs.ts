/**
 * Which sessions are being answered: one run a session, a bounded number at once, and an end in which runs get time. Every run of the server is begun here, whoever asked for it.
 */
import { Refusal } from "./refusal.ts";

/** A place for one run. Disposing gives it back. */
export interface RunPlace extends Disposable {
  /** Ends when the server has no more time for the run. */
  readonly signal: AbortSignal;
}

/** The places. */
export interface SessionRuns {
  /**
   * Takes a place for a run of a session.
   *
   * @throws {Refusal} `busy` while the session is being answered, `overloaded` while there is no place, `stopping` once {@linkcode SessionRuns.stop} was called.
   */
  take(sessionId: string): RunPlace;
  /**
   * Keeps a session from being answered while something short is done to it, which needs no place among the runs.
   *
   * @throws {Refusal} `busy`.
   */
  hold(sessionId: string): Disposable;
  /** Resolves when a session is not being answered, or when the signal ends. */
  whenFree(sessionId: string, signal: AbortSignal): Promise<void>;
  /** Whether a session is being answered. */
  isBusy(sessionId: string): boolean;
  /** Gives no more places, waits so long for the runs that have one, then ends them; resolves when the last has given its place back. */
  stop(graceMs: number): Promise<void>;
}

/** Makes the places. */
export function createSessionRuns({ maxRuns }: { readonly maxRuns: number }): SessionRuns {
  const busy = new Map<string, PromiseWithResolvers<void>>();
  let running = 0;
  const end = new AbortController();
  let isStopping = false;
  let idle: (() => void) | undefined;

  function hold(sessionId: string): Disposable {
    if (busy.has(sessionId)) {
      throw new Refusal("busy", "The session is answering another message; try again later.", {
        "retry-after": "1",
      });
    }
    const free = Promise.withResolvers<void>();
    busy.set(sessionId, free);
    return {
      [Symbol.dispose]() {
        if (busy.get(sessionId) !== free) return;
        busy.delete(sessionId);
        free.resolve();
      },
    };
  }

  return {
    take(sessionId) {
      if (isStopping) {
        throw new Refusal("stopping", "The server is being stopped.", { "retry-after": "10" });
      }
      if (!busy.has(sessionId) && running >= maxRuns) {
        throw new Refusal(
          "overloaded",
          `${maxRuns} sessions are being answered (--max-runs); try again later.`,
          { "retry-after": "1" },
        );
      }
      const held = hold(sessionId);
      running++;
      return {
        signal: end.signal,
        [Symbol.dispose]() {
          held[Symbol.dispose]();
          if (--running === 0) idle?.();
        },
      };
    },
    hold,
    async whenFree(sessionId, signal) {
      const stopped = Promise.withResolvers<void>();
      const stop = () => stopped.resolve();
      signal.addEventListener("abort", stop);
      for (let free = busy.get(sessionId); free !== undefined; free = busy.get(sessionId)) {
        if (signal.aborted) break;
        await Promise.race([free.promise, stopped.promise]);
      }
      signal.removeEventListener("abort", stop);
    },
    isBusy: (sessionId) => busy.has(sessionId),
    async stop(graceMs) {
      isStopping = true;
      if (running === 0) return;
      const timer = setTimeout(
        () => end.abort(new DOMException("The server is being stopped.", "AbortError")),
        graceMs,
      );
      await new Promise<void>((resolve) => idle = resolve);
      clearTimeout(timer);
    },
  };
}
