/**
 * What a run, or a tenant over a period, may spend at most. Checked before each call with the call's own estimate, so that a limit is not found out by passing it.
 */

/** Bounds of one run, or of a scope over a period. Each is absent for no bound. */
export interface SpendLimits {
  /** Tokens of prompts and replies, sub-calls included. */
  readonly totalTokens?: number;
  /** Money, in the currency of the price table. */
  readonly cost?: number;
  /** Calls out of scripts. */
  readonly hostCalls?: number;
}

/** Bounds of one run; what it spent before it waited for a word counts. Ending on one is a status of its own (`limit`), with `reason` naming it. */
export interface RunLimits extends SpendLimits {
  /** Bytes of carried `args`; a warning comes at half. */
  readonly argsBytes?: number;
}

/** Bounds of a scope over a period. */
export interface ScopeLimits extends SpendLimits {
  /** Length of the period, which ends now. */
  readonly periodMs: number;
}

/** Prices of one model, per million tokens, in one currency. */
export interface ModelPrice {
  /** Prompt tokens. */
  readonly prompt: number;
  /** Completion tokens. */
  readonly completion: number;
  /** Prompt tokens that came from the provider's cache. @default the prompt price */
  readonly cached?: number;
}

/** Prices by model name; the longest name that begins a model's name counts. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** What was spent. */
export interface Spend {
  /** Prompt and completion tokens. */
  readonly tokens: number;
  /** Money; 0 where no price is known. */
  readonly cost: number;
  /** Calls out of scripts. */
  readonly hostCalls: number;
}

/** Keeps what scopes spent. Held to `spendLedgerContract` in `@agentloop/core/testing`. */
export interface SpendLedger {
  /** Adds what was spent; resolves when it is as durable as a step. */
  addSpend(scopeKey: string, spend: Spend, at: Date): Promise<void>;
  /** What a scope has spent since a moment, that moment included. May count the whole minute in which the moment lies, so that a limit is never undercounted. */
  spendSince(scopeKey: string, since: Date): Promise<Spend>;
}
