/** One turn of a run: makes the request fit, asks the model, then runs the script that it sent, takes its answer, or tells it what was wrong with its reply. */
import { AgentLoopError } from "../contracts/errors.ts";
import type { Completion } from "../contracts/model.ts";
import { actBy } from "./act_by.ts";
import { type Asked, askModel, type Question } from "./ask_model.ts";
import { type CallCost, NO_COST, stepCost } from "./call_cost.ts";
import { scanReply } from "./fences.ts";
import { fitRequest, isToBeFitted, shortenRequest } from "./fit_request.ts";
import { giveAnswer, type TurnEnd } from "./give_answer.ts";
import { READ_RESULT } from "./kept_results.ts";
import { shown } from "./passage.ts";
import { FALLBACK_PROTOCOL, type Offer, protocolMark } from "./protocol.ts";
import type { UnusableReply } from "./reminder.ts";
import { requestTokens } from "./request_size.ts";
import { RUN_JAVASCRIPT } from "./script_call.ts";
import { type CallBatch, runCalls } from "./run_calls.ts";
import { runScript, type Script } from "./run_script.ts";
import type { RunState } from "./run_state.ts";
import type { AnsweredCall } from "./spending.ts";
import { type Trace, traced } from "./trace.ts";
import { clipMiddle } from "./utf8.ts";

/** So much of a reply that could not be used is shown to the model again, and kept in the trace. */
const MAX_QUOTED_BYTES = 4096;

/**
 * Takes one turn.
 *
 * @param turn its number, from 1
 * @throws {AgentLoopError} when the model, the store or the sandbox fails, and the run's reason when it is ended meanwhile.
 * @throws {LimitReached} when the run has come to one of its limits.
 */
export function takeTurn(run: RunState, turn: number): Promise<TurnEnd> {
  const attributes = { "agentloop.turn.number": turn };
  return traced(run.trace, { name: "agentloop.turn", attributes }, async (trace) => {
    const startedAt = run.parts.now().getTime();
    let started = false;
    // Told when the model is asked, not before: a run may end on a limit first.
    const onStart = () => {
      if (!started) run.recorder.emit({ type: "turn_start", turn });
      started = true;
      run.warmUp.asked(run.sandbox); // not waited for: the model is asked now
    };
    const isLast = turn === run.lastTurn && isToAnswer(run);
    if (isLast) run.unsettled.push({ role: "user", content: run.protocol.lastTurn });
    const asked = await ask(run, { trace, onStart, isLast });
    const cost = {
      usage: asked.usage,
      durationMs: run.parts.now().getTime() - startedAt,
      ...(run.budget.allowance < Infinity
        ? { estimatedTokens: requestTokens(run) * asked.tries }
        : {}),
    };
    const end = await takeReply(run, { asked, cost, turn, trace, isLast });
    return unlessReached(run, end);
  });
}

/** Whether the last turn is for an answer: where the loop wants one, and where it is there for that alone. */
function isToAnswer({ parts, lastTurn, maxIterations }: RunState): boolean {
  return parts.forceFinalText || lastTurn > maxIterations;
}

/** An answer that came all the same is worth more than the word that it came too late. */
function unlessReached(run: RunState, end: TurnEnd): TurnEnd {
  if (end.kind === "goes_on" && run.reached !== undefined) throw run.reached;
  return end;
}

/**
 * Takes what came of a script that went on after it had waited.
 *
 * @param turn the one in which it had waited
 * @throws {LimitReached} when it has come to one of the run's limits.
 */
export async function takeOutcome(
  run: RunState,
  { text, turn }: { readonly text: string | undefined; readonly turn: number },
): Promise<TurnEnd> {
  if (text === undefined) return unlessReached(run, { kind: "goes_on" });
  const answer = { text, cost: NO_COST, forced: false, turn };
  return unlessReached(run, await giveAnswer(run, answer));
}

