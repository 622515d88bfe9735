/**
 * Scripts that wait for a person's word: what it takes to evaluate one again in another process, and to answer from what is kept whatever it had called before. What
 * is kept is whole, as session data is: a script goes on with what it had. It is never observed. Calls by name that wait and were given a secret have what they were
 * given here too: then there are no calls of a script, and the step is that of the reply.
 */

/** A call of a kept script. */
export interface JournalCall {
  /** Its position among the calls of the script, from 0. */
  readonly position: number;
  /** What is known of it, as JSON text that the loop reads: its name, its arguments, how it ended. */
  readonly json: string;
}

/** Which script is meant, and whose turn it is to go on with it. */
export interface ScriptClaim {
  /** The session. */
  readonly sessionId: string;
  /** The index of the script's step in the session's trace. */
  readonly stepIndex: number;
  /** How often somebody took it on, from 0: who did last is the only one who may write. */
  readonly claim: number;
}

/** A script that waits. */
export interface KeptScript extends ScriptClaim {
  /** All about it but its calls, as JSON text that the loop reads. */
  readonly json: string;
  /** Its calls, by their positions. */
  readonly calls: readonly JournalCall[];
}

/**
 * Keeps scripts that wait, at most one a session. Held to `scriptJournalContract` in `@agentloop/core/testing`. Several processes may use one at once: each method
 * takes effect whole or not at all, and of two that claim the same, one does.
 */
export interface ScriptJournal {
  /**
   * Keeps a script in the place of what the session kept; creates the session if need be. With a claim above 0 only where that very script is kept under that
   * claim: otherwise nothing is changed, and the word is false.
   *
   * @throws {TypeError} when a text is missing or of the wrong type.
   * @throws {RangeError} when a number is no whole number of at least 0.
   */
  keep(script: KeptScript): Promise<boolean>;
  /** The script that a session keeps; nothing where there is none. */
  kept(sessionId: string): Promise<KeptScript | undefined>;
  /** Takes a script on: its claim is one more from then on. False when it is not kept under this claim any more. */
  claim(claim: ScriptClaim): Promise<boolean>;
  /** Keeps a call, in the place of what was known of it. False, and nothing is kept, when the script is not kept under this claim any more. */
  keepCall(claim: ScriptClaim, call: JournalCall): Promise<boolean>;
  /** Forgets a script, whoever has claimed it. Another one of the session stays. */
  drop(script: Pick<ScriptClaim, "sessionId" | "stepIndex">): Promise<void>;
}
