/**
 * A session: what outlives a run beside the steps. The data it carries is JSON text, kept as it is.
 */

import type { ScriptJournal } from "./script_journal.ts";

/** The minimum that the loop needs to know of a session. */
export interface Session {
  /** The session's id: any non-empty text. */
  readonly id: string;
  /** The model that this session is pinned to; beats the loop's own. */
  readonly model?: string;
  /** The persona: stands behind the protocol in the system prompt. */
  readonly systemPrompt?: string;
  /** What the last turn returned, as JSON text; absent when no turn returned anything yet. */
  readonly data?: string;
  /** The inbound message that started this session, if any. */
  readonly messageId?: string;
}

/** How a run ended. */
export type RunStatus = "completed" | "max_iterations" | "limit" | "waiting" | "error";

/** What the loop reports at the end of each run. */
export interface FinalizeSummary {
  /** The run that ended. */
  readonly runId: string;
  /** How it ended. */
  readonly status: RunStatus;
  /** More about the end: `timeout`, `aborted`, the limit's name, … */
  readonly reason?: string;
  /** Prompt tokens of the run. */
  readonly promptTokens: number;
  /** Completion tokens of the run. */
  readonly completionTokens: number;
  /** Steps that the run appended. */
  readonly stepCount: number;
  /** Wall time of the run. */
  readonly durationMs: number;
  /** Bytes of working state held on our side, minus the digests that were sent, summed over the model calls. */
  readonly dataBytesCarried: number;
}

/** Keeps sessions. Held to `sessionStoreContract` in `@agentloop/core/testing`. */
export interface SessionStore {
  /** Keeps scripts that wait for a person's word. @default none are kept: where a script would have to wait, the call is refused */
  readonly scripts?: ScriptJournal;
  /** The session; an unknown id is no error: a shell of a session is returned (and may be created). */
  get(sessionId: string): Promise<Session>;
  /** Whether the session is there. Never creates one. */
  exists(sessionId: string): Promise<boolean>;
  /** Replaces the data that the session carries by JSON text, kept byte for byte. */
  updateData(sessionId: string, json: string): Promise<void>;
  /** Records the end of a run: adds its figures to the session's totals. */
  finalize(sessionId: string, summary: FinalizeSummary): Promise<void>;
}

/** One line of a listing of sessions. */
export interface SessionListing {
  /** The session's id. */
  readonly id: string;
  /** The first line of its first user message, shortened to 80 characters; "" when there was none. */
  readonly title: string;
  /** When it was first written to. */
  readonly createdAt: Date;
  /** When it was last written to. */
  readonly lastUsedAt: Date;
  /** How its newest ended run ended; absent while none has. */
  readonly status?: RunStatus;
  /** Steps in its trace. */
  readonly stepCount: number;
  /** Runs that ended. */
  readonly runCount: number;
  /** Prompt tokens of all ended runs. */
  readonly promptTokens: number;
  /** Completion tokens of all ended runs. */
  readonly completionTokens: number;
}

/** What a session manager needs beyond the loop. Part of the same conformance suite. */
export interface SessionCatalog {
  /** Sessions, the last used first. `limit` defaults to all. */
  list(options?: { readonly limit?: number }): Promise<SessionListing[]>;
  /** Sets model, persona or message id of a session, creating it if need be; fields left out stay as they are. */
  configure(
    sessionId: string,
    fields: Pick<Session, "model" | "systemPrompt" | "messageId">,
  ): Promise<void>;
  /** Removes a session with its steps and data; false when there was none. */
  delete(sessionId: string): Promise<boolean>;
}
