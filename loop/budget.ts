/**
 * What a request may take of the model's window. The figures are the caller's; a run corrects them by what the provider tells it, downwards
 * only: a window that turned out smaller, a text that turned out to take more tokens than was estimated.
 */
import type { ContextBudget, TokenEstimator } from "../contracts/compaction.ts";
import { estimateTokens } from "./tokens.ts";

/** The least and the greatest reserve that is taken where none is given, in tokens: a short script, and a long one with its reasoning. */
const MIN_RESERVE = 512;
const MAX_RESERVE = 4096;
/** A trim brings the request down to this share of what it may take, so that the next ones fit without another. */
const TRIM_SHARE = 0.75;
/** Only requests of this share of the allowance tell how good the estimate is. */
const TELLING_SHARE = 0.25;
/** After an overflow that nothing explains, requests are kept below this share of the one that was too long. */
const UNEXPLAINED_SHARE = 0.5;
/** An estimate is corrected by this factor at most: what differs more was not the same text. */
const MAX_CORRECTION = 2;

/** What is held back for the reply, in tokens; 0 when the budget is off. */
export function reserveOf({ maxTokens, reserve }: ContextBudget): number {
  const wanted = reserve ??
    Math.min(MAX_RESERVE, Math.max(MIN_RESERVE, Math.floor(maxTokens / 8)));
  return Math.min(wanted, Math.floor(maxTokens / 2));
}

/** The tokens that a request may take; 0 when the budget is off. */
export function allowanceOf(budget: ContextBudget): number {
  return budget.maxTokens - reserveOf(budget);
}

/** Whether a budget bounds anything. */
export function isBounded(budget: ContextBudget | undefined): budget is ContextBudget {
  return budget !== undefined && budget.maxTokens > 0;
}

/** The budget of one run. */
export class PromptBudget {
  /** Sizes texts. */
  readonly estimate: TokenEstimator;
  readonly #maxReplyTokens: number | undefined;
  #budget: ContextBudget | undefined;
  #correction = 1;
  #ceiling = Infinity;

  /** Begins with what the caller configured. `maxReplyTokens` is the bound of a reply that the request asks for. */
  constructor(budget: ContextBudget | undefined, maxReplyTokens?: number) {
    this.#budget = isBounded(budget) ? budget : undefined;
    this.#maxReplyTokens = maxReplyTokens;
    this.estimate = budget?.estimate ?? estimateTokens;
  }

  /** The window that is reckoned with; `Infinity` while none is known. */
  get window(): number {
    return this.#budget?.maxTokens ?? Infinity;
  }

  /** The bound of the reply that is sent; nothing when there is none. */
  get replyTokens(): number | undefined {
    if (this.#budget === undefined) return this.#maxReplyTokens;
    const half = Math.floor(this.#budget.maxTokens / 2);
    return Math.min(this.#maxReplyTokens ?? reserveOf(this.#budget), half);
  }

  /** What a request may take; `Infinity` while there is no window to fit. */
  get allowance(): number {
    if (this.#budget === undefined) return Infinity;
    return this.#budget.maxTokens - Math.max(reserveOf(this.#budget), this.replyTokens ?? 0);
  }

  /** From where on turns are left out: the allowance, or less after an overflow that it does not explain. */
  get limit(): number {
    return Math.min(this.allowance, this.#ceiling);
  }

  /** What a request that is too long is brought down to. */
  get target(): number {
    return Math.floor(this.limit * TRIM_SHARE);
  }

  /** An estimate as it is held against the allowance: corrected by what calls were found to take. */
  corrected(tokens: number): number {
    return Math.ceil(tokens * this.#correction);
  }

  /** The estimate that a corrected figure stands for. */
  uncorrected(tokens: number): number {
    return Math.floor(tokens / this.#correction);
  }

  /**
   * Learns what a request took that was estimated at so many tokens. A small one tells little: what a provider adds to every prompt is most of
   * the difference there.
   */
  learnUsage(estimated: number, actual: number): void {
    if (estimated === 0 || estimated < this.allowance * TELLING_SHARE) return;
    const factor = actual / estimated;
    if (factor <= MAX_CORRECTION) this.#correct(factor);
  }

  /**
   * Learns that a request of so many estimated tokens was too long for the provider, which may have named its window. Later requests of this
   * run are kept well below that one, whatever the window is said to be.
   */
  learnOverflow(estimated: number, window?: number): void {
    if (window !== undefined) {
      this.#budget = { ...this.#budget, maxTokens: Math.min(this.window, window) };
      // It did not fit, so it took at least the window: where the estimate says less, it was too low.
      this.#correct(Math.min(MAX_CORRECTION, window / Math.max(1, estimated)));
    }
    const share = window === undefined ? UNEXPLAINED_SHARE : TRIM_SHARE;
    this.#ceiling = Math.min(this.#ceiling, Math.floor(this.corrected(estimated) * share));
  }

  #correct(factor: number): void {
    this.#correction = Math.max(this.#correction, factor);
  }
}
