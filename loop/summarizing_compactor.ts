/** The compactor that comes with the loop: lets a model write notes on the older part of a history, and keeps the newest part as it is. */
import type {
  CompactOptions,
  Compactor,
  CompactResult,
  ContextBudget,
} from "../contracts/compaction.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import { refuseUnknown } from "../contracts/known_names.ts";
import type { Client, Message, TokenUsage } from "../contracts/model.ts";
import { checkFields, checkWhole, needMethods } from "./argument_checks.ts";
import { cutAt } from "./cut_history.ts";
import { checkBudget } from "./limit_checks.ts";
import { textBytes, textTokens } from "./message_size.ts";
import { summaryText } from "./piece.ts";
import { summarize } from "./summarize.ts";
import { DEFAULT_COMPACT_PROMPT, DEFAULT_MERGE_PROMPT } from "./summary_prompts.ts";
import { estimateTokens } from "./tokens.ts";
import { addUsage, NO_USAGE } from "./usage.ts";
import { utf8Bytes } from "./utf8.ts";

/** Options of a {@linkcode SummarizingCompactor}. */
export interface SummarizingCompactorOptions {
  /** Writes the summaries; a small, cheap model does. Without one nothing is compacted. */
  readonly llm?: Client;
  /** The model for summaries. @default the client's own */
  readonly model?: string;
  /** Messages of a history above which it is compacted. @default 60 */
  readonly trigger?: number;
  /** Messages at the end that stay as they are; half the trigger at most. @default 20 */
  readonly keep?: number;
  /** Bounds one call to the summarizer, by its own window and not the loop's. @default a window of 128 000 tokens */
  readonly budget?: ContextBudget;
  /** The instruction for a stretch of the session. @default DEFAULT_COMPACT_PROMPT */
  readonly prompt?: string;
  /** The instruction for summaries that are to become one. @default DEFAULT_MERGE_PROMPT */
  readonly mergePrompt?: string;
}

const DEFAULT_TRIGGER = 60;
const DEFAULT_KEEP = 20;
/** Hosted models have at least this. */
const DEFAULT_BUDGET: ContextBudget = { maxTokens: 128_000 };
/** Where the window demands it, this share of the history is kept at most: what is folded must be worth its call. */
const FORCED_KEEP_SHARE = 0.5;

const OPTIONS: Readonly<Record<keyof SummarizingCompactorOptions, true>> = {
  llm: true,
  model: true,
  trigger: true,
  keep: true,
  budget: true,
  prompt: true,
  mergePrompt: true,
};

/**
 * Folds the older part of a history into one summary.
 *
 * A history that does not fit into one call is summarized in parts of which each does, and the parts' summaries are folded until one is left.
 * Nothing is left out but the middle of a single message that is too large for a call of its own. No script is parted from its result,
 * no message from its answer. A summary that is not shorter than what it replaces is refused.
 *
 * @example
 * ```ts
 * import { createLoop, DefaultSandboxBuilder, MemoryStore, SummarizingCompactor } from "@agentloop/core";
 * import { scriptedClient } from "@agentloop/core/testing";
 *
 * const llm = scriptedClient(["Four."]);
 * const store = new MemoryStore();
 * await using sandboxBuilder = new DefaultSandboxBuilder();
 * const compactor = new SummarizingCompactor({ llm });
 * const loop = createLoop({ llm, sessions: store, steps: store, sandboxBuilder, compactor });
 * ```
 */
export class SummarizingCompactor implements Compactor {
  /** Messages of a history above which it is compacted. */
  readonly trigger: number;
  /** Messages at the end that stay as they are. */
  readonly keep: number;
  /** Bounds one call. */
  readonly budget: ContextBudget;
  readonly #options: SummarizingCompactorOptions;

  /**
   * Creates a compactor. It owns nothing.
   *
   * @throws {TypeError} when there is no such option, or it is not what it should be.
   * @throws {RangeError} when a number is out of range.
   */
  constructor(options: SummarizingCompactorOptions = {}) {
    const { llm, model, prompt, mergePrompt, budget } = options;
    const caller = "SummarizingCompactor";
    if ("complete" in options) {
      throw new TypeError(`${caller}: a client is given as { llm: client }`);
    }
    refuseUnknown(caller, options, OPTIONS);
    if (llm !== undefined) needMethods(caller, options, { llm: ["complete"] });
    checkFields(caller, { model, prompt, mergePrompt }, "string");
    checkBudget(caller, budget);
    this.#options = options;
    this.trigger = checkWhole(caller, { trigger: options.trigger ?? DEFAULT_TRIGGER }, 2);
    const keep = checkWhole(caller, { keep: options.keep ?? DEFAULT_KEEP }, 0);
    this.keep = Math.min(keep, Math.floor(this.trigger / 2));
    this.budget = budget !== undefined && budget.maxTokens > 0
      ? budget
      : { ...DEFAULT_BUDGET, ...(budget?.estimate && { estimate: budget.estimate }) };
  }

