/**
 * Summarizes a transcript of any length with calls of a bounded length: in parts of which each fits one call, and the parts' summaries again
 * until one is left.
 */
import type { ContextBudget } from "../contracts/compaction.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import type { Client, Completion, Message, TokenUsage } from "../contracts/model.ts";
import { untilAborted } from "./abort.ts";
import { allowanceOf, reserveOf } from "./budget.ts";
import { attempt } from "./failure.ts";
import { scanReply } from "./fences.ts";
import { MESSAGE_TOKENS } from "./history.ts";
import { estimateTokens } from "./tokens.ts";
import {
  clipToTokens,
  joinTexts,
  type PackOptions,
  packTexts,
  transcriptTexts,
} from "./transcript.ts";
import { NO_USAGE } from "./usage.ts";

/** Who summarizes, how, and within what. */
export interface SummaryJob {
  readonly llm: Client;
  /** The model; the client's own when left out. */
  readonly model?: string | undefined;
  /** Bounds one call. */
  readonly budget: ContextBudget;
  /** The instruction for a part of the transcript. */
  readonly prompt: string;
  /** The instruction for several summaries. */
  readonly mergePrompt: string;
  readonly signal?: AbortSignal | undefined;
  /** Called after each call with what it cost, failed ones included. */
  readonly onUsage: (usage: TokenUsage) => void;
}

/** A part has room for this many tokens at least, however little the window leaves beside the instruction. */
const MIN_CAPACITY = 64;
/** What stands before a part, in tokens: `Part 12 of 34:`. */
const HEADING_TOKENS = 12;

/**
 * Summarizes a history.
 *
 * @throws {AgentLoopError} what the client throws, `model_empty` when a summary is, `model_rejected` when a filter stopped it.
 */
export async function summarize(history: readonly Message[], job: SummaryJob): Promise<string> {
  const options = packOptions(job, job.prompt);
  const parts = packTexts(transcriptTexts(history, options), options);
  const summaries: string[] = [];
  for (const [at, texts] of parts.entries()) {
    const heading = parts.length === 1
      ? "The session so far:"
      : `Part ${at + 1} of ${parts.length}:`;
    const text = `${heading}\n\n${joinTexts(texts)}`;
    summaries.push(await ask(job, { instruction: job.prompt, text }));
  }
  return await fold(summaries, job);
}

/** Makes one of several summaries, in rounds: each joins as many as fit into a call. */
async function fold(summaries: readonly string[], job: SummaryJob): Promise<string> {
  let round = summaries;
  while (round.length > 1) {
    const next: string[] = [];
    let taken = 0;
    for (const texts of groupNotes(round, packOptions(job, job.mergePrompt))) {
      const [alone] = round.slice(taken, taken + texts.length);
      taken += texts.length;
      next.push(
        texts.length === 1
          ? alone ?? ""
          : await ask(job, { instruction: job.mergePrompt, text: joinTexts(texts) }),
      );
    }
    round = next;
  }
  return round[0] ?? "";
}

/** Groups summaries so that there are fewer groups than summaries. */
function groupNotes(summaries: readonly string[], options: PackOptions): string[][] {
  const notes = summaries.map((text) => `NOTES:\n${text}`);
  const groups = packTexts(notes, options);
  if (groups.length < summaries.length) return groups;
  // No two fit into one call: the model wrote more than it was allowed to. Two halves of a call do.
  const half = { ...options, capacity: Math.floor(options.capacity / 2) - 1 };
  return packTexts(notes.map((text) => clipToTokens(text, half)), options);
}

/** What a call has room for beside its instruction. */
function packOptions({ budget }: SummaryJob, instruction: string): PackOptions {
  const estimate = budget.estimate ?? estimateTokens;
  const fixed = estimate(instruction) + 2 * MESSAGE_TOKENS + HEADING_TOKENS;
  return { capacity: Math.max(MIN_CAPACITY, allowanceOf(budget) - fixed), estimate };
}

async function ask(
  { llm, model, budget, signal, onUsage }: SummaryJob,
  { instruction, text }: { readonly instruction: string; readonly text: string },
): Promise<string> {
  const request = {
    messages: [
      { role: "system" as const, content: instruction },
      { role: "user" as const, content: text },
    ],
    maxTokens: reserveOf(budget),
    ...(model === undefined ? {} : { model }),
    ...(signal === undefined ? {} : { signal }),
  };
  try {
    const asked = attempt(
      { doing: "ask for a summary", code: "internal" },
      () => llm.complete(request),
    );
    const completion = await (signal === undefined ? asked : untilAborted(signal, asked));
    onUsage(completion.usage);
    return usable(completion);
  } catch (error) {
    if (error instanceof AgentLoopError) onUsage(error.tokens ?? NO_USAGE);
    throw error;
  }
}

/** The notes in a reply. One that was cut off at its bound still holds what it holds. */
function usable({ text, finishReason }: Completion): string {
  if (finishReason === "content_filter") {
    throw new AgentLoopError("The provider's content filter stopped the summary.", {
      code: "model_rejected",
    });
  }
  const notes = scanReply(text).visible.trim();
  if (notes !== "") return notes;
  throw new AgentLoopError("The model returned an empty summary.", { code: "model_empty" });
}
