/**
 * Hears of an abort at little cost, for what begins and ends often under one signal: a signal has one listener of the runtime for all of it, since to add and remove one takes longer
 * than most of what is waited for.
 */

type Hear = (reason: unknown) => void;

const hearers = new WeakMap<AbortSignal, Set<Hear>>();

/**
 * Calls `hear` with the signal's reason when it is aborted, in the order in which they were added; never for one that is aborted already. Returns what takes it back, which may be
 * called at any time. What it throws is uncaught, as in a listener.
 */
export function onAbort(signal: AbortSignal, hear: Hear): () => void {
  const all = hearersOf(signal);
  all.add(hear);
  return () => all.delete(hear);
}

function hearersOf(signal: AbortSignal): Set<Hear> {
  const known = hearers.get(signal);
  if (known !== undefined) return known;
  const made = new Set<Hear>();
  hearers.set(signal, made);
  signal.addEventListener("abort", () => {
    for (const hear of made) tell(hear, signal.reason);
  }, { once: true });
  return made;
}

/** One that throws does not keep the others from hearing. */
function tell(hear: Hear, reason: unknown): void {
  try {
    hear(reason);
  } catch (error) {
    reportError(error);
  }
}
