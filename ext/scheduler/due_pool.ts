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

  /** Begins with none. */
  constructor(options: FilledRunOptions) {
    this.#options = options;
  }

  /** How many are under way. */
  get size(): number {
    return this.#running.size;
  }

  /** Takes on what was due by an instant, as much as there is room for. Gives the number that was taken on. */
  async fill(dueBy: Date): Promise<number> {
    const { schedule, workerId, now, leaseMs, signal } = this.#options;
    for (let count = 0;; count++) {
      this.#rethrow();
      const modes = this.#modes();
      if (modes.length === 0 || signal.aborted) return count;
      const claim = await schedule.claim({ workerId, now: now(), leaseMs, dueBy, modes });
      if (claim === undefined) return count;
      if (this.size > 0) await pause(this.#options.staggerMs, this.#options);
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
      }).finally(() => this.#running.delete(watched));
      this.#running.set(watched, mode);
    }
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