async function takeReply(
  run: RunState,
  { asked, cost, turn, trace, isLast }: {
    readonly asked: Asked;
    readonly cost: CallCost;
    readonly turn: number;
    readonly trace: Trace;
    readonly isLast: boolean;
  },
): Promise<TurnEnd> {
  const { reply } = asked;
  switch (reply.kind) {
    case "final":
    case "done":
      return await giveAnswer(run, { text: reply.text, cost, forced: isLast, turn });
    case "calls":
      return await takeCalls(run, { ...reply, cost, turn, trace, isLast });
    case "code":
      return await takeScript(run, {
        ...reply,
        said: proseOf(asked.text),
        cost,
        turn,
        trace,
        isLast,
      });
    case "missing_run":
    case "wrong_form":
      if (isMeantAsAnswer(run, asked, isLast)) {
        const text = scanReply(asked.text).visible.trim();
        return await giveAnswer(run, { text, cost, forced: isLast, turn });
      }
      return await remind(run, { reply, text: asked.text, cost });
    case "cut": {
      const text = isLast ? cutAnswer(run, asked.text) : "";
      if (text !== "") return await giveAnswer(run, { text, cost, forced: true, turn });
      return await remind(run, { reply, text: asked.text, cost });
    }
    case "unfinished_reasoning":
      return await remind(run, { reply, text: asked.text, cost });
  }
}

/** After so many reminders, prose with an example block in it is taken for what it is. */
const ENOUGH_REMINDERS = 2;

/**
 * Whether a reply that could not be run was never meant to be: somebody asked about code, and the model goes on to explain with an example, reminder after reminder;
 * or an answer was asked for. Code without a word around it, and calls of tools, stay what they are.
 */
function isMeantAsAnswer(run: RunState, { reply, text }: Asked, isLast: boolean): boolean {
  const explains = reply.kind === "missing_run" ||
    (reply.kind === "wrong_form" &&
      (reply.form === "language" || run.protocol.name === "tools"));
  if (isLast && run.protocol.name !== "tools") return explains && proseOf(text) !== "";
  return explains && run.reminders >= ENOUGH_REMINDERS && proseOf(text) !== "";
}

/** What there is of an answer that was cut off where it was the last word: it is paid for, and the model cannot be asked for a shorter one. "" where there is nothing. */
function cutAnswer({ protocol }: RunState, text: string): string {
  const { visible, prose } = scanReply(text);
  // Where scripts are written, a block was one.
  const said = (protocol.name === "tools" ? visible : prose).trim();
  return said === "" ? "" : `${said}\n\n${CUT_OFF}`;
}

const CUT_OFF = "[The answer was cut off here.]";

/** Asks the model. A request that its provider found too long is made shorter and sent once more; never as it was. */
async function ask(run: RunState, hooks: AskHooks): Promise<Asked> {
  if (isToBeFitted(run)) await fitRequest(run);
  try {
    return await askOnce(run, hooks);
  } catch (error) {
    if (!(error instanceof AgentLoopError) || error.code !== "model_context_overflow") throw error;
    await shortenRequest(run, error);
    return await askOnce(run, hooks);
  }
}

/** What a turn adds to its question. */
interface AskHooks extends Pick<Question, "trace" | "onStart"> {
  /** Nothing that the model does could be told to it any more. */
  readonly isLast: boolean;
}

function askOnce(run: RunState, { trace, onStart, isLast }: AskHooks): Promise<Asked> {
  const { parts, model, recorder, tally, conversation, spending, budget } = run;
  const withheldBytes = run.data?.withheldBytes ?? 0;
  const estimated = requestTokens(run);
  const promptTokens = budget.corrected(estimated);
  const { replyTokens } = budget;
  const answered = ({ model, text }: Completion): AnsweredCall => ({
    model,
    estimate: { prompt: promptTokens, completion: budget.estimate(text) },
  });
  trace.set({
    "agentloop.budget.estimated_tokens": promptTokens,
    "agentloop.budget.allowance": Number.isFinite(budget.allowance) ? budget.allowance : undefined,
  });
  return askModel({
    llm: parts.llm,
    request: {
      messages: conversation.messages(run.unsettled, [run.systemMessage]),
      ...(model === undefined ? {} : { model }),
      ...offerOf(run, isLast),
    },
    interpret: (completion) =>
      run.protocol.interpret(completion, [...run.sandbox.functions.keys()]),
    signal: run.signal,
    ...(recorder.isHeard ? { emit: recorder.emit } : {}),
    holdsText: parts.reviewAnswer !== undefined,
    redactStream: () => recorder.redactStream(),
    trace,
    onStart,
    beforeCall: () => spending.planCall({ promptTokens, replyTokens }),
    onCall: (usage, completion) => {
      spending.add(usage, completion && answered(completion));
      budget.learnUsage(estimated, usage.prompt);
      tally.dataBytesCarried += withheldBytes;
    },
  });
}

