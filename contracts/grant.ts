/**
 * What a person has allowed a session for good: so that a run which goes on does not ask again.
 */

/** One thing that a session may do without asking. */
export interface Grant {
  /** The function, e.g. `fetch`. */
  readonly name: string;
  /** The host, the file, or the arguments that are meant; left out for every call of the function. Never empty. */
  readonly key?: string;
}

/** Keeps grants. Held to `grantStoreContract` in `@agentloop/core/testing`. */
export interface GrantStore {
  /** Adds a grant, creating the session if need be; one that is there already stays one. */
  grant(sessionId: string, grant: Grant): Promise<void>;
  /** The grants of a session in the order in which they were given; none for an unknown session. */
  grants(sessionId: string): Promise<Grant[]>;
  /** Takes back the grants whose name or key is `what`, or all where it is left out. Gives their number. */
  revoke(sessionId: string, what?: string): Promise<number>;
}