  /** The same compactor with other options in the place of some. */
  with(options: SummarizingCompactorOptions): SummarizingCompactor {
    return new SummarizingCompactor({ ...this.#options, ...options });
  }

  /**
   * Compacts a history that is longer than the trigger, or any when it is forced.
   *
   * @throws {AgentLoopError} when the model fails, or its summary is not shorter than what it stands for; with the tokens that were spent.
   */
  async compact(
    history: readonly Message[],
    options: CompactOptions = {},
  ): Promise<CompactResult> {
    const unchanged = { messages: history, tokens: NO_USAGE };
    const { llm } = this.#options;
    const force = options.force ?? false;
    if (llm === undefined || (!force && history.length <= this.trigger)) return unchanged;
    const cut = this.#cut(history, force);
    if (cut === 0) return unchanged;
    const { summary, tokens } = await this.#summarize(history.slice(0, cut), { llm, options });
    const head: Message = { role: "user", content: summaryText(summary) };
    return { messages: [head, ...history.slice(cut)], tokens, summary, retainedFrom: cut };
  }

  #cut(history: readonly Message[], force: boolean): number {
    const estimate = this.budget.estimate ?? estimateTokens;
    const sizes = new Map(history.map((message) => [message, textTokens(message, estimate)]));
    const total = sizes.values().reduce((sum, size) => sum + size, 0);
    return cutAt(history, {
      keep: force ? Math.min(this.keep, Math.floor(history.length / 2)) : this.keep,
      maxKept: force ? total * FORCED_KEEP_SHARE : Infinity,
      sizeOf: (message) => sizes.get(message) ?? 0,
    });
  }

  async #summarize(
    folded: readonly Message[],
    { llm, options }: { readonly llm: Client; readonly options: CompactOptions },
  ): Promise<{ readonly summary: string; readonly tokens: TokenUsage }> {
    const { model, prompt, mergePrompt } = this.#options;
    let tokens = NO_USAGE;
    const job = {
      llm,
      model,
      budget: this.budget,
      prompt: instruct(prompt ?? DEFAULT_COMPACT_PROMPT, options.instruction),
      mergePrompt: instruct(mergePrompt ?? DEFAULT_MERGE_PROMPT, options.instruction),
      signal: options.signal,
      onUsage: (usage: TokenUsage) => void (tokens = addUsage(tokens, usage)),
    };
    try {
      const summary = await summarize(folded, job).catch((error) => {
        // The window is smaller than it was said to be: once more, in smaller parts.
        if (!isOverflow(error)) throw error;
        return summarize(folded, { ...job, budget: smallerBudget(this.budget, error) });
      });
      assertShorter(summary, folded);
      return { summary, tokens };
    } catch (error) {
      throw error instanceof AgentLoopError ? withTokens(error, tokens) : error;
    }
  }
}

function instruct(prompt: string, instruction: string | undefined): string {
  const wish = instruction?.trim() ?? "";
  return wish === "" ? prompt : `${prompt}\n\nThe user wishes of these notes: ${wish}`;
}

function isOverflow(error: unknown): error is AgentLoopError {
  return error instanceof AgentLoopError && error.code === "model_context_overflow";
}

function smallerBudget(budget: ContextBudget, { contextWindow }: AgentLoopError): ContextBudget {
  const half = Math.max(1, Math.floor(budget.maxTokens / 2));
  return { ...budget, maxTokens: Math.min(half, contextWindow ?? half) };
}

function assertShorter(summary: string, folded: readonly Message[]): void {
  const bytes = utf8Bytes(summaryText(summary));
  const replaced = folded.reduce((sum, message) => sum + textBytes(message), 0);
  if (bytes < replaced) return;
  throw new AgentLoopError(
    `The summary is ${bytes} bytes and would stand for ${replaced}: it is not shorter. Choose another model for summaries, or a higher trigger.`,
    { code: "model_rejected" },
  );
}

/** The same error with everything that was spent up to it. */
function withTokens(error: AgentLoopError, tokens: TokenUsage): AgentLoopError {
  const { message, code, cause, why, advice, status, contextWindow } = error;
  return new AgentLoopError(message, {
    code,
    cause,
    why,
    advice,
    status,
    contextWindow,
    tokens,
  });
}
