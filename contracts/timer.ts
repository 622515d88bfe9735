/**
 * Timers that cost little: for what ends a wait that almost always ends by itself. All of them share one timer of the runtime, which is set for the earliest and not
 * touched when others come and go.
 */

/** How much of a timer the runtime's signal keeps, in ms; longer than it takes until a first request is on its way. */
const FIRST_MS = 100;
/** The runtime's timers of a program's first moments. A signal's time cannot be taken back, so later ones would only leave more behind. */
const FIRST_TIMERS = 8;
/** The longest time that the runtime's timer can hold, in ms. */
const MAX_MS = 2_147_483_647;

interface Entry {
  readonly at: number;
  /** Has called what is to be called. */
  readonly ring: () => void;
}

const entries = new Set<Entry>();
let armedFor = Infinity;
let disarm: (() => void) | undefined;
let armed = 0;

/**
 * Calls `onEnd` once after `delayMs`, and keeps the program alive until then. Returns what stops it, which may be called at any time. What `onEnd` throws is uncaught, as in
 * `setTimeout`.
 *
 * @throws {TypeError} when `delayMs` is no finite number.
 */
export function startTimer(delayMs: number, onEnd: () => void): () => void {
  if (!Number.isFinite(delayMs)) throw new TypeError(`A timer takes ms; got ${delayMs}`);
  const { promise, resolve: ring } = Promise.withResolvers<void>();
  const entry = { at: performance.now() + Math.max(0, delayMs), ring };
  entries.add(entry);
  // A promise calls it as whoever started the timer: the runtime's timer is often another's, and a program may tell its tenants apart by `AsyncLocalStorage`.
  promise.then(() => {
    if (entries.delete(entry)) end(onEnd);
  });
  if (entry.at < armedFor) arm(entry.at);
  return () => {
    // What is set for nobody would keep the program alive.
    if (entries.delete(entry) && entries.size === 0) putOff();
  };
}

function arm(at: number): void {
  putOff();
  armedFor = at;
  disarm = startOne(Math.min(MAX_MS, Math.max(0, Math.ceil(at - performance.now()))), endDue);
}

function putOff(): void {
  armedFor = Infinity;
  disarm?.();
  disarm = undefined;
}

function endDue(): void {
  armedFor = Infinity;
  disarm = undefined;
  const now = performance.now();
  const due = [...entries].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
  let next = Infinity;
  for (const entry of entries) if (entry.at > now) next = Math.min(next, entry.at);
  if (next < Infinity) arm(next);
  for (const { ring } of due) ring();
}

/** One that throws does not keep the others from their end. */
function end(onEnd: () => void): void {
  try {
    onEnd();
  } catch (error) {
    reportError(error);
  }
}

/**
 * A timer of the runtime. It is `setTimeout` but for a program's first moments: for its first call the runtime takes 5 ms (Deno 2.9.6), for that of `AbortSignal.timeout` 0.3.
 */
function startOne(delayMs: number, onEnd: () => void): () => void {
  if (++armed > FIRST_TIMERS) return startOwn(delayMs, onEnd);
  const first = AbortSignal.timeout(Math.min(delayMs, FIRST_MS));
  let stop: (() => void) | undefined;
  const goOn = () => {
    if (delayMs > FIRST_MS) stop = startOwn(delayMs - FIRST_MS, onEnd);
    else onEnd();
  };
  first.addEventListener("abort", goOn, { once: true });
  return () => {
    first.removeEventListener("abort", goOn);
    stop?.();
  };
}

function startOwn(delayMs: number, onEnd: () => void): () => void {
  armed = FIRST_TIMERS;
  const timer = setTimeout(onEnd, delayMs);
  return () => clearTimeout(timer);
}
