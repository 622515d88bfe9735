/** The occurrences that one worker has under way: so many at once, begun one after the other, and those of one session's runs never together. */
import type { ExecutionMode } from "../../contracts/schedule.ts";
import { type FilledRunOptions, modesOf, type OccurrenceReport, pause } from "./run_options.ts";
import { runOccurrence } from "./run_occurrence.ts";

/** A worker's occurrences. */
export class DuePool {
  /** What became of those that are over. */
  readonly reports: OccurrenceReport[] = [];
  readonly #options: FilledRunOptions;
  readonly #running = new Map<Promise<void>, ExecutionMode>();
  readonly #sessions = new Map<string, Promise<unknown>>();
  #failure: { readonly error: unknown } | undefined;
  /** An occurrence was left behind as begun, by a store that failed. */
  #leftOne = false;
  #workerId: string;
  #isClosed = false;

  /** Begins with none. */
  constructor(options: FilledRunOptions) {
    this.#options = options;
    this.#workerId = options.workerId;
  }

  /** How many are under way. */
  get size(): number {
    return this.#running.size;
  }

  /** Takes on what was due by an instant, as much as there is room for. Gives the number that was taken on. */
  async fill(dueBy: Date): Promise<number> {
    const { schedule, now, leaseMs, signal } = this.#options;
    for (let count = 0;; count++) {
      this.#rethrow();
      const workerId = this.#renewedId();
      const modes = this.#modes();
      if (modes.length === 0 || signal.aborted || this.#isClosed) return count;
      const claim = await schedule.claim({ workerId, now: now(), leaseMs, dueBy, modes });
      if (claim === undefined) return count;
      const { staggerMs } = this.#options;
      if (this.size > 0 && staggerMs > 0) await pause(staggerMs, this.#options);
      const { mode, sessionId } = claim.task;
      const before = mode === "agent" ? this.#sessions.get(sessionId) : undefined;
      const work = (async () => {
        await before;
        const report = await runOccurrence(claim, this.#options);
        if (report === undefined) return;
        this.reports.push(report);
        this.#tell(report);
      })();
      if (mode === "agent") this.#occupy(sessionId, work);
      const watched: Promise<void> = work.catch((error) => {
        this.#failure ??= { error };
        this.#leftOne = true;
      }).finally(() => this.#running.delete(watched));
      this.#running.set(watched, mode);
    }
  }

  /** Takes on nothing more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when one of those under way is over; at once when there is none. */
  async oneEnded(): Promise<void> {
    if (this.size > 0) await Promise.race(this.#running.keys());
  }

  /** Resolves when all are over. */
  async allEnded(): Promise<void> {
    await Promise.all(this.#running.keys());
    this.#rethrow();
  }

  /** Keeps other runs of a session back until this one is over. */
  #occupy(sessionId: string, work: Promise<void>): void {
    const over: Promise<void> = work.catch(() => {}).then(() => {
      if (this.#sessions.get(sessionId) === over) this.#sessions.delete(sessionId);
    });
    this.#sessions.set(sessionId, over);
  }

  /** What still has room. */
  #modes(): ExecutionMode[] {
    const { concurrency, agentConcurrency } = this.#options;
    if (this.size >= concurrency) return [];
    const agents = [...this.#running.values()].filter((mode) => mode === "agent").length;
    return modesOf(this.#options).filter((mode) => mode === "message" || agents < agentConcurrency);
  }

  /** What was left behind counts as held by this worker as long as it has its name; under another it takes it up once the lease has ended. */
  #renewedId(): string {
    if (this.#leftOne && this.size === 0) {
      this.#workerId = crypto.randomUUID();
      this.#leftOne = false;
    }
    return this.#workerId;
  }

  #tell(report: OccurrenceReport): void {
    try {
      this.#options.onReport(report);
    } catch {
      // A listener's throw is its own.
    }
  }

  #rethrow(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
