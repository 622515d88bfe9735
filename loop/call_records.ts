/**
 * When the calls of a reply get into the trace. A call is written down before it is made. Of those that would do no harm if they were made again it is enough that they are
 * there before the program turns to anything outside: what begins and ends within one turn of the event loop is written in one transaction instead of two.
 */
import type { RunStep } from "../contracts/step.ts";
import { isDoneSoon } from "./done_soon.ts";
import type { Recorder, StepRecord } from "./recorder.ts";

/** So many promises that follow on one another are waited for: the way of a call through the gate and back takes about thirty. */
const MAX_HOPS = 100;

/** What is known of calls before they are made. */
export interface Beginnings {
  /** The reply that brought them, where it is not in the trace yet. */
  readonly reply: StepRecord | undefined;
  /** That each of them is made. */
  readonly begun: readonly StepRecord[];
  /** Told once, when they are in the trace, with the step of the reply. */
  readonly onWritten: (reply: RunStep | undefined) => void;
}

/** The steps of some calls that are made at once. Events that are told meanwhile come behind those of the beginnings. */
export class CallRecords {
  readonly #recorder: Recorder;
  readonly #beginnings: Beginnings;
  #writing: Promise<RunStep[]> | undefined;

  constructor(recorder: Recorder, beginnings: Beginnings) {
    this.#recorder = recorder;
    this.#beginnings = beginnings;
    recorder.hold();
  }

  /**
   * Sees to it that the beginnings are in the trace.
   *
   * @throws {AgentLoopError} when the store fails, each time that it is asked.
   */
  async write(): Promise<void> {
    await (this.#writing ??= this.#append([]));
  }

  /** The same once something waits that is not done yet, or at once when it is. */
  async writeUnlessDone(work: Promise<unknown>): Promise<void> {
    if (!await isDoneSoon(work, MAX_HOPS)) await this.write();
  }

  /**
   * Appends the ends, and before them what is not in the trace yet. Gives the steps of the ends.
   *
   * @throws {AgentLoopError} when the store fails.
   */
  async finish(ends: readonly StepRecord[]): Promise<RunStep[]> {
    if (this.#writing === undefined) return await (this.#writing = this.#append(ends));
    await this.#writing;
    return await this.#recorder.recordAll(ends);
  }

  async #append(ends: readonly StepRecord[]): Promise<RunStep[]> {
    const { reply, begun, onWritten } = this.#beginnings;
    const first = reply === undefined ? begun : [reply, ...begun];
    try {
      const steps = await this.#recorder.recordAll([...first, ...ends], first.length);
      onWritten(reply === undefined ? undefined : steps[0]);
      return steps.slice(first.length);
    } finally {
      this.#recorder.release();
    }
  }
}
