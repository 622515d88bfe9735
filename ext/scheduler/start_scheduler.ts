/** The clock of a program that stays: does what is due whenever it is. */
import { refuseUnknown } from "../../contracts/known_names.ts";
import { DuePool } from "./due_pool.ts";
import { filledRunOptions, RUN_OPTIONS, type RunDueOptions } from "./run_options.ts";

/** The longest wait of the runtime's timers: beyond it they fire at once. */
const MAX_WAIT_MS = 2 ** 31 - 1;
/** How long something that is due and cannot be taken on, such as one that another process holds, is left alone. */
const BUSY_WAIT_MS = 1000;

/** Options of {@linkcode startScheduler}. */
export interface StartSchedulerOptions extends Omit<RunDueOptions, "signal"> {
  /**
   * How often the store is looked at, in ms: a task that another process adds is seen by then, and a clock that was set is followed by then. @default 5_000
   */
  readonly pollMs?: number;
  /** How long `stop` waits for what is under way before it gives it up, in ms. @default 30_000 */
  readonly graceMs?: number;
  /** Told when the store fails; the next look is tried all the same. When it throws, the throw is ignored. */
  readonly onError?: (error: unknown) => void;
}

/** A scheduler that goes on until it is stopped. Disposing stops it. */
export interface RunningScheduler extends AsyncDisposable {
  /** Looks at the store now: for a task that this process has added. */
  wake(): void;
  /** Begins nothing more, and resolves when what is under way is over. May be called again. */
  stop(): Promise<void>;
}

const { signal: _own, ...OF_A_ROUND } = RUN_OPTIONS;
const OPTIONS: Readonly<Record<keyof StartSchedulerOptions, true>> = {
  ...OF_A_ROUND,
  pollMs: true,
  graceMs: true,
  onError: true,
};

/**
 * Does what is due whenever it is, until it is stopped. It sleeps in between, for `pollMs` at most, so that no wait is too long for a timer and a clock that was set or a
 * machine that slept is noticed.
 *
 * @throws {RangeError} when an option is out of range.
 */
export function startScheduler(options: StartSchedulerOptions): RunningScheduler {
  refuseUnknown("startScheduler", options, OPTIONS);
  const { pollMs = 5000, graceMs = 30_000, onError = () => {} } = options;
  if (!(pollMs >= 1 && pollMs <= MAX_WAIT_MS)) {
    throw new RangeError(`pollMs must be a number from 1 to ${MAX_WAIT_MS}, not ${pollMs}`);
  }
  const giveUp = new AbortController();
  const filled = filledRunOptions({ ...options, signal: giveUp.signal } as RunDueOptions);
  const { schedule, now, timers } = filled;
  const pool = new DuePool(filled);
  let isStopping = false;
  let wakeUp = () => {};
  // A wake between a look and the sleep behind it must not be lost.
  let isAwake = false;
  const wake = () => {
    isAwake = true;
    wakeUp();
  };

  async function sleep(ms: number): Promise<void> {
    if (isAwake || isStopping) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wakeUp = resolve;
    const timer = timers.set(resolve, ms);
    const ends = pool.size > 0 ? [pool.oneEnded()] : [];
    await Promise.race([promise, ...ends]);
    timers.clear(timer);
  }

  async function waitMs(): Promise<number> {
    const at = await schedule.nextWakeAt();
    if (at === undefined) return pollMs;
    const left = at.getTime() - now().getTime();
    return Math.min(pollMs, left > 0 ? left : BUSY_WAIT_MS);
  }

  async function work(): Promise<void> {
    while (!isStopping) {
      isAwake = false;
      let ms = pollMs;
      try {
        await pool.fill(now());
        pool.reports.length = 0;
        ms = await waitMs();
      } catch (error) {
        tell(error);
      }
      await sleep(ms);
    }
  }

  function tell(error: unknown): void {
    try {
      onError(error);
    } catch {
      // A listener's throw is its own.
    }
  }

  const working = work();
  let stopped: Promise<void> | undefined;
  const stop = () =>
    stopped ??= (async () => {
      isStopping = true;
      pool.close();
      wake();
      await working;
      const timer = timers.set(() => giveUp.abort(new Error("the scheduler was stopped")), graceMs);
      try {
        await pool.allEnded();
      } catch (error) {
        tell(error);
      } finally {
        timers.clear(timer);
      }
    })();
  return { wake, stop, [Symbol.asyncDispose]: stop };
}
