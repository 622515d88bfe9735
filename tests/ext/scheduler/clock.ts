/** A clock of the tests' own: time goes on when it is told to, and timers are called when their time has come. */
import type { SchedulerTimers } from "../../../ext/scheduler/mod.ts";

/** The clock. */
export class TestClock {
  /** Every wait that was asked for, in ms. */
  readonly waits: number[] = [];
  readonly #timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  #ids = 0;
  /** Time that went by, whatever the clock shows. */
  #elapsed = 0;
  #shown: number;

  constructor(start: string) {
    this.#shown = Date.parse(start);
  }

  readonly now = (): Date => new Date(this.#shown);

  readonly timers: SchedulerTimers = {
    set: (callback, ms) => {
      this.waits.push(ms);
      this.#timers.set(++this.#ids, { at: this.#elapsed + ms, callback });
      return this.#ids;
    },
    clear: (id) => void this.#timers.delete(id as number),
  };

  /** Sets what the clock shows; timers do not notice. */
  set(time: string): void {
    this.#shown = Date.parse(time);
  }

  /** Lets time go by, timer by timer. Timers that are set meanwhile count. */
  async pass(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    for (;;) {
      await settle();
      const next = [...this.#timers].sort(([, a], [, b]) => a.at - b.at)[0];
      if (next === undefined || next[1].at > end) break;
      this.#advance(next[1].at);
      this.#timers.delete(next[0]);
      next[1].callback();
    }
    this.#advance(end);
    await settle();
  }

  /** The machine sleeps: the clock goes on, timers are late. */
  sleepFor(ms: number): void {
    this.#shown += ms;
  }

  #advance(elapsed: number): void {
    this.#shown += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }
}

/** Lets everything that waits for nothing but other code go on. */
export async function settle(): Promise<void> {
  for (let n = 0; n < 3; n++) await new Promise<void>((resolve) => setImmediate(resolve));
}
