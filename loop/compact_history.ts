/**
 * Lets a compactor shorten a conversation, and keeps what it made: as a step of the trace where the next run can go on from it, for this run
 * only otherwise. What a compactor does wrong costs a warning, never the run.
 */
import type { Compactor, CompactResult } from "../contracts/compaction.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import type { Message, TokenUsage } from "../contracts/model.ts";
import { STEP_TYPE_SUMMARY } from "../contracts/step.ts";
import { assertToolOrder } from "../contracts/tool_order.ts";
import { untilAborted } from "./abort.ts";
import { attempt } from "./failure.ts";
import { joinPieces, messageStarts, type Piece } from "./piece.ts";
import { protocolMark } from "./protocol.ts";
import { partsOf } from "./trim.ts";
import { NO_USAGE } from "./usage.ts";

/** A conversation as a compactor gets it, and the way back from its messages to the pieces. */
export interface CompactView {
  /** What may be folded, oldest first. */
  readonly history: readonly Message[];
  /** For each of these messages, the position of its first piece. */
  readonly starts: readonly number[];
  /** The pieces that the history is made of. */
  readonly before: readonly Piece[];
  /** What is no part of it. */
  readonly present: readonly Piece[];
  /** Index of the step at which later runs go on when no piece is kept. */
  readonly nextStep?: number | undefined;
}

/** What a compactor made of a conversation. */
export interface Compacted {
  /** The conversation now. */
  readonly pieces: readonly Piece[];
  /** Messages of the history before and after. */
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  /** What stands for the folded steps in later runs, and where those go on; nothing when this was for one run only. */
  readonly checkpoint?: { readonly summary: string; readonly retainFromStep: number };
}

/** The part of a run's conversation that may be folded: all but the present turn. Nothing when there is no turn in it. */
export function foldableView(pieces: readonly Piece[]): CompactView | undefined {
  const { pinned, past, message, own, present } = partsOf(pieces);
  if (past.length + own.length === 0) return undefined;
  return viewOf([...pinned, ...past, ...message, ...own], { present });
}

/** Pieces as a compactor gets them. */
export function viewOf(
  before: readonly Piece[],
  { present = [], nextStep }: Partial<Pick<CompactView, "present" | "nextStep">>,
): CompactView {
  return { history: joinPieces(before), starts: messageStarts(before), before, present, nextStep };
}

/** What a compaction came to: what it cost, and what it made, or why it made nothing. */
export type CompactOutcome =
  & { readonly tokens: TokenUsage }
  & (
    | { readonly kind: "compacted"; readonly compacted: Compacted }
    | { readonly kind: "unchanged" }
    | { readonly kind: "failed"; readonly error: AgentLoopError }
  );

/**
 * Asks a compactor. Never throws but for the signal's reason, when that ends first.
 */
export async function askCompactor(
  compactor: Compactor,
  { view, signal, force, instruction }: {
    readonly view: CompactView;
    readonly signal: AbortSignal;
    readonly force: boolean;
    readonly instruction?: string | undefined;
  },
): Promise<CompactOutcome> {
  const options = { signal, force, ...(instruction === undefined ? {} : { instruction }) };
  try {
    const result = await untilAborted(
      signal,
      attempt(
        { doing: "compact the history", code: "internal" },
        // A list of its own: what was done to it is told by what it was.
        async () => checkedResult(await compactor.compact([...view.history], options)),
      ),
    );
    const compacted = foldInto(view, result);
    return compacted === undefined
      ? { kind: "unchanged", tokens: result.tokens }
      : { kind: "compacted", tokens: result.tokens, compacted };
  } catch (error) {
    if (!(error instanceof AgentLoopError) || signal.aborted) throw error;
    return { kind: "failed", tokens: error.tokens ?? NO_USAGE, error };
  }
}

/**
 * The step that keeps a checkpoint.
 *
 * @param scriptsAsCalls what the folded steps say of that, for no later run reads them
 */
export function checkpointStep(
  { summary, retainFromStep }: NonNullable<Compacted["checkpoint"]>,
  scriptsAsCalls: boolean,
): { stepType: typeof STEP_TYPE_SUMMARY; content: string; toolArgs: string } {
  const toolArgs = JSON.stringify({
    retain_from_step: retainFromStep,
    ...protocolMark({ scriptsAsCalls }),
  });
  return { stepType: STEP_TYPE_SUMMARY, content: summary, toolArgs };
}

