/** Checks of budgets, limits and prices as callers hand them in. */
import { refuseUnknown } from "../contracts/known_names.ts";
import type { ContextBudget } from "../contracts/compaction.ts";
import type {
  ModelPrice,
  PriceTable,
  RunLimits,
  ScopeLimits,
  SpendLedger,
} from "../contracts/limits.ts";
import { checkBound, checkFields, checkWhole, nameOf } from "./argument_checks.ts";

const OF_A_BUDGET: Readonly<Record<keyof ContextBudget, true>> = {
  maxTokens: true,
  reserve: true,
  estimate: true,
};

const OF_A_RUN: Readonly<Record<keyof RunLimits, true>> = {
  totalTokens: true,
  cost: true,
  hostCalls: true,
  argsBytes: true,
};

const OF_A_SCOPE: Readonly<Record<keyof ScopeLimits, true>> = {
  periodMs: true,
  totalTokens: true,
  cost: true,
  hostCalls: true,
};

const OF_A_PRICE: Readonly<Record<keyof ModelPrice, true>> = {
  prompt: true,
  completion: true,
  cached: true,
};

/**
 * Checks a budget.
 *
 * @throws {TypeError} when it is none, or holds what is not known.
 * @throws {RangeError} when a number is out of range.
 */
export function checkBudget(caller: string, budget: ContextBudget | undefined): void {
  if (budget === undefined) return;
  needObject(caller, { contextBudget: budget });
  refuseUnknown(`${caller}: contextBudget`, budget, OF_A_BUDGET);
  const { maxTokens, reserve, estimate } = budget;
  checkWhole(caller, { "contextBudget.maxTokens": maxTokens }, 0);
  if (reserve !== undefined) checkWhole(caller, { "contextBudget.reserve": reserve }, 1);
  checkFields(caller, { "contextBudget.estimate": estimate }, "function");
}

/**
 * Checks the limits of a run.
 *
 * @throws {TypeError} when they are none, or hold what is not known.
 * @throws {RangeError} when a number is out of range.
 */
export function checkLimits(caller: string, limits: RunLimits | undefined): void {
  if (limits === undefined) return;
  needObject(caller, { limits });
  refuseUnknown(`${caller}: limits`, limits, OF_A_RUN);
  const { totalTokens, cost, hostCalls, argsBytes } = limits;
  for (const [name, value] of Object.entries({ totalTokens, cost, hostCalls, argsBytes })) {
    checkBound(caller, { [`limits.${name}`]: value });
  }
}

/**
 * Checks the limits of a scope.
 *
 * @throws {TypeError} when they are none, hold what is not known, or nobody keeps what is spent.
 * @throws {RangeError} when a number is out of range.
 */
export function checkScopeLimits(
  caller: string,
  { scopeLimits, ledger }: {
    readonly scopeLimits: ScopeLimits | undefined;
    readonly ledger: SpendLedger | undefined;
  },
): void {
  if (scopeLimits === undefined) return;
  needObject(caller, { scopeLimits });
  refuseUnknown(`${caller}: scopeLimits`, scopeLimits, OF_A_SCOPE);
  const { periodMs, totalTokens, cost, hostCalls } = scopeLimits;
  if (!(periodMs > 0 && periodMs < Infinity)) {
    throw new RangeError(
      `${caller}: scopeLimits.periodMs must be the length of a period, got ${periodMs}`,
    );
  }
  for (const [name, value] of Object.entries({ totalTokens, cost, hostCalls })) {
    checkBound(caller, { [`scopeLimits.${name}`]: value });
  }
  if (ledger === undefined) {
    throw new TypeError(`${caller}: scopeLimits need a ledger, which keeps what scopes spend`);
  }
}

/**
 * Checks a price table.
 *
 * @throws {TypeError} when it is none, or a price holds what is not known.
 * @throws {RangeError} when a price is below 0.
 */
export function checkPrices(caller: string, prices: PriceTable | undefined): void {
  if (prices === undefined) return;
  needObject(caller, { prices });
  for (const [model, price] of Object.entries(prices)) {
    refuseUnknown(`${caller}: prices: ${model}`, price ?? {}, OF_A_PRICE);
    const { prompt, completion, cached = 0 } = price ?? {};
    for (const [kind, value] of Object.entries({ prompt, completion, cached })) {
      if (typeof value !== "number") {
        throw new TypeError(
          `${caller}: prices: ${model} needs a number for ${kind}, got ${nameOf(value)}`,
        );
      }
      if (!(value >= 0 && value < Infinity)) {
        throw new RangeError(
          `${caller}: prices: ${kind} of ${model} must be at least 0, got ${value}`,
        );
      }
    }
  }
}

function needObject(caller: string, named: { readonly [name: string]: unknown }): void {
  for (const [name, value] of Object.entries(named)) {
    if (typeof value === "object" && value !== null) continue;
    throw new TypeError(`${caller}: ${name} must be an object, got ${nameOf(value)}`);
  }
}
