/**
 * Hears of an abort at little cost, for what begins and ends often under one signal: all of it shares one listener of the runtime, since to add and remove one takes longer than
 * most of what is waited for. The listener goes with the last of them: a signal with a time of its own keeps a program alive for as long as anybody listens to it.
 */

type Hear = (reason: unknown) => void;

/** One who hears. */
interface Hearer {
  readonly hear: Hear;
}

interface Hearers {
  readonly all: Set<Hearer>;
  readonly listener: () => void;
}

const hearersOf = new WeakMap<AbortSignal, Hearers>();

/**
 * Calls `hear` with the signal's reason when it is aborted, in the order in which they were added; never for one that is aborted already. Returns what takes it back, which may be
 * called at any time. What it throws is uncaught, as in a listener.
 */
export function onAbort(signal: AbortSignal, hear: Hear): () => void {
  // Whoever is told may add another: that one is too late, though the others are still being told.
  if (signal.aborted) return () => {};
  const hearers = hearersOf.get(signal) ?? beginToListen(signal);
  const hearer = { hear };
  hearers.all.add(hearer);
  return () => {
    if (hearers.all.delete(hearer) && hearers.all.size === 0) endListening(signal, hearers);
  };
}

function beginToListen(signal: AbortSignal): Hearers {
  const all = new Set<Hearer>();
  const listener = () => {
    for (const { hear } of all) tell(hear, signal.reason);
    // A signal may last as long as the program.
    all.clear();
  };
  const hearers = { all, listener };
  hearersOf.set(signal, hearers);
  signal.addEventListener("abort", listener, { once: true });
  return hearers;
}

function endListening(signal: AbortSignal, { listener }: Hearers): void {
  hearersOf.delete(signal);
  signal.removeEventListener("abort", listener);
}

/** One that throws does not keep the others from hearing. */
function tell(hear: Hear, reason: unknown): void {
  try {
    hear(reason);
  } catch (error) {
    reportError(error);
  }
}
