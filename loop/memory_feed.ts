/** Hands the messages of one run to its memory: in their order, one at a time, without holding up the run. */
import type { MemoryMessage, MemoryRole, MemorySink } from "../contracts/memory.ts";
import type { Scope } from "../contracts/scope.ts";
import type { RunStep, StepType } from "../contracts/step.ts";

/** Whose messages they are, and where they go. */
export interface MemoryFeedOptions {
  readonly sink?: MemorySink | undefined;
  readonly scope?: Scope | undefined;
  readonly userId?: string | undefined;
  /** Hears once of a sink that fails. */
  readonly warn: (message: string) => void;
}

/** Whose message a step is; steps that are not among these are none of the conversation. */
const ROLES: Partial<Record<StepType, MemoryRole>> = {
  user: "user",
  execute_js: "assistant",
  execute_js_result: "tool",
  llm_call: "assistant",
  tool_result: "tool",
  response: "assistant",
};

/** Messages of one run on their way to a sink. */
export class MemoryFeed {
  readonly #options: MemoryFeedOptions;
  readonly #messages: MemoryMessage[] = [];
  #last: Promise<void> = Promise.resolve();
  #taken = 0;
  #failed = 0;

  constructor(options: MemoryFeedOptions) {
    this.#options = options;
  }

  /** Messages that the sink has taken. */
  get taken(): number {
    return this.#taken;
  }

  /** All messages so far. */
  get messages(): readonly MemoryMessage[] {
    return this.#messages;
  }

  /** Takes a step that was stored. */
  readonly add = (step: RunStep): void => {
    const role = ROLES[step.stepType];
    if (role === undefined) return;
    const message = this.#message(step, role);
    this.#messages.push(message);
    this.#last = this.#last.then(() => this.#hand(message));
  };

  /** Resolves when every message was handed over. */
  async settled(): Promise<void> {
    await this.#last;
  }

  async #hand(message: MemoryMessage): Promise<void> {
    const { sink, warn } = this.#options;
    if (sink === undefined) return;
    const { sessionId, role, stepType, content } = message;
    try {
      if (sink.addStructuredMessage !== undefined) await sink.addStructuredMessage(message);
      else if (stepType === "user" || stepType === "response") {
        await sink.addMessage(sessionId, role, content);
      } else return;
      this.#taken++;
    } catch (cause) {
      if (this.#failed++ > 0) return;
      const why = cause instanceof Error ? cause.message : String(cause);
      warn(`The memory did not take a message (${stepType}), the run goes on: ${why}`);
    }
  }

  #message(step: RunStep, role: MemoryRole): MemoryMessage {
    const { sessionId, runId, stepType, content, toolArgs, createdAt } = step;
    const { scope, userId } = this.#options;
    return {
      sessionId,
      runId,
      ...(scope === undefined ? {} : { scope }),
      ...(userId === undefined ? {} : { userId }),
      role,
      stepType,
      content,
      ...(toolArgs === undefined ? {} : { toolArgs }),
      createdAt,
    };
  }
}
