/**
 * The trace of a session: one appended row for each thing that happened. Rows are never changed.
 */

import type { ResultStore } from "./long_result.ts";

/** The kinds of rows a session's trace holds. Stores keep any text; the loop writes only these. */
export type StepType =
  | "user"
  | "execute_js"
  | "execute_js_result"
  | "llm_call"
  | "tool_call"
  | "tool_result"
  | "approval"
  | "response"
  | "error"
  | "summary";

/** Type of a step that stands for the older steps that were summarized. */
export const STEP_TYPE_SUMMARY = "summary";

/**
 * The `toolArgs` of steps that were put into a session beside its runs, such as a message that was scheduled: no run of the session went on by them, so that one that
 * waits can still be resumed.
 */
export const ASIDE_ARGS = '{"aside":true}';

/** Whether a step was put into its session beside its runs. */
export function isAside({ toolArgs }: Pick<NewRunStep, "toolArgs">): boolean {
  return toolArgs === ASIDE_ARGS;
}

/** A step as it is handed to a store, which gives it its index. */
export interface NewRunStep {
  /** The session it belongs to. */
  readonly sessionId: string;
  /** The run that wrote it (time-ordered id). */
  readonly runId: string;
  /** What kind of row this is. */
  readonly stepType: StepType;
  /** The text of the step: message, source, observation, answer or error. */
  readonly content: string;
  /** More about the step as JSON text, kept byte for byte by the store. */
  readonly toolArgs?: string;
  /** How long the step took. @default 0 */
  readonly durationMs?: number;
  /** Prompt tokens that the step cost. @default 0 */
  readonly promptTokens?: number;
  /** Completion tokens that the step cost. @default 0 */
  readonly completionTokens?: number;
  /** When the step was made. */
  readonly createdAt: Date;
}

/** One row of a session's trace. */
export interface RunStep extends NewRunStep {
  /** Position in the session: 0, 1, 2, … without a gap, given by the store as it appends. */
  readonly stepIndex: number;
  /** How long the step took, in milliseconds. */
  readonly durationMs: number;
  /** Prompt tokens that the step cost. */
  readonly promptTokens: number;
  /** Completion tokens that the step cost. */
  readonly completionTokens: number;
}

/** Keeps the trace of sessions. Held to `stepStoreContract` in `@agentloop/core/testing`. */
export interface StepStore {
  /**
   * Where results of calls go that are too long to be told whole, so that `lastN` does not read them.
   *
   * @default they stand in the `toolArgs` of their steps
   */
  readonly results?: ResultStore;
  /**
   * Appends a step at the end of its session, creating the session's row if there is none, and resolves when it is durable
   * as far as the store promises it. Several processes may append to one session at once: nothing is lost, doubled or reordered.
   */
  append(step: NewRunStep): Promise<RunStep>;
  /**
   * Appends steps of one session together: all of them or none, in their order, with indexes that follow each other. Otherwise like `append`.
   *
   * @default they are appended one after the other
   */
  appendAll?(steps: readonly NewRunStep[]): Promise<RunStep[]>;
  /**
   * The most recent `n` steps of a session in chronological order (oldest first), by index. Fewer when there are fewer, none for an unknown session.
   *
   * @throws {RangeError} when `n` is not a whole number of at least 0 (`Infinity` is allowed: all).
   */
  lastN(sessionId: string, n: number): Promise<RunStep[]>;
}
