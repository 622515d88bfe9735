/**
 * Writes down what happens in a run: each step in the store, then its event to the listener, in this order, so that what was told is kept.
 * What leaves here is redacted. It numbers nothing and decides nothing.
 */
import type { PendingApproval } from "../contracts/approval.ts";
import type { RunEvent, RunEventBody } from "../contracts/event.ts";
import type { RedactionStream, TextRedactor } from "../contracts/redaction.ts";
import {
  type NewRunStep,
  type RunStep,
  STEP_TYPE_SUMMARY,
  type StepStore,
} from "../contracts/step.ts";
import { redactJson, redactJsonText } from "../redact/redact_json.ts";
import { untilAborted } from "./abort.ts";
import { attempt } from "./failure.ts";

/** What a recorder is made of. */
export interface RecorderOptions {
  /** Keeps the steps. */
  readonly steps: StepStore;
  /** Hears of every event; may throw, which changes nothing. */
  readonly listener?: (event: RunEvent) => void;
  /** Takes each event before the listener does; must not throw. */
  readonly observe?: ((event: RunEvent) => void) | undefined;
  /** Takes each step once it is stored; must not throw. */
  readonly onStep?: ((step: RunStep) => void) | undefined;
  /** The session. */
  readonly sessionId: string;
  /** The run. */
  readonly runId: string;
  /** The agent's name, where it has one. */
  readonly agent?: string | undefined;
  /** The clock. */
  readonly now: () => Date;
  /** Takes secrets out of steps and events; asked for each time, since a run learns of more. */
  readonly secrets: { readonly redactor: TextRedactor | undefined };
}

/** A step without what the recorder adds. */
export type StepBody = Omit<NewRunStep, "sessionId" | "runId" | "createdAt">;

/** A step and the event that tells it. */
export interface StepRecord {
  readonly body: StepBody;
  readonly event?: RunEventBody;
}

/** A stream that changes nothing. */
const PASSING: RedactionStream = { push: (piece) => piece, flush: () => "" };

/** The trace and the events of one run. */
export class Recorder {
  readonly #options: RecorderOptions;
  #stepCount = 0;
  /** Events that are kept back. */
  #held: RunEventBody[] | undefined;
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

  /** A text without secrets. What is going to be shortened is redacted before: half a secret is not found any more. */
  readonly redact = (text: string): string => this.#options.secrets.redactor?.redact(text) ?? text;

  /** Begins a stream of text on its way to the listener. */
  redactStream(): RedactionStream {
    return this.#options.secrets.redactor?.stream() ?? PASSING;
  }

  /**
   * Appends a step, then tells its event. Gives the step as it was stored.
   *
   * @throws {AgentLoopError} when the store fails.
   */
  async record(body: StepBody, event?: RunEventBody): Promise<RunStep> {
    const { steps } = this.#options;
    const step = this.#newStep(body);
    const stored = await this.#append(body, () => steps.append(step));
    this.#stepCount++;
    if (event !== undefined) this.#tell(event);
    const kept = { ...stored, ...step };
    this.#options.onStep?.(kept);
    return kept;
  }

  /**
   * Appends steps that belong together, then tells their events: at once where the store can do that, which costs little more than one of them. Events that are kept back
   * are told before that of the record at `releaseAt`.
   *
   * @throws {AgentLoopError} when the store fails.
   */
  async recordAll(
    records: readonly StepRecord[],
    releaseAt: number = Infinity,
  ): Promise<RunStep[]> {
    const { steps } = this.#options;
    if (records.length < 2 || steps.appendAll === undefined) {
      const recorded: RunStep[] = [];
      for (const [at, { body, event }] of records.entries()) {
        if (at === releaseAt) this.release();
        recorded.push(await this.record(body, event));
      }
      return recorded;
    }
    const added = records.map(({ body }) => this.#newStep(body));
    const stored = await this.#append(records[0]!.body, () => steps.appendAll!(added));
    this.#stepCount += added.length;
    for (const [at, { event }] of records.entries()) {
      if (at === releaseAt) this.release();
      if (event !== undefined) this.#tell(event);
    }
    const kept = stored.map((step, at) => ({ ...step, ...added[at]! }));
    for (const step of kept) this.#options.onStep?.(step);
    return kept;
  }

  #newStep(body: StepBody): NewRunStep {
    const { sessionId, runId, now } = this.#options;
    return { sessionId, runId, ...this.#cleanStep(body), createdAt: now() };
  }

  #append<T>({ stepType }: StepBody, append: () => Promise<T>): Promise<T> {
    const doing = `append a step (${stepType}) of session ${this.#options.sessionId}`;
    const appended = attempt({ doing, code: "store_failed" }, append);
    return this.#signal === undefined ? appended : untilAborted(this.#signal, appended);
  }

  /** Keeps back what is told from now on: it comes of something that is not in the store yet. Events of steps are told all the same. */
  hold(): void {
    this.#held ??= [];
  }

  /** Tells what was kept back, and keeps nothing back any more. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of held) this.#tell(event);
  }

  /** Tells an event. What a listener does wrong is its own business. */
  readonly emit = (body: RunEventBody): void => {
    const { listener, observe } = this.#options;
    if (listener === undefined && observe === undefined) return;
    if (this.#held === undefined) this.#tell(body);
    else this.#held.push(asItIs(body));
  };

  #tell(body: RunEventBody): void {
    const { listener, observe, runId, sessionId, agent } = this.#options;
    if ((listener === undefined && observe === undefined) || this.#closed) return;
    const named = agent === undefined ? {} : { agent };
    const event = { ...this.#cleanEvent(body), runId, sessionId, ...named };
    observe?.(event);
    try {
      const returned: unknown = listener?.(event);
      // An async listener rejects later.
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // See above.
    }
  }

  /** Tells the last event. What a host function still has to tell after that goes nowhere. */
  close(last: RunEventBody): void {
    this.release();
    this.#tell(last);
    this.#closed = true;
  }

  #cleanStep(body: StepBody): StepBody {
    const { redactor } = this.#options.secrets;
    if (redactor === undefined) return body;
    const content = redactor.redact(body.content);
    // A checkpoint holds the index that later runs go on from, and words of our own.
    if (body.toolArgs === undefined || body.stepType === STEP_TYPE_SUMMARY) {
      return { ...body, content };
    }
    return { ...body, content, toolArgs: redactJsonText(body.toolArgs, redactor) };
  }

  #cleanEvent(body: RunEventBody): RunEventBody {
    const { redactor } = this.#options.secrets;
    if (redactor === undefined) return body;
    switch (body.type) {
      case "sandbox_event":
      case "data_update":
      case "tool_call":
      case "tools_discovered":
        return { ...body, args: redactJson(body.args, redactor) } as RunEventBody;
      case "approval_pending":
        return {
          ...body,
          approval: redactJson({ ...body.approval }, redactor) as unknown as PendingApproval,
        };
      case "turn_start":
      case "response_discarded":
      case "compacted":
      case "budget_trimmed":
      case "done":
        return body;
      default:
        return { ...body, content: redactor.redact(body.content) };
    }
  }
}

/** What is told later must not show what became of it meanwhile: a function's values are its own. */
function asItIs(body: RunEventBody): RunEventBody {
  try {
    return structuredClone(body);
  } catch {
    // No JSON: told as it is.
    return body;
  }
}
