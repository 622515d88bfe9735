/**
 * What a run has spent, and whether it may spend more. Each call is held against the limits before it is made, by its own estimate, so that
 * a limit is not found out by passing it. The limits of a scope are shared by all of its runs through a ledger.
 */
import type {
  PriceTable,
  RunLimits,
  ScopeLimits,
  Spend,
  SpendLedger,
} from "../contracts/limits.ts";
import type { TokenUsage } from "../contracts/model.ts";
import type { Scope } from "../contracts/scope.ts";
import { costOf } from "./cost.ts";
import { attempt } from "./failure.ts";
import { type Account, type LimitReached, passedLimit, usedUpLimit } from "./limits.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** What spending is counted against. */
export interface SpendingOptions {
  /** The limits of the run. */
  readonly limits: RunLimits;
  /** The limits of its scope, over a period. */
  readonly scopeLimits?: ScopeLimits | undefined;
  /** Keeps what scopes spend. */
  readonly ledger?: SpendLedger | undefined;
  /** The tenant whose spending it is. */
  readonly scope?: Scope | undefined;
  /** What tokens cost. */
  readonly prices?: PriceTable | undefined;
  /** The clock. */
  readonly now: () => Date;
  /** Hears of a limit that cannot be kept. */
  readonly warn: (message: string) => void;
}

/** A model call that is about to be made. */
export interface PlannedCall {
  /** About what its prompt takes. */
  readonly promptTokens: number;
  /** The bound of its reply, where it has one. */
  readonly replyTokens?: number | undefined;
}

/** A call of the run's own model that brought a reply. */
export interface AnsweredCall {
  /** The model that answered, as its provider names it. */
  readonly model: string;
  /** What the call took by our own estimate, for providers that do not tell. */
  readonly estimate: TokenUsage;
}

/** A reply shorter than this is not worth asking for. */
const MIN_REPLY_TOKENS = 256;
/** A reply without a bound of its own gets what is left of the limit for its bound once that is less than this: few replies are longer. */
const LONG_REPLY_TOKENS = 16_384;

const NOTHING: Spend = { tokens: 0, cost: 0, hostCalls: 0 };
const ONE_CALL: Spend = { tokens: 0, cost: 0, hostCalls: 1 };

/** What one run spends. */
export class Spending {
  readonly #options: SpendingOptions;
  #usage: TokenUsage = NO_USAGE;
  /** Tokens of calls whose provider told none, as they were estimated. */
  #untold = 0;
  #cost = 0;
  #hostCalls = 0;
  /** What model calls of functions that are under way take at most. */
  #reserved: Spend = NOTHING;
  /** What the ledger has not been told yet. */
  #unsaved: Spend = NOTHING;
  /** What the scope had spent when the ledger was last read. */
  #scopeSpent: Spend = NOTHING;
  /** The model that answered last, as its provider names it. */
  #answeredBy: string | undefined;
  /** What the run had spent before it waited. */
  #before: Spend = NOTHING;
  #warned = false;
  /** The model that the run asks, once it is known. Calls of whose model nothing is known are taken to cost what its calls do. */
  model: string | undefined;

  /** Begins at nothing. */
  constructor(options: SpendingOptions) {
    this.#options = options;
  }

  /** Tokens of every model call so far. */
  get usage(): TokenUsage {
    return this.#usage;
  }

