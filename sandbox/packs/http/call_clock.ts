/** The time that one request may take, over all its redirects and its body. It stands still while a person is asked. */

/** Ends at its limit, and with the call. Dispose it when the request is over. */
export class CallClock implements Disposable {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #onOuterAbort = () => this.#controller.abort(this.#outer.reason);
  #leftMs: number;
  #runningSince = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timedOut = false;

  /** Starts the clock. A limit that no timer can hold counts as none. */
  constructor({ signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number }) {
    this.#outer = signal;
    this.#leftMs = limitMs;
    if (signal.aborted) this.#onOuterAbort();
    else signal.addEventListener("abort", this.#onOuterAbort, { once: true });
    this.#go();
  }

  /** Ends at the limit or with the call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the limit was reached. */
  get timedOut(): boolean {
    return this.#timedOut;
  }

  /** Waits for work whose time does not count. */
  async standStill<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#runningSince;
    try {
      return await work();
    } finally {
      this.#go();
    }
  }

  /** Waits for work that does not heed the signal itself, no longer than the signal lasts. */
  until<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#onOuterAbort);
  }

  #go(): void {
    if (this.signal.aborted) return;
    this.#runningSince = performance.now();
    if (this.#leftMs > 2_147_483_647) return;
    this.#timer = setTimeout(() => {
      this.#timedOut = true;
      this.#controller.abort(new DOMException("the time is up", "TimeoutError"));
    }, Math.max(0, this.#leftMs));
  }
}
