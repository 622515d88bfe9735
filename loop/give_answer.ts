/**
 * The end of a run's work: an answer that is looked at where somebody is to look, recorded, and told. One that is objected to goes back to the model once; a second
 * time it is given with what is wrong with it. Until then no event and no later prompt holds it, the trace does.
 */
import { AgentLoopError } from "../contracts/errors.ts";
import type { AnswerObjection } from "../contracts/review.ts";
import { untilAborted, within } from "./abort.ts";
import { NO_COST, stepCost } from "./call_cost.ts";
import { attempt } from "./failure.ts";
import { LimitReached } from "./limits.ts";
import { protocolMark } from "./protocol.ts";
import type { Answer, RunState } from "./run_state.ts";
import { callTokens } from "./usage.ts";
import { clipMiddle } from "./utf8.ts";

/** How a turn ended. */
export type TurnEnd =
  | {
    readonly kind: "answered";
    readonly finalText: string;
    readonly forced?: boolean;
    readonly flagged?: boolean;
  }
  | { readonly kind: "goes_on" };

/** So much of an answer that was held back is shown to the model again, and never more than a quarter of what a request may hold: a script's answer can be long. */
const MAX_QUOTED_BYTES = 16_384;

/**
 * Gives an answer, or holds it back. That the model is told of it costs one turn more where it was the last.
 *
 * @throws {AgentLoopError} when the store or the review fails, and the run's reason when it is ended meanwhile.
 */
export async function giveAnswer(run: RunState, answer: Answer): Promise<TurnEnd> {
  const objection = await reviewed(run, answer);
  if (objection === undefined) return await tell(run, answer);
  // Where a limit ends the run with this turn, the model cannot be told any more.
  const isFirst = run.heldBack === undefined && run.reached === undefined;
  if (isFirst) return await holdBack(run, { answer, objection });
  return await tell(run, answer, objection);
}

/** Gives the answer that was held back, where the turns since brought no other. */
export async function giveHeldBack(run: RunState): Promise<TurnEnd> {
  const { heldBack } = run;
  if (heldBack === undefined) return { kind: "goes_on" };
  return await giveAnswer(run, { ...heldBack, cost: NO_COST });
}

/**
 * Gives the answer that was held back where the model cannot be asked for another: at a limit, or when it fails. What is paid for is worth more, with its warning, than
 * nothing.
 */
export async function giveUnasked(run: RunState, cause: unknown): Promise<TurnEnd> {
  const { heldBack, signal, recorder } = run;
  const isModel = cause instanceof AgentLoopError && cause.code.startsWith("model_");
  const isOver = isModel || cause instanceof LimitReached;
  if (heldBack === undefined || !isOver || signal.aborted) return { kind: "goes_on" };
  recorder.emit({
    type: "warning",
    content:
      `The answer that was held back is given, for the model cannot be asked: ${cause.message}`,
  });
  return await giveAnswer(run, { ...heldBack, cost: NO_COST });
}

async function review(run: RunState, text: string): Promise<AnswerObjection | undefined> {
  const { parts, request, recorder, signal } = run;
  const { reviewAnswer, calls } = parts;
  if (reviewAnswer === undefined || calls === undefined) return undefined;
  const { sessionId, scope, userId } = request;
  return await untilAborted(
    signal,
    attempt({ doing: "review the answer", code: "internal" }, async () =>
      await reviewAnswer({
        text: recorder.redact(text),
        sessionId,
        runId: run.runId,
        ...(scope === undefined ? {} : { scope }),
        ...(userId === undefined ? {} : { userId }),
        calls,
        signal,
      })),
  );
}

/** The review's word. Where there is none, the text is kept in the trace: it was paid for. */
async function reviewed(run: RunState, answer: Answer): Promise<AnswerObjection | undefined> {
  const { recorder, signal } = run;
  const { text, cost } = answer;
  try {
    return await review(run, text);
  } catch (error) {
    // The run may have been ended meanwhile.
    recorder.heed(undefined);
    const content = "The answer could not be reviewed, so it was not given.";
    const toolArgs = stepCost(cost, { kind: "unreviewed", reply: text });
    const kept = recorder.record({ stepType: "error", content, ...toolArgs });
    await within(KEEP_MS, kept, () => new Error("the store does not answer")).catch(() => {});
    recorder.heed(signal);
    throw error;
  }
}

/** A run that fails is not kept from its end by a store that does not answer. */
const KEEP_MS = 5_000;

async function holdBack(
  run: RunState,
  { answer, objection }: { readonly answer: Answer; readonly objection: AnswerObjection },
): Promise<TurnEnd> {
  const { text, cost, turn } = answer;
  const { tell: content, claims } = objection;
  run.heldBack = answer;
  await run.recorder.record({
    stepType: "error",
    content,
    ...stepCost(cost, { kind: "held_back", claims: claims.join(" "), reply: text }),
  }, { type: "answer_held_back", content, claims });
  // A token is about four bytes.
  const maxBytes = Math.min(MAX_QUOTED_BYTES, run.budget.allowance);
  const quoted = clipMiddle(run.recorder.redact(text), maxBytes);
  run.unsettled.push({ role: "assistant", content: quoted }, { role: "user", content });
  if (turn >= run.lastTurn) run.lastTurn = turn + 1;
  return { kind: "goes_on" };
}

async function tell(
  run: RunState,
  { text, cost, forced }: Answer,
  objection?: AnswerObjection,
): Promise<TurnEnd> {
  const { recorder, conversation } = run;
  const content = objection === undefined ? text : `${text}\n\n${objection.warning}`;
  const marks = {
    ...(forced ? { forced } : {}),
    ...(objection === undefined ? {} : { flagged: true }),
  };
  const kept = stepCost(cost, {
    ...protocolMark(run),
    ...(objection === undefined ? {} : { flagged: objection.claims.join(" ") }),
  });
  const step = await recorder.record(
    { stepType: "response", content, ...kept },
    { type: "response", content, tokens: callTokens(cost.usage), ...marks },
  );
  conversation.add(step);
  if (objection !== undefined) {
    recorder.emit({
      type: "answer_flagged",
      content: objection.warning,
      claims: objection.claims,
    });
  }
  return { kind: "answered", finalText: step.content, ...marks };
}
