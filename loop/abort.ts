/** Waiting that ends when a signal does, and the wall around a run. */
import { AgentLoopError } from "../contracts/errors.ts";
import { onAbort } from "../contracts/on_abort.ts";
import { startTimer } from "../contracts/timer.ts";
import { isDoneSoon } from "./done_soon.ts";

/**
 * Waits for work, but no longer than a signal lasts: when it is aborted the wait ends at once with the signal's reason, whether or not the
 * work heeds the signal itself. Work that is left behind ends unheard.
 */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const forget = onAbort(signal, reject);
    work.then((value) => {
      forget();
      resolve(value);
    }, (error) => {
      forget();
      reject(error);
    });
  });
}

/**
 * Waits for work, but no longer than `ms`: then rejects with `late()`. Work that is left behind ends unheard.
 */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  // Our own stores are done after 4; for the runtime it takes longer to set a timer.
  if (await isDoneSoon(work, 8)) return await work;
  const over = Promise.withResolvers<never>();
  const stop = startTimer(ms, () => over.reject(late()));
  work.catch(() => {});
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    stop();
  }
}

/** What ends a run from outside. */
export interface RunWallOptions {
  /** The caller's own signal. */
  readonly signal?: AbortSignal;
  /** Wall time of the run. */
  readonly timeoutMs: number;
}

/** A run's signal: ends at the caller's abort, at the wall time, and with the run itself. Its reason is always an {@linkcode AgentLoopError}. */
export class RunWall implements Disposable {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #onOuterAbort: () => void;
  readonly #stopHearing: () => void;
  readonly #timeoutMs: number;
  #stopTimer: (() => void) | undefined;
  #leftMs: number;
  #runningSince = 0;
  #pauses = 0;

  constructor({ signal, timeoutMs }: RunWallOptions) {
    this.#timeoutMs = timeoutMs;
    this.#leftMs = timeoutMs;
    this.#outer = signal;
    this.#onOuterAbort = () =>
      this.#end("aborted", "The run was aborted by its caller.", signal?.reason);
    // While one listens, the others cost little (`onAbort`): every turn waits half a dozen times.
    this.#stopHearing = onAbort(this.signal, () => {});
    this.#go();
    if (signal?.aborted) this.#onOuterAbort();
    else signal?.addEventListener("abort", this.#onOuterAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Lets the wall time stand still until the returned object is disposed: a person is thinking. */
  pause(): Disposable {
    if (this.#pauses++ === 0) {
      this.#stopTimer?.();
      this.#leftMs -= performance.now() - this.#runningSince;
    }
    let paused = true;
    return {
      [Symbol.dispose]: () => {
        if (paused && --this.#pauses === 0) this.#go();
        paused = false;
      },
    };
  }

  /** Ends whatever still goes on in the run's name. */
  [Symbol.dispose](): void {
    this.#stopTimer?.();
    this.#outer?.removeEventListener("abort", this.#onOuterAbort);
    // Of an end that nobody else hears of the runtime need not tell.
    this.#stopHearing();
    // An error of its own, though it costs 3 µs: functions get it as their signal's reason, and what one tenant's write on it is for no other's to read.
    this.#end("aborted", "The run has ended.");
  }

  #go(): void {
    if (this.signal.aborted) return;
    this.#runningSince = performance.now();
    this.#stopTimer = startTimer(Math.max(0, this.#leftMs), () => {
      this.#end("timeout", `The run took longer than its limit of ${this.#timeoutMs} ms.`);
    });
  }

  #end(code: "aborted" | "timeout", message: string, cause?: unknown): void {
    if (!this.signal.aborted) this.#controller.abort(new AgentLoopError(message, { code, cause }));
  }
}
