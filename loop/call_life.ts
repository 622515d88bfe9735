/** How long a host call may live: as long as its script and its run do, and each wait of it no longer than its deadline. */
import { onAbort } from "../contracts/on_abort.ts";
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
  readonly #forget: readonly (() => void)[];
  /** Ends each wait that goes on. */
  readonly #waits = new Set<() => void>();

  constructor(sources: readonly AbortSignal[]) {
    // A call of a tool hangs on the run's signal in both ways.
    const different = sources.filter((source, at) => sources.indexOf(source) === at);
    const ended = different.find(({ aborted }) => aborted);
    if (ended !== undefined) this.#end(ended.reason);
    this.#forget = different.map((source) => onAbort(source, (reason) => this.#end(reason)));
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
      const end = () => {
        stopTimer?.();
        this.#waits.delete(giveUp);
      };
      const giveUp = () => {
        end();
        resolve({ kind: "ended" });
      };
      const stopTimer = timeoutMs === undefined
        ? undefined
        : startTimer(Math.min(timeoutMs, MAX_TIMER_MS), () => {
          end();
          resolve({ kind: "timed_out" });
          this.#end(new DOMException(`no result in ${timeoutMs} ms`, "TimeoutError"));
        });
      if (this.signal.aborted) giveUp();
      else this.#waits.add(giveUp);
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
    for (const forget of this.#forget) forget();
  }

  #end(reason: unknown): void {
    this.#controller.abort(reason);
    for (const giveUp of this.#waits) giveUp();
  }
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value &&
    typeof value.then === "function";
}
