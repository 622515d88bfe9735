/** Compacting a session on demand, outside of a run: somebody wants its history short now, and perhaps with something particular in mind. */
import { refuseUnknown } from "../contracts/known_names.ts";
import type { Compactor } from "../contracts/compaction.ts";
import { DEFAULT_HISTORY_WINDOW } from "../contracts/loop.ts";
import type { TokenUsage } from "../contracts/model.ts";
import type { TextRedactor } from "../contracts/redaction.ts";
import type { StepStore } from "../contracts/step.ts";
import { checkWhole, needMethods } from "./argument_checks.ts";
import { askCompactor, checkpointStep, foldableView, viewOf } from "./compact_history.ts";
import { attempt } from "./failure.ts";
import { Conversation } from "./history.ts";
import { waitsForWord } from "./pending.ts";
import { protocolOf } from "./protocol.ts";
import { Recorder } from "./recorder.ts";
import { rehydrate } from "./rehydrate.ts";
import { createRunId } from "./run_id.ts";

/** What is compacted, and by whom. */
export interface CompactSessionOptions {
  /** Keeps the trace. */
  readonly steps: StepStore;
  /** The session. */
  readonly sessionId: string;
  /** Makes the history short; it is told not to wait for its trigger. */
  readonly compactor: Compactor;
  /** What the summary is to heed. @default nothing in particular */
  readonly instruction?: string;
  /** Steps of the past that a run would be sent at most. @default 80 */
  readonly historyWindow?: number;
  /** Takes secrets out of the summary before it is stored. @default nothing is taken out */
  readonly redactor?: TextRedactor;
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** The clock. @default () => new Date() */
  readonly now?: () => Date;
  /** Source of ids: a number in [0, 1). @default Math.random */
  readonly random?: () => number;
}

const OPTIONS: Readonly<Record<keyof CompactSessionOptions, true>> = {
  steps: true,
  sessionId: true,
  compactor: true,
  instruction: true,
  historyWindow: true,
  redactor: true,
  signal: true,
  now: true,
  random: true,
};

/** What came of it. */
export interface CompactedSession {
  /** Whether a summary was stored that later runs are sent. */
  readonly stored: boolean;
  /** Messages of the history before. */
  readonly messagesBefore: number;
  /** Messages of the history after; the same when nothing was compacted. */
  readonly messagesAfter: number;
  /** What it cost. */
  readonly tokens: TokenUsage;
  /** The summary, where one was stored. */
  readonly summary?: string;
  /** Index of the step at which the retained history begins, where a summary was stored. */
  readonly retainFromStep?: number;
}

/**
 * Folds the older part of a session's history into a summary, and stores that as a step; later runs are sent it in the place of what it stands
 * for. The steps themselves stay in the trace. A script or a call that waits for a word stays as it is.
 *
 * @throws {TypeError} when a part is missing, or there is no such option.
 * @throws {AgentLoopError} what the compactor and the store throw; a compactor's with the tokens that were spent.
 */
export async function compactSession(options: CompactSessionOptions): Promise<CompactedSession> {
  const { steps, sessionId, compactor, redactor } = checked(options);
  const { now = () => new Date(), random = Math.random } = options;
  const signal = options.signal ?? new AbortController().signal;
  const { conversation, nextStep, waits, scriptsAsCalls } = await readHistory(options);
  const { pieces } = conversation;
  const view = waits ? foldableView(pieces) : viewOf(pieces, { nextStep });
  const messagesBefore = view?.history.length ?? 0;
  const unchanged = { stored: false, messagesBefore, messagesAfter: messagesBefore };
  if (view === undefined || messagesBefore === 0) {
    return { ...unchanged, tokens: { prompt: 0, completion: 0 } };
  }
  const { instruction } = options;
  const startedAt = now().getTime();
  const outcome = await askCompactor(compactor, { view, signal, force: true, instruction });
  const { tokens } = outcome;
  if (outcome.kind === "failed") throw outcome.error;
  if (outcome.kind === "unchanged") return { ...unchanged, tokens };
  const { checkpoint, messagesAfter } = outcome.compacted;
  if (checkpoint === undefined) return { ...unchanged, tokens };
  const runId = createRunId(now().getTime(), random);
  const recorder = new Recorder({ steps, sessionId, runId, now, secrets: { redactor } });
  const { content } = await recorder.record({
    ...checkpointStep(checkpoint, scriptsAsCalls),
    durationMs: Math.max(0, now().getTime() - startedAt),
    promptTokens: tokens.prompt,
    completionTokens: tokens.completion,
  });
  const { retainFromStep } = checkpoint;
  return { stored: true, messagesBefore, messagesAfter, tokens, summary: content, retainFromStep };
}

async function readHistory(
  { steps, sessionId, historyWindow = DEFAULT_HISTORY_WINDOW }: CompactSessionOptions,
): Promise<
  {
    readonly conversation: Conversation;
    readonly nextStep: number;
    /** For a person's word. */
    readonly waits: boolean;
    readonly scriptsAsCalls: boolean;
  }
> {
  const conversation = new Conversation();
  const reading = {
    doing: `read the steps of session ${sessionId}`,
    code: "store_failed",
  } as const;
  // Read first: what is appended while the rest is being read is not part of it, and stays.
  const [last] = await attempt(reading, () => steps.lastN(sessionId, 1));
  const replayed = await attempt(
    reading,
    () => rehydrate(steps, { sessionId, window: historyWindow, keepsAll: true }),
  );
  const nextStep = last === undefined ? 0 : last.stepIndex + 1;
  for (const step of replayed) if (step.stepIndex < nextStep) conversation.add(step);
  const scriptsAsCalls = protocolOf("auto", replayed).name === "code-tool";
  return { conversation, nextStep, waits: waitsForWord(replayed), scriptsAsCalls };
}

function checked(options: CompactSessionOptions): CompactSessionOptions {
  const caller = "compactSession";
  refuseUnknown(caller, options, OPTIONS);
  needMethods(caller, options, { steps: ["append", "lastN"], compactor: ["compact"] });
  if (typeof options.sessionId !== "string" || options.sessionId === "") {
    throw new TypeError(`${caller}: sessionId must be a text that is not empty`);
  }
  const { historyWindow } = options;
  if (historyWindow !== undefined && historyWindow !== Infinity) {
    checkWhole(caller, { historyWindow }, 0);
  }
  return options;
}
