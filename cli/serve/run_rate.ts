/**
 * How many scheduled runs of one session are made in a time. A run may schedule the next one: where nobody is asked about that, it could go on so without end, and each
 * costs money.
 */

/** Scheduled runs of one session within {@linkcode RATE_WINDOW_MS} at most. */
export const MAX_WINDOW_RUNS = 10;
/** The time in which they are counted, in ms: as long as a recurring run has to leave between two of its own. */
export const RATE_WINDOW_MS = 900_000;

/** Counts the runs of sessions. */
export interface RunRate {
  /** Counts a run that is to begin now; when there were too many, gives how long to wait for the next, in ms, and counts nothing. */
  take(sessionId: string): number | undefined;
}

/** Begins with none. `nowMs` need not be the time of day, and does not go back. */
export function createRunRate(nowMs: () => number = () => performance.now()): RunRate {
  const begun = new Map<string, readonly number[]>();
  return {
    take(sessionId) {
      const now = nowMs();
      for (const [id, times] of begun) {
        if (now - (times.at(-1) ?? 0) >= RATE_WINDOW_MS) begun.delete(id);
      }
      const times = (begun.get(sessionId) ?? []).filter((time) => now - time < RATE_WINDOW_MS);
      const [oldest = now] = times;
      if (times.length >= MAX_WINDOW_RUNS) return Math.ceil(oldest + RATE_WINDOW_MS - now);
      begun.set(sessionId, [...times, now]);
      return undefined;
    },
  };
}
