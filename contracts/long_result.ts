/** Results of calls that are too long to be told to a model whole. They are kept beside the trace, so that replaying it does not read them. */

/** A result that is kept whole. */
export interface LongResult {
  /** The session that made the call. */
  readonly sessionId: string;
  /** The call, by the id that the trace knows it by. */
  readonly callId: string;
  /** All of it. */
  readonly text: string;
}

/** Keeps long results. Held to `resultStoreContract` in `@agentloop/core/testing`. */
export interface ResultStore {
  /**
   * Keeps a result; one that is kept of the same call of the same session already is replaced. Resolves when it is as durable as a step. Lone surrogates may become U+FFFD,
   * as in steps.
   */
  keepResult(result: LongResult): Promise<void>;
  /** The text of a result; nothing where none is kept. */
  readResult(sessionId: string, callId: string): Promise<string | undefined>;
  /** Removes the results of a session for good and gives their number. Deleting a session in the same store does this too. */
  deleteResults(sessionId: string): Promise<number>;
}
