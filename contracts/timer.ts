/** A timer that costs a program's start nothing. */

/**
 * How much of a timer the runtime's signal keeps, in ms; longer than it takes until a first request is on its way. A signal's time cannot be taken back, so after
 * a timer that was stopped one is left for as long.
 */
const FIRST_MS = 100;

/** The timers of a program's first moments. Later ones would only leave more behind. */
const FIRST_TIMERS = 8;

let started = 0;

/**
 * Calls `onEnd` once after `delayMs`, and keeps the program alive until then. Returns what stops it, which may be called at any time. What `onEnd` throws is uncaught, as in
 * `setTimeout`.
 *
 * It is `setTimeout` but for a program's first moments: for its first call the runtime takes 5 ms (Deno 2.9.6), for that of `AbortSignal.timeout` 0.3.
 *
 * @throws {TypeError} when `delayMs` is no finite number.
 */
export function startTimer(delayMs: number, onEnd: () => void): () => void {
  if (!Number.isFinite(delayMs)) throw new TypeError(`A timer takes ms; got ${delayMs}`);
  return ++started > FIRST_TIMERS
    ? startOwnTimer(delayMs, onEnd)
    : startSignalTimer(Math.max(0, delayMs), onEnd);
}

function startOwnTimer(delayMs: number, onEnd: () => void): () => void {
  started = FIRST_TIMERS;
  const timer = setTimeout(onEnd, delayMs);
  return () => clearTimeout(timer);
}

function startSignalTimer(delayMs: number, onEnd: () => void): () => void {
  const first = AbortSignal.timeout(Math.min(delayMs, FIRST_MS));
  let stop: (() => void) | undefined;
  const goOn = () => {
    if (delayMs > FIRST_MS) stop = startOwnTimer(delayMs - FIRST_MS, onEnd);
    else onEnd();
  };
  first.addEventListener("abort", goOn, { once: true });
  return () => {
    first.removeEventListener("abort", goOn);
    stop?.();
  };
}