/** What the model is offered; what reads long results only once there is one. */
function offerOf({ protocol, tools, kept }: RunState, isLast: boolean): Offer {
  // A copy: what a client keeps of a list goes with the last of it, which is not to be one that all runs have.
  const declarations = kept.hasAny
    ? [...tools.declarations, { ...READ_RESULT }]
    : tools.declarations;
  return protocol.offer({ ...tools, declarations }, isLast);
}

/** Makes the calls of a reply. Where none could be told any more, what was said beside them is the answer, if there is something. */
async function takeCalls(
  run: RunState,
  { isLast, ...batch }: CallBatch & { readonly isLast: boolean },
): Promise<TurnEnd> {
  if (!isLast) {
    await runCalls(run, batch);
    return { kind: "goes_on" };
  }
  if (batch.said === "") return await keepUnmade(run, batch);
  return await giveAnswer(run, { ...batch, text: batch.said, forced: true });
}

/** Keeps in the trace what was asked for, and paid, where nothing could be done with it any more. */
async function keepUnmade(run: RunState, { calls, cost }: CallBatch): Promise<TurnEnd> {
  const names = calls.map(({ name }) => shown(name)).join(", ");
  const content = `The model called ${names} where no tool could be called any more.`;
  await run.recorder.record({ stepType: "error", content, ...stepCost(cost) }, {
    type: "warning",
    content,
  });
  return { kind: "goes_on" };
}

/** Runs the script that the model sent, and takes the answer when it gave one. At the last turn what was said around it is one, if there is something. */
async function takeScript(
  run: RunState,
  { isLast, ...script }: Script & { readonly isLast: boolean },
): Promise<TurnEnd> {
  const answer = await runScript(run, script);
  const text = answer ?? (isLast && script.said !== "" ? script.said : undefined);
  if (text === undefined) return { kind: "goes_on" };
  return await giveAnswer(run, { text, cost: NO_COST, forced: isLast, turn: script.turn });
}

function proseOf(text: string): string {
  return scanReply(text).prose.trim();
}

/** Under `auto` a model that does not keep the form after a reminder is offered the tool. A reply that was cut says nothing about that. */
function changeProtocol(run: RunState, { kind }: UnusableReply): void {
  const isForm = kind === "missing_run" || kind === "wrong_form";
  if (run.parts.protocol !== "auto" || run.protocol.name !== "code") return;
  if (run.reminders === 0 || !isForm) return;
  actBy(run, FALLBACK_PROTOCOL);
  run.scriptsAsCalls = true;
  run.recorder.emit({
    type: "warning",
    content:
      `The model does not keep the form of scripts after a reminder; from now on it is to hand them to the tool ${RUN_JAVASCRIPT}.`,
  });
}

/** Tells the model what was missing in its reply. The trace keeps both; later runs are sent neither. */
async function remind(
  run: RunState,
  unusable: { readonly reply: UnusableReply; readonly text: string; readonly cost: CallCost },
): Promise<TurnEnd> {
  const { reply, text, cost } = unusable;
  changeProtocol(run, reply);
  const content = run.protocol.remind(reply);
  const visible = run.recorder.redact(scanReply(text).visible.trim());
  const quoted = clipMiddle(visible, MAX_QUOTED_BYTES);
  await run.recorder.record({
    stepType: "error",
    content,
    ...stepCost(cost, { ...protocolMark(run), kind: reply.kind, reply: quoted }),
  }, {
    type: "warning",
    content: `The model's reply could not be used (${reply.kind}): ${content}`,
  });
  if (quoted !== "") run.unsettled.push({ role: "assistant", content: quoted });
  run.unsettled.push({ role: "user", content });
  run.reminders++;
  return { kind: "goes_on" };
}