  /** Everything so far; calls whose provider told no tokens count as they were estimated. */
  get total(): Spend {
    const { prompt, completion } = this.#usage;
    const tokens = prompt + completion + this.#untold;
    return { tokens, cost: this.#cost, hostCalls: this.#hostCalls };
  }

  /** Goes on with a run that had spent so much when it came to wait: its limits count that too. */
  goOnFrom(before: Spend): void {
    this.#before = before;
  }

  /** Everything since the run began, before it waited too. */
  get sinceBegun(): Spend {
    return addSpend(this.total, this.#before);
  }

  /**
   * Counts what a model call took. Without `answered` the call is one of a function or a compactor, or failed: its model is not told.
   */
  add(usage: TokenUsage, answered?: AnsweredCall): void {
    this.#answeredBy = answered?.model ?? this.#answeredBy;
    this.#usage = addUsage(this.#usage, usage);
    const isTold = usage.prompt + usage.completion > 0;
    const taken = isTold || answered === undefined ? usage : answered.estimate;
    const tokens = taken.prompt + taken.completion;
    if (!isTold) this.#untold += tokens;
    const told = answered === undefined ? usage.cost : undefined;
    const cost = told ?? this.#priceOf(taken);
    if (cost === undefined && tokens > 0) this.#warnOfCost();
    this.#cost += cost ?? 0;
    this.#unsaved = addSpend(this.#unsaved, { tokens, cost: cost ?? 0, hostCalls: 0 });
  }

  /**
   * Checks a model call before it is made. Gives the bound that its reply is to have.
   *
   * @throws {LimitReached} when it could pass a limit.
   * @throws {AgentLoopError} `store_failed` when the ledger fails.
   */
  async planCall(call: PlannedCall): Promise<number | undefined> {
    if (this.#options.ledger !== undefined) await this.#readScope();
    this.#plan(call);
    if (call.replyTokens !== undefined) return call.replyTokens;
    const left = this.#replyTokensLeft(call);
    return left < LONG_REPLY_TOKENS ? left : undefined;
  }

  /**
   * Whether so many tokens more would stay within the limits; for calls that can be done without.
   *
   * @throws {AgentLoopError} `store_failed` when the ledger fails.
   */
  async hasRoomFor(tokens: number): Promise<boolean> {
    await this.#readScope();
    const cost = this.#expectedCost({ prompt: tokens, completion: 0 });
    return passedLimit(this.#accounts(), { tokens, cost, hostCalls: 0 }) === undefined;
  }

  /**
   * Sets aside what a model call of a function takes at most, until it is disposed. What the scope spent is known as of the run's own last call.
   *
   * @throws {LimitReached} when it could pass a limit, together with those under way.
   */
  reserve(call: PlannedCall): Disposable {
    const spend = this.#plan(call);
    this.#reserved = addSpend(this.#reserved, spend);
    return {
      [Symbol.dispose]: () => {
        const { tokens, cost } = this.#reserved;
        this.#reserved = { tokens: tokens - spend.tokens, cost: cost - spend.cost, hostCalls: 0 };
      },
    };
  }

  /** Counts a call out of a script. Gives the limit that it would pass, and then does not count it. */
  planHostCall(): LimitReached | undefined {
    const passed = this.#limitOfCall();
    if (passed !== undefined) return passed;
    this.#hostCalls++;
    this.#unsaved = addSpend(this.#unsaved, ONE_CALL);
    return undefined;
  }

  /**
   * Checks a call before anything is done for it, by what the scope has spent now.
   *
   * @throws {LimitReached} when it would pass a limit.
   * @throws {AgentLoopError} `store_failed` when the ledger fails.
   */
  async checkHostCall(): Promise<void> {
    await this.#readScope();
    const passed = this.#limitOfCall();
    if (passed !== undefined) throw passed;
  }

  #limitOfCall(): LimitReached | undefined {
    const accounts = this.#accounts();
    return usedUpLimit(accounts) ?? passedLimit(accounts, ONE_CALL);
  }

  /** Takes calls back that were counted and came to wait for a word: each counts when it is decided on. */
  takeBack(calls: number): void {
    this.#hostCalls -= calls;
    const { hostCalls } = this.#unsaved;
    this.#unsaved = { ...this.#unsaved, hostCalls: Math.max(0, hostCalls - calls) };
  }

  /**
   * Tells the ledger what it has not been told.
   *
   * @throws {AgentLoopError} `store_failed` when it fails; what was not told then is told next time.
   */
  async save(): Promise<void> {
    const { ledger, scope, now } = this.#options;
    const spend = this.#unsaved;
    if (ledger === undefined || isNothing(spend)) return;
    this.#unsaved = NOTHING;
    try {
      await attempt(
        { doing: "write down what the run spent", code: "store_failed" },
        () => ledger.addSpend(scopeKey(scope), spend, now()),
      );
    } catch (error) {
      this.#unsaved = addSpend(this.#unsaved, spend);
      throw error;
    }
  }

  /** What a call would take at most, if that stays within the limits together with the calls under way. */
  #plan({ promptTokens, replyTokens = MIN_REPLY_TOKENS }: PlannedCall): Spend {
    const spend = {
      tokens: promptTokens + replyTokens,
      cost: this.#expectedCost({ prompt: promptTokens, completion: replyTokens }),
      hostCalls: 0,
    };
    const passed = passedLimit(this.#accounts(), addSpend(spend, this.#reserved));
    if (passed !== undefined) throw passed;
    return spend;
  }

  async #readScope(): Promise<void> {
    const { ledger, scope, scopeLimits, now } = this.#options;
    await this.save();
    if (ledger === undefined || scopeLimits === undefined) return;
    const since = new Date(now().getTime() - scopeLimits.periodMs);
    this.#scopeSpent = await attempt(
      { doing: "read what the scope spent", code: "store_failed" },
      () => ledger.spendSince(scopeKey(scope), since),
    );
  }

  /** The limits in force, each with what was spent of it. */
  #accounts(): Account[] {
    const { limits, scopeLimits } = this.#options;
    const run: Account = { limits, spent: this.sinceBegun, prefix: "" };
    if (scopeLimits === undefined) return [run];
    const spent = addSpend(this.#scopeSpent, this.#unsaved);
    return [run, { limits: scopeLimits, spent, prefix: "scope_" }];
  }

  /** What tokens would cost. Where no price is known: as much as those that were spent before. */
  #expectedCost(usage: TokenUsage): number {
    const cost = this.#priceOf(usage);
    if (cost !== undefined) return cost;
    const { tokens } = this.total;
    return tokens === 0 ? 0 : (usage.prompt + usage.completion) * this.#cost / tokens;
  }

