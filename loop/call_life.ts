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
    // A call of a tool hangs on the run's signal in both ways.
    this.#sources = sources.filter((source, at) => sources.indexOf(source) === at);
    this.#onEnd = () => {
      this.#controller.abort(sources.find((source) => source.aborted)?.reason);
    };
    for (const source of this.#sources) {
      if (source.aborted) this.#onEnd();
      else source.addEventListener("abort", this.#onEnd, { once: true });
    }
  }

  /** Ends with the first of the sources, and when a wait has timed out. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Waits for a result, but not past a deadline nor the call's end. What comes later goes unheard. What is there already need not be waited for.
   *
   * @param timeoutMs left out for no deadline
   */
  wait<T>(result: T | PromiseLike<T>, timeoutMs?: number): Wait<T> | Promise<Wait<T>> {
    return isThenable(result)
      ? this.#waitFor(result, timeoutMs)
      : { kind: "settled", value: result };
  }

  #waitFor<T>(result: PromiseLike<T>, timeoutMs: number | undefined): Promise<Wait<T>> {
    return new Promise((resolve, reject) => {
      const { signal } = this;
      const end = () => {
        stopTimer?.();
        signal.removeEventListener("abort", onAbort);
      };
      const onAbort = () => {
        end();
        resolve({ kind: "ended" });
      };
      const stopTimer = timeoutMs === undefined
        ? undefined
        : startTimer(Math.min(timeoutMs, MAX_TIMER_MS), () => {
          end();
          resolve({ kind: "timed_out" });
          this.#controller.abort(new DOMException(`no result in ${timeoutMs} ms`, "TimeoutError"));
        });
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
      Promise.resolve(result).then((value) => {
        end();
        resolve({ kind: "settled", value });
      }, (error) => {
        end();
        reject(error);
      });
    });
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
