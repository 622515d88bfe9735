/**
 * What a model's window means for everything that has a size: one number in tokens, and from it the budget, the history in steps, the
 * compactor's knobs in messages, and logs and project instructions in bytes.
 */
import type { Compactor, ContextBudget } from "../contracts/compaction.ts";
import { DEFAULT_HISTORY_WINDOW, type LoopConfig } from "../contracts/loop.ts";
import { DEFAULT_SANDBOX_LIMITS } from "../contracts/sandbox.ts";
import { allowanceOf } from "./budget.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";

/** The part of a loop's configuration that a profile sets. */
export type ProfiledConfig = Pick<LoopConfig, "contextBudget" | "historyWindow" | "compactor">;

/** Settings that fit a model's window. Read its fields, and override what a workload justifies. */
export interface Profile {
  /** The window that it is made for, in tokens; 0 for none. */
  readonly contextWindow: number;
  /** For the loop: bounds each request. */
  readonly contextBudget: ContextBudget;
  /** For the loop: steps of the past that are replayed at most. */
  readonly historyWindow: number;
  /** For a {@linkcode SummarizingCompactor}: messages above which it compacts. */
  readonly compactTrigger: number;
  /** For a {@linkcode SummarizingCompactor}: messages that it keeps as they are. */
  readonly compactKeep: number;
  /** For a {@linkcode SummarizingCompactor} whose model is the loop's: bounds one call. */
  readonly summarizeBudget: ContextBudget;
  /** For the sandbox builder: log output of one turn, in bytes. */
  readonly maxLogBytes: number;
  /** For project instructions: so much of each file stands in the prompt, in bytes. */
  readonly projectInlineBytes: number;
  /**
   * A configuration with budget, history and the knobs of a {@linkcode SummarizingCompactor} as they are here, whatever stood there before.
   * Another compactor stays as it is. What is given is not changed; a profile for a window of 0 gives it back.
   */
  readonly apply: <Config extends ProfiledConfig>(config: Config) => Config;
}

/** A turn of a session takes about this many tokens: so often the allowance holds as many messages. */
const TOKENS_A_MESSAGE = 256;
const MIN_TRIGGER = 8;
/** The default trigger of the compactor: larger windows change nothing. */
const MAX_TRIGGER = 60;
const KEPT_SHARE = 3;
/** The history is read this many triggers back, so that nothing leaves it before it was summarized. */
const WINDOW_TRIGGERS = 3;
const BYTES_A_TOKEN = 4;
/** One turn's log takes this share of the allowance at most, and so does each file of instructions. */
const TEXT_SHARE = 8;
const MAX_LOG_BYTES = DEFAULT_SANDBOX_LIMITS.logBytes;
const MAX_INLINE_BYTES = 4096;

/**
 * Settings for a model that is served with so many tokens of context: the window that the server was started with, not the one on the model's
 * card.
 *
 * | window | history | trigger/keep | log bytes | inline bytes |
 * | ------ | ------- | ------------ | --------- | ------------ |
 * | 4096   | 42      | 14/4         | 1792      | 1792         |
 * | 8192   | 84      | 28/9         | 3584      | 3584         |
 * | 32768  | 180     | 60/20        | 14336     | 4096         |
 * | 131072 | 180     | 60/20        | 16384     | 4096         |
 *
 * A window of 0 is one that is not known: its profile holds the defaults, and applying it changes nothing.
 *
 * @example
 * ```ts
 * import { createLoop, DefaultSandboxBuilder, MemoryStore, profileFor, SummarizingCompactor } from "@agentloop/core";
 * import { scriptedClient } from "@agentloop/core/testing";
 *
 * const profile = profileFor(8192);
 * const llm = scriptedClient(["Four."]);
 * const store = new MemoryStore();
 * await using sandboxBuilder = new DefaultSandboxBuilder({ limits: { logBytes: profile.maxLogBytes } });
 * const compactor = new SummarizingCompactor({ llm });
 * const loop = createLoop(profile.apply({ llm, sessions: store, steps: store, sandboxBuilder, compactor }));
 * ```
 *
 * @throws {RangeError} when the window is not a number.
 */
export function profileFor(contextWindow: number): Profile {
  if (typeof contextWindow !== "number" || Number.isNaN(contextWindow)) {
    throw new RangeError(`profileFor: the window must be a number of tokens, got ${contextWindow}`);
  }
  if (contextWindow <= 0) return NO_PROFILE;
  const budget = { maxTokens: Math.floor(Math.min(contextWindow, Number.MAX_SAFE_INTEGER)) };
  const allowance = allowanceOf(budget);
  const trigger = Math.floor(clamp(allowance / TOKENS_A_MESSAGE, MIN_TRIGGER, MAX_TRIGGER));
  const textBytes = Math.floor(allowance * BYTES_A_TOKEN / TEXT_SHARE);
  const profile: Profile = {
    contextWindow: budget.maxTokens,
    contextBudget: budget,
    historyWindow: trigger * WINDOW_TRIGGERS,
    compactTrigger: trigger,
    compactKeep: Math.floor(trigger / KEPT_SHARE),
    summarizeBudget: budget,
    maxLogBytes: Math.min(textBytes, MAX_LOG_BYTES),
    projectInlineBytes: Math.min(textBytes, MAX_INLINE_BYTES),
    apply: (config) => ({
      ...config,
      contextBudget: profile.contextBudget,
      historyWindow: profile.historyWindow,
      ...compactorFor(profile, config.compactor),
    }),
  };
  return profile;
}

const NO_PROFILE: Profile = {
  contextWindow: 0,
  contextBudget: { maxTokens: 0 },
  historyWindow: DEFAULT_HISTORY_WINDOW,
  compactTrigger: MAX_TRIGGER,
  compactKeep: MAX_TRIGGER / KEPT_SHARE,
  summarizeBudget: { maxTokens: 0 },
  maxLogBytes: MAX_LOG_BYTES,
  projectInlineBytes: MAX_INLINE_BYTES,
  apply: (config) => config,
};

function compactorFor(
  { compactTrigger, compactKeep, summarizeBudget }: Profile,
  compactor: Compactor | undefined,
): { readonly compactor?: Compactor } {
  if (!(compactor instanceof SummarizingCompactor)) return {};
  const knobs = { trigger: compactTrigger, keep: compactKeep, budget: summarizeBudget };
  return { compactor: compactor.with(knobs) };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
