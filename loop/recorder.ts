/**
 * Writes down what happens in a run: each step in the store, then its event to the listener, in this order, so that what was told is kept.
 * It numbers nothing and decides nothing.
 */
import type { RunEvent, RunEventBody } from "../contracts/event.ts";
import type { NewRunStep, StepStore } from "../contracts/step.ts";
import { untilAborted } from "./abort.ts";
import { attempt } from "./failure.ts";

/** What a recorder is made of. */
export interface RecorderOptions {
  /** Keeps the steps. */
  readonly steps: StepStore;
  /** Hears of every event; may throw, which changes nothing. */
  readonly listener?: (event: RunEvent) => void;
  /** The session. */
  readonly sessionId: string;
  /** The run. */
  readonly runId: string;
  /** The clock. */
  readonly now: () => Date;
}

/** A step without what the recorder adds. */
export type StepBody = Omit<NewRunStep, "sessionId" | "runId" | "createdAt">;

/** The trace and the events of one run. */
export class Recorder {
  readonly #options: RecorderOptions;
  #stepCount = 0;
  #closed = false;
  #signal: AbortSignal | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Steps appended so far. */
  get stepCount(): number {
    return this.#stepCount;
  }

  /** Whether anyone hears of the events. */
  get isHeard(): boolean {
    return this.#options.listener !== undefined;
  }

  /** From now on no store is waited for longer than the signal lasts; without one, as long as it takes. */
  heed(signal: AbortSignal | undefined): void {
    this.#signal = signal;
  }

  /**
   * Appends a step, then tells its event.
   *
   * @throws {AgentLoopError} when the store fails.
   */
  async record(body: StepBody, event?: RunEventBody): Promise<NewRunStep> {
    const { steps, sessionId, runId, now } = this.#options;
    const step: NewRunStep = { sessionId, runId, ...body, createdAt: now() };
    const appended = attempt(
      { doing: `append a step (${body.stepType}) of session ${sessionId}`, code: "store_failed" },
      () => steps.append(step),
    );
    await (this.#signal === undefined ? appended : untilAborted(this.#signal, appended));
    this.#stepCount++;
    if (event !== undefined) this.emit(event);
    return step;
  }

  /** Tells an event. What a listener does wrong is its own business. */
  readonly emit = (body: RunEventBody): void => {
    const { listener, runId, sessionId } = this.#options;
    if (listener === undefined || this.#closed) return;
    try {
      const returned: unknown = listener({ ...body, runId, sessionId });
      // An async listener rejects later.
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // See above.
    }
  };

  /** Tells the last event. What a host function still has to tell after that goes nowhere. */
  close(last: RunEventBody): void {
    this.emit(last);
    this.#closed = true;
  }
}
