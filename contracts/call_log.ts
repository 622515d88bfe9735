/**
 * The audit log: one row for each call out of a script, written before the function runs and completed after it. Where a call comes to something else on its way,
 * such as the host that a redirect leads to, or a person is asked only then, that has a row too, with the same sequence: so the log names every host that was reached.
 * A call that was started and never ended stays visible as such.
 */

/** How the gate let a call through, or did not. */
export type CallDecision = "allowed" | "approved" | "changed" | "denied";

/** How a call ended: its result was handed over, the function threw, it was cut at its deadline, it was refused, its result was unusable, or its script ended first. */
export type CallRowOutcome = "ok" | "error" | "timeout" | "refused" | "result" | "cancelled";

/** A call that is about to happen, or was refused. */
export interface CallStart {
  /** The session. */
  readonly sessionId: string;
  /** The run. */
  readonly runId: string;
  /** The turn of the run, from 1. */
  readonly turn: number;
  /** Position of the call in its turn, from 0. */
  readonly sequence: number;
  /** The function's name. */
  readonly name: string;
  /** What the call is aimed at, where the function names it. */
  readonly target?: string;
  /** The arguments that the function gets, as JSON text. */
  readonly argsJson: string;
  /** How the gate decided. */
  readonly decision: CallDecision;
  /** When. */
  readonly startedAt: Date;
}

/** How a call ended. */
export interface CallEnded {
  /** How it ended. */
  readonly outcome: CallRowOutcome;
  /** How long it took. */
  readonly durationMs: number;
  /** Size of the result as JSON text; 0 when there was none. */
  readonly resultBytes: number;
  /** The error's message, where there was one. */
  readonly error?: string;
}

/** One row of the audit log. Without `outcome` the call was started and has not ended. */
export interface CallRow extends CallStart, Partial<CallEnded> {
  /** Given by the store, growing. */
  readonly id: number;
}

/** Keeps the audit log. Held to `callLogContract` in `@agentloop/core/testing`. */
export interface CallLog {
  /** Writes the row of a call before its function runs; resolves with the row's id when it is as durable as a step. */
  startCall(call: CallStart): Promise<number>;
  /** Completes a row. An unknown id is ignored: the session may have been deleted meanwhile. */
  endCall(id: number, ended: CallEnded): Promise<void>;
  /**
   * The rows of a session in the order in which they were started; the last `limit` of them. `limit` defaults to all. With `after`, the id of a row, only those
   * that were started behind it, and the first `limit` of them: so a long log is read in pieces.
   */
  calls(
    sessionId: string,
    options?: { readonly limit?: number; readonly runId?: string; readonly after?: number },
  ): Promise<CallRow[]>;
}
