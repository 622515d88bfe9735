/** Keeps the requests that are under way at once within a bound; those beyond it wait in their order. */

/** A number of slots. */
export class RequestSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** Makes `count` slots. */
  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a slot as soon as there is one; disposing what is returned gives it back. Rejects with the signal's reason when that ends first. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let taken = true;
    return {
      [Symbol.dispose]: () => {
        if (taken) this.#giveBack();
        taken = false;
      },
    };
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      this.#waiting.push(go);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}
