/**
 * A look at each answer before anybody is told of it. What is wrong with an answer is decided by whoever is handed in; the loop holds it back, tells the model once,
 * and says so where the model insists.
 */
import type { CallLog } from "./call_log.ts";
import type { Scope } from "./scope.ts";

/** An answer that nobody was told of yet. */
export interface AnswerToReview {
  /** The answer, without secrets. */
  readonly text: string;
  /** The session. */
  readonly sessionId: string;
  /** The run that is about to end. */
  readonly runId: string;
  /** The tenant. */
  readonly scope?: Scope;
  /** The invoking user. */
  readonly userId?: string;
  /** The audit log, with every call of the session that has ended. */
  readonly calls: CallLog;
  /** Ends with the run. */
  readonly signal: AbortSignal;
}

/** What is wrong with an answer. */
export interface AnswerObjection {
  /** What the model is told, once; it stands behind its answer. */
  readonly tell: string;
  /** What stands behind the answer when the model insists on it; for the user to read. */
  readonly warning: string;
  /** What the answer claims and cannot show, in words of the review's own; for programs, and without secrets. */
  readonly claims: readonly string[];
}

/**
 * Says what is wrong with an answer, or `undefined` where nothing is. Called once for each text that is about to be an answer, however it came; when it throws, the
 * run fails, and the text stands in the trace only.
 */
export type AnswerReview = (
  answer: AnswerToReview,
) => AnswerObjection | undefined | Promise<AnswerObjection | undefined>;
