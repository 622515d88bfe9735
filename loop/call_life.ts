/** How long a host call may live: as long as its script and its run do, and each wait of it no longer than its deadline. */
import { startTimer } from "../contracts/timer.ts";

/** The longest wait that a timer can hold, in ms. */
export const MAX_TIMER_MS = 2_147_483_647;

/** How a wait ended. */
export type Wait<T> =
  | { readonly kind: "settled"; readonly value: T }
  | { readonly kind: "timed_out" }
  | { readonly kind: "ended" };

/** The signal of one call, made of those that it hangs on. Dispose it when the call has ended. */
export class CallLife implements Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #onEnd: () => void;

  constructor(sources: readonly AbortSignal[]) {
    this.#sources = sources;
    this.#onEnd = () => {
      this.#controller.abort(sources.find((source) => source.aborted)?.reason);
    };
    for (const source of sources) {
      if (source.aborted) this.#onEnd();
      else source.addEventListener("abort", this.#onEnd, { once: true });
    }
  }

  /** Ends with the first of the sources, and when a wait has timed out. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Waits for a result, but not past a deadline nor the call's end. What comes later goes unheard.
   *
   * @param timeoutMs left out for no deadline
   */
  async wait<T>(result: T | PromiseLike<T>, timeoutMs?: number): Promise<Wait<T>> {
    // Most results are there at once; only for those that are not are a timer and a listener worth their price.
    if (!isThenable(result)) return { kind: "settled", value: result };
    let stopTimer: (() => void) | undefined;
    const over = Promise.withResolvers<Wait<T>>();
    const onAbort = () => over.resolve({ kind: "ended" });
    if (this.signal.aborted) onAbort();
    else this.signal.addEventListener("abort", onAbort, { once: true });
    if (timeoutMs !== undefined) {
      stopTimer = startTimer(Math.min(timeoutMs, MAX_TIMER_MS), () => {
        over.resolve({ kind: "timed_out" });
        this.#controller.abort(new DOMException(`no result in ${timeoutMs} ms`, "TimeoutError"));
      });
    }
    try {
      const settled = Promise.resolve(result).then((
        value,
      ) => ({ kind: "settled", value } as const));
      return await Promise.race([settled, over.promise]);
    } finally {
      stopTimer?.();
      this.signal.removeEventListener("abort", onAbort);
    }
  }

  /** Lets go of the signals that the call hung on. */
  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener("abort", this.#onEnd);
  }
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value &&
    typeof value.then === "function";
}
