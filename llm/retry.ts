/**
 * Trying again: how often, and how long to wait. Time and chance are passed in.
 */
import type { Failure } from "./failure.ts";

/** First wait and longest wait between tries, in ms: as the OpenAI package has them. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

/** One try: what it brought, or why it failed. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

/** When to try again. */
export interface RetryPolicy {
  /** Tries after the first. */
  readonly maxRetries: number;
  /** The longest wait that a server may ask for. */
  readonly maxRetryAfterMs: number;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Waits; rejects when the signal ends. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
}

/** The end of all tries. */
export type Tried<T> = Outcome<T> & {
  /** How many tries were made. */
  readonly tries: number;
};

/**
 * Makes a try, and further ones while its failure is worth it. What `attempt` throws ends it all.
 * `onRetry` is called before each wait.
 */
export async function withRetries<T>(
  attempt: () => Promise<Outcome<T>>,
  { policy, signal, onRetry }: {
    readonly policy: RetryPolicy;
    readonly signal?: AbortSignal;
    readonly onRetry?: () => void;
  },
): Promise<Tried<T>> {
  for (let tries = 1;; tries++) {
    const outcome = await attempt();
    if (outcome.ok || !outcome.failure.retryable || tries > policy.maxRetries) {
      return { ...outcome, tries };
    }
    const { retryAfterMs } = outcome.failure;
    if (retryAfterMs !== undefined && retryAfterMs > policy.maxRetryAfterMs) {
      return { ok: false, failure: tooLong(outcome.failure, retryAfterMs), tries };
    }
    onRetry?.();
    await policy.sleep(retryAfterMs ?? backoffMs(tries, policy.random), signal);
  }
}

/**
 * The wait after the given number of failed tries, in ms: doubled each time, up to a limit, and shortened by chance to no less than half,
 * so that programs which failed together do not come back together.
 */
export function backoffMs(failedTries: number, random: () => number): number {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failedTries - 1));
  return Math.round(full * (1 - random() / 2));
}

function tooLong(failure: Failure, retryAfterMs: number): Failure {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return {
    ...failure,
    hint:
      `The server asks to wait ${seconds} s, more than a request is held back for. Try again after that.`,
  };
}