  #priceOf(usage: TokenUsage): number | undefined {
    const models = [this.model, this.#answeredBy];
    return costOf(usage, { prices: this.#options.prices, models });
  }

  /** Tokens of a reply that would just stay within every limit. */
  #replyTokensLeft({ promptTokens }: PlannedCall): number {
    const { limits, scopeLimits } = this.#options;
    if (isUnlimited(limits) && isUnlimited(scopeLimits)) return Infinity;
    const promptCost = this.#expectedCost({ prompt: promptTokens, completion: 0 });
    const tokenCost = this.#expectedCost({ prompt: 0, completion: 1 });
    const left = this.#accounts().flatMap(({ limits, spent }) => [
      (limits.totalTokens ?? Infinity) - spent.tokens - promptTokens,
      tokenCost === 0
        ? Infinity
        : ((limits.cost ?? Infinity) - spent.cost - promptCost) / tokenCost,
    ]);
    return Math.floor(Math.min(...left));
  }

  #warnOfCost(): void {
    const { limits, scopeLimits, warn } = this.#options;
    const isLimited = limits.cost !== undefined || scopeLimits?.cost !== undefined;
    if (this.#warned || !isLimited) return;
    this.#warned = true;
    const model = this.model ?? this.#answeredBy ?? "the model";
    warn(
      `The limit on cost cannot be kept: no price is known for ${model}, and its provider tells none. Add it to the price table, or limit tokens.`,
    );
  }
}

function isUnlimited(limits: RunLimits | undefined): boolean {
  return limits?.totalTokens === undefined && limits?.cost === undefined;
}

/** The key under which a ledger keeps a scope; runs without a scope share one. */
export function scopeKey(scope: Scope | undefined): string {
  if (scope === undefined) return "[]";
  const { workspaceId, projectId } = scope;
  return JSON.stringify(projectId === undefined ? [workspaceId] : [workspaceId, projectId]);
}

function isNothing({ tokens, cost, hostCalls }: Spend): boolean {
  return tokens === 0 && cost === 0 && hostCalls === 0;
}

function addSpend(one: Spend, other: Spend): Spend {
  return {
    tokens: one.tokens + other.tokens,
    cost: one.cost + other.cost,
    hostCalls: one.hostCalls + other.hostCalls,
  };
}