/** The pieces that a compactor's messages stand for: those that it kept stay the pieces that they were. */
function foldInto(
  view: CompactView,
  { messages, summary, retainedFrom }: CompactResult,
): Compacted | undefined {
  const { history, starts, before, present } = view;
  const kept = wholeTail(history, commonTail(history, messages));
  const heads = messages.slice(0, messages.length - kept);
  if (kept === history.length && heads.length === 0) return undefined;
  const keptPieces = before.slice(starts[history.length - kept] ?? before.length);
  const rest = [...keptPieces, ...present];
  const retained = summary?.trim() && retainedFrom !== undefined && retainedFrom > 0 &&
    before.slice(starts[retainedFrom] ?? before.length);
  const retainFromStep = retained && retainedFrom <= history.length
    ? firstStep([...retained, ...present]) ?? view.nextStep
    : undefined;
  const isSummary = retainFromStep !== undefined && heads.length === 1;
  const message = answeredBy(rest, before);
  // Where it was not folded it stays in its place, and stays what it is.
  const at = isSummary ? -1 : heads.findLastIndex(({ role }) => role === "user");
  const isThere = message !== undefined && heads[at]?.content === message.content;
  const headPieces = heads.map((head, place): Piece =>
    isThere && place === at ? message : {
      ...head,
      kind: isSummary ? "summary" : "given",
      content: head.content.toWellFormed(),
    }
  );
  return {
    pieces: [...headPieces, ...(message === undefined || isThere ? [] : [message]), ...rest],
    messagesBefore: history.length,
    messagesAfter: messages.length,
    ...(retainFromStep === undefined
      ? {}
      : { checkpoint: { summary: (summary ?? "").toWellFormed(), retainFromStep } }),
  };
}

/** The message that the first of the kept turns answers, where it was folded: it is sent whole, as it is by later runs. */
function answeredBy(rest: readonly Piece[], before: readonly Piece[]): Piece | undefined {
  if (rest.length === 0 || rest[0]?.kind === "message") return undefined;
  const folded = before.filter((piece) => !rest.includes(piece));
  return folded.findLast((piece) => piece.kind === "message");
}

/** How many of the messages at the end may stand behind something else: results stay with their calls, also where those are said in other words. */
function wholeTail(history: readonly Message[], count: number): number {
  let whole = count;
  while (whole > 0 && history.at(-whole)?.role === "tool") whole--;
  return whole;
}

/** How many messages at the end of two lists are the same. */
function commonTail(history: readonly Message[], messages: readonly Message[]): number {
  let count = 0;
  while (count < Math.min(history.length, messages.length)) {
    const [old, now] = [history.at(-1 - count), messages.at(-1 - count)];
    if (old?.role !== now?.role || old?.content !== now?.content) break;
    if (old?.toolCallId !== now?.toolCallId || !sameCalls(old, now)) break;
    count++;
  }
  return count;
}

function sameCalls(one: Message | undefined, other: Message | undefined): boolean {
  return one?.toolCalls === other?.toolCalls ||
    JSON.stringify(one?.toolCalls) === JSON.stringify(other?.toolCalls);
}

/** The least index of a step behind some pieces: from there on nothing was folded. */
function firstStep(pieces: readonly Piece[]): number | undefined {
  const steps = pieces.flatMap(({ step }) => step === undefined ? [] : [step]);
  return steps.length === 0 ? undefined : Math.min(...steps);
}

/** A compactor may be anybody's: what it gives is looked at before it is sent. */
function checkedResult(result: CompactResult): CompactResult {
  const { messages, tokens } = result ?? {};
  const areMessages = Array.isArray(messages) &&
    messages.every(({ role, content }) => typeof role === "string" && typeof content === "string");
  if (!areMessages) throw new TypeError("the compactor returned no list of messages");
  // No provider would take a result whose call was left out.
  assertToolOrder(messages);
  const areTokens = typeof tokens?.prompt === "number" && typeof tokens.completion === "number";
  return areTokens ? result : { ...result, tokens: NO_USAGE };
}
