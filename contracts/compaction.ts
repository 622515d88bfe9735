/**
 * Making a long history short: by meaning (a compactor) and by size (a budget). The first keeps what matters, the second only guarantees that a
 * request can be sent.
 */
import type { Message, TokenUsage } from "./model.ts";

/** Tells how many tokens a text takes. Must not throw. */
export type TokenEstimator = (text: string) => number;

/** Bounds a request in tokens. */
export interface ContextBudget {
  /** The window that the model is really served with; 0 switches the budget off. */
  readonly maxTokens: number;
  /** Held back for the reply, and sent as its bound. @default maxTokens / 8 within 512…4096, never over half the window */
  readonly reserve?: number;
  /** Sizes texts. @default estimateTokens (UTF-8 bytes / 4) */
  readonly estimate?: TokenEstimator;
}

/** What came of one attempt to compact. */
export interface CompactResult {
  /** The history to send, oldest first. */
  readonly messages: readonly Message[];
  /** What it cost; zeros when no model was asked. */
  readonly tokens: TokenUsage;
  /**
   * The text that stands for what was folded away, for later runs too. Left out or "" when this was for one run only.
   */
  readonly summary?: string;
  /**
   * Index, in the history that was given, of the first message that was kept as it was. Outside of (0, length] nothing is persisted.
   */
  readonly retainedFrom?: number;
}

/** What a compactor is told beside the history. */
export interface CompactOptions {
  /** Ends with the run. */
  readonly signal?: AbortSignal;
  /** A person's wish for the summary, where there is one. */
  readonly instruction?: string;
  /** Compacts even below the compactor's own trigger: somebody asked for it, or the window demands it. */
  readonly force?: boolean;
}

/**
 * Shrinks a session's history. Gets it oldest first, without the present turn, as messages that cannot be changed. May return it as it is; what it keeps of calls it keeps
 * together with their results. Between the turns of a run the message
 * that is being answered stands in it too; it is sent whole whatever becomes of it.
 * When it throws an `AgentLoopError` with `tokens`, those still count.
 */
export interface Compactor {
  /** Compacts. */
  compact(history: readonly Message[], options?: CompactOptions): Promise<CompactResult>;
}

/** What a summary step holds in its `toolArgs`, in the store's snake_case. */
export interface CompactionCheckpoint {
  /** Index of the step at which the retained history resumes. */
  readonly retain_from_step: number;
}
