/**
 * Errors of the second kind: the world failed. They carry plain data and a code from one closed union.
 * A caller's mistake is a TypeError or RangeError instead, and what a model should see is a value, never a throw.
 */

/** Every code that an {@linkcode AgentLoopError} may carry. Pinned by a test; callers may switch on it. */
export type ErrorCode =
  | "aborted"
  | "timeout"
  | "config"
  | "internal"
  | "not_waiting"
  | "model_auth"
  | "model_connection"
  | "model_context_overflow"
  | "model_empty"
  | "model_incomplete"
  | "model_not_found"
  | "model_overloaded"
  | "model_rate_limited"
  | "model_rejected"
  | "model_tools_unsupported"
  | "sandbox_busy"
  | "sandbox_lost"
  | "sandbox_permission"
  | "sandbox_start"
  | "store_conflict"
  | "store_corrupt"
  | "store_failed"
  | "store_foreign"
  | "store_locked"
  | "store_missing"
  | "store_newer";

/** Options of an {@linkcode AgentLoopError}. */
export interface AgentLoopErrorOptions {
  /** What went wrong, as one word of a closed union. */
  readonly code: ErrorCode;
  /** The error or value behind this one, if any. */
  readonly cause?: unknown;
  /** Why it failed, in words of this package: the middle of a sentence. */
  readonly why?: string;
  /** What a person can do about it: sentences. */
  readonly advice?: string;
  /** HTTP status of the provider's reply, where there was one. */
  readonly status?: number;
  /** Tokens that were spent before the failure and are billed all the same. */
  readonly tokens?: { readonly prompt: number; readonly completion: number };
  /** The context window that the provider named, in tokens; with `model_context_overflow`, where it was told. */
  readonly contextWindow?: number;
}

/**
 * The world failed: a model that cannot be reached, a locked store, a guest process that died.
 *
 * The message says what was being done, to what, why it failed and what to do about it; it holds no secret and no payload.
 */
export class AgentLoopError extends Error {
  /** The kind of failure. */
  readonly code: ErrorCode;
  /** Why it failed, finer than the code: the middle of a sentence, without anything that a server wrote. Texts may change. */
  readonly why?: string;
  /** What a person can do about it: sentences. Texts may change. */
  readonly advice?: string;
  /** HTTP status of the provider's reply, where there was one. */
  readonly status?: number;
  /** Tokens that were spent before the failure and are billed all the same. */
  readonly tokens?: { readonly prompt: number; readonly completion: number };
  /** The context window that the provider named, in tokens; with `model_context_overflow`, where it was told. */
  readonly contextWindow?: number;

  /** Creates an error with a message for people and a code for programs. */
  constructor(message: string, options: AgentLoopErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AgentLoopError";
    this.code = options.code;
    if (options.why !== undefined) this.why = options.why;
    if (options.advice !== undefined) this.advice = options.advice;
    if (options.status !== undefined) this.status = options.status;
    if (options.tokens !== undefined) this.tokens = options.tokens;
    if (options.contextWindow !== undefined) this.contextWindow = options.contextWindow;
  }
}

/** The model sent no content in all of the allowed tries. Its code is `model_empty`; worth trying again later. */
export class EmptyResponseError extends AgentLoopError {
  /** Creates the error for a number of tries that all came back empty. */
  constructor(attempts: number, tokens?: { readonly prompt: number; readonly completion: number }) {
    super(
      `The model returned an empty reply ${attempts} times in a row. Try again, or choose another model.`,
      {
        code: "model_empty",
        why: "the model returned nothing, however often it was asked",
        advice: "Try again, or choose another model.",
        tokens,
      },
    );
    this.name = "EmptyResponseError";
  }
}
