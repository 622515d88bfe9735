/**
 * Calls that wait for a person's word: how the trace keeps them, and what of a run that ended at one is still to be done. Told from the steps alone, so that any
 * process that has the store can go on.
 */
import type { PendingApproval } from "../contracts/approval.ts";
import type { Spend } from "../contracts/limits.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { ModelToolCall } from "../contracts/model.ts";
import { isAside, type RunStep } from "../contracts/step.ts";
import { callIdOf, callsOf } from "./call_steps.ts";
import type { Recorder, StepBody } from "./recorder.ts";

/** Newest steps of a session in which is looked for what it waits at. */
export const PENDING_REACH = 500;

/** Ends a run at a call that waits. No failure: it goes from the call to the end of the run, and no further. */
export class WaitingForApproval extends Error {
  /** The call. */
  readonly pending: PendingApproval;

  constructor(pending: PendingApproval) {
    super(`the run waits for a word on ${pending.name}`);
    this.name = "WaitingForApproval";
    this.pending = pending;
  }
}

/** What a run had taken when it came to wait. It counts when the run goes on; nothing where an earlier version kept the step. */
export interface Taken {
  /** Turns, those before earlier waits among them. */
  readonly turns: number;
  /** What it had spent. */
  readonly spent: Spend;
}

/** What is left of a reply whose calls were not all made. */
export interface OpenBatch {
  /** The step of the reply. */
  readonly stepIndex: number;
  /** The call that waits. */
  readonly pending: PendingApproval;
  /** What the run had taken until then. */
  readonly taken: Taken;
  /** What the calls were given holds a secret: the trace has it without, and it is kept beside. */
  readonly isKeptBeside: boolean;
  /** The calls without a result, in their order; the one that waits is among them unless it was made meanwhile. */
  readonly calls: readonly ModelToolCall[];
  /** Those of them that were begun by a process that ended before their outcome was kept. */
  readonly lost: ReadonlySet<string>;
  /** The step after which whoever goes on claims the call that waits. */
  readonly waitsSince: number;
}

/**
 * The step of a call that waits.
 *
 * @param isKeptBeside whether what it was given, or a call that came with it, is kept beside the trace
 */
export function approvalStep(
  pending: PendingApproval,
  { turns, spent, isKeptBeside = false }: Taken & { readonly isKeptBeside?: boolean },
): StepBody {
  const { callId, name, target, args, reason } = pending;
  return {
    stepType: "approval",
    content: reason,
    toolArgs: JSON.stringify({
      call_id: callId,
      name,
      ...(target === undefined ? {} : { target }),
      args,
      ...(isKeptBeside ? { kept_beside: true } : {}),
      turns,
      spent: { tokens: spent.tokens, cost: spent.cost, host_calls: spent.hostCalls },
    }),
  };
}

/** A run that begins. */
export const NOTHING_TAKEN: Taken = { turns: 0, spent: { tokens: 0, cost: 0, hostCalls: 0 } };

/** The turn in which a run goes on: the one in which it came to wait. */
export function goesOnIn({ turns }: Taken): number {
  return Math.max(1, turns);
}

function takenOf({ toolArgs }: RunStep): Taken {
  const { turns, spent }: {
    readonly turns?: unknown;
    readonly spent?: Readonly<Record<string, unknown>>;
  } = JSON.parse(toolArgs ?? "{}");
  return {
    turns: figureOf(turns),
    spent: {
      tokens: figureOf(spent?.tokens),
      cost: figureOf(spent?.cost),
      hostCalls: figureOf(spent?.host_calls),
    },
  };
}

/** A figure in whose digits a secret stands is taken out of the trace. */
function figureOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** What a session waits at; nothing when it does not wait, or went on meanwhile. The steps are its newest, in the order of their indexes. */
export function findOpenBatch(steps: readonly RunStep[]): OpenBatch | undefined {
  const replyAt = steps.findLastIndex(({ stepType }) => stepType === "llm_call");
  const after = steps.slice(replyAt + 1);
  if (replyAt < 0 || after.some((step) => goesOn(step, WENT_ON))) return undefined;
  const idsOf = (type: RunStep["stepType"], among: readonly RunStep[]) =>
    new Set(
      among.filter(({ stepType }) => stepType === type).map((step) => callIdOf(step.toolArgs)),
    );
  const told = idsOf("tool_result", after);
  const calls = callsOf(steps[replyAt]?.toolArgs).filter(({ id }) => !told.has(id));
  const own = new Set(callsOf(steps[replyAt]?.toolArgs).map(({ id }) => id));
  // A run that went on beside it may have come to wait too.
  const approvals = after.filter(({ stepType, toolArgs }) =>
    stepType === "approval" && own.has(callIdOf(toolArgs))
  );
  const first = approvals.find((step) => !told.has(callIdOf(step.toolArgs))) ?? approvals.at(-1);
  if (first === undefined || (calls.length === 0 && !isBrokenOff(after))) return undefined;
  // It may have been asked about again, when a call that was made with it got its word.
  const id = callIdOf(first.toolArgs);
  const waiting = approvals.findLast((step) => callIdOf(step.toolArgs) === id) ?? first;
  const waited = idsOf("approval", after);
  const since = after.slice(after.indexOf(waiting) + 1);
  const begunSince = idsOf("tool_call", since);
  const begunBefore = idsOf("tool_call", after.slice(0, after.indexOf(waiting)));
  const lost = calls.map(({ id }) => id)
    .filter((id) => begunSince.has(id) || (begunBefore.has(id) && !waited.has(id)));
  return {
    stepIndex: steps[replyAt]!.stepIndex,
    pending: pendingOf(waiting),
    taken: takenOf(approvals.at(-1) ?? waiting),
    isKeptBeside: approvals.some((step) => JSON.parse(step.toolArgs ?? "{}").kept_beside === true),
    calls,
    lost: new Set(lost),
    waitsSince: waiting.stepIndex,
  };
}

/**
 * Whether the run that made the last of some calls ended before its model was asked again. Of one that did not end nobody knows that it does not go on: a word that
 * comes late, on a call that was made, would have it done by two.
 */
function isBrokenOff(after: readonly RunStep[]): boolean {
  const last = after.findLast(({ stepType }) => stepType === "tool_result");
  return after.some((step) => step.runId === last?.runId && endsRun(step));
}

/** Whether a step says why its run ended without an answer. */
function endsRun({ stepType, toolArgs }: RunStep): boolean {
  if (stepType !== "error") return false;
  const { code }: { readonly code?: unknown } = JSON.parse(toolArgs ?? "{}");
  return typeof code === "string";
}

/** Whether the call that waits was not begun yet: then a word on it is what becomes of it. */
export function isUndecided(
  { pending: { callId }, calls, lost }: Pick<OpenBatch, "pending" | "calls" | "lost">,
): boolean {
  return !lost.has(callId) && calls.some(({ id }) => id === callId);
}

/** Says that a word came for nothing. */
export function warnOfWord(
  { recorder }: { readonly recorder: Pick<Recorder, "emit"> },
  { name }: PendingApproval,
): void {
  recorder.emit({
    type: "warning",
    content:
      `The word on ${name} changes nothing: that call was begun before, and is not made again.`,
  });
}

/** A script that waits, as the trace tells of it. */
export interface OpenScriptStep {
  /** The call that waits. */
  readonly pending: PendingApproval;
  /** What the run had taken until then. */
  readonly taken: Taken;
  /** The script's step. */
  readonly stepIndex: number;
}

/** The script that a session waits in; nothing when it does not, or went on meanwhile. The steps are its newest, in the order of their indexes. */
export function findOpenScript(steps: readonly RunStep[]): OpenScriptStep | undefined {
  const scriptAt = steps.findLastIndex(({ stepType }) => stepType === "execute_js");
  const after = steps.slice(scriptAt + 1);
  if (scriptAt < 0 || after.some((step) => goesOn(step, SCRIPT_WENT_ON))) return undefined;
  const { stepIndex } = steps[scriptAt]!;
  const waiting = after.findLast(({ stepType, toolArgs }) =>
    stepType === "approval" && callIdOf(toolArgs).startsWith(`${callIdPrefix({ stepIndex })}_`)
  );
  if (waiting === undefined) return undefined;
  return { pending: pendingOf(waiting), taken: takenOf(waiting), stepIndex };
}

/** The id of a call of the script at this step, without its position. */
export function callIdPrefix({ stepIndex }: Pick<RunStep, "stepIndex">): string {
  return `js_${stepIndex}`;
}

/** Whether a session waits for a word. The steps are its newest, in the order of their indexes. */
export function waitsForWord(steps: readonly RunStep[]): boolean {
  return findOpenBatch(steps) !== undefined || findOpenScript(steps) !== undefined;
}

/** How many of a session's newest steps hold the exchange that it waits in: from the message that is being answered on. */
export function openReach(steps: readonly RunStep[]): number {
  const message = steps.findLastIndex((step) => step.stepType === "user" && !isAside(step));
  return steps.length - Math.max(0, message);
}

/** The call that a session waits at, and since when; nothing when it waits at none. The steps are its newest, in the order of their indexes. */
export function findPending(
  steps: readonly RunStep[],
): { readonly pending: PendingApproval; readonly since: Date } | undefined {
  const pending = findOpenBatch(steps)?.pending ?? findOpenScript(steps)?.pending;
  if (pending === undefined) return undefined;
  const step = steps.findLast(({ stepType, toolArgs }) =>
    stepType === "approval" && callIdOf(toolArgs) === pending.callId
  );
  return step && { pending, since: step.createdAt };
}

/** After one of these the script before is not gone on with. */
const SCRIPT_WENT_ON: ReadonlySet<string> = new Set([
  "user",
  "response",
  "llm_call",
  "execute_js_result",
]);

/** After one of these the calls of the reply before are not gone on with. */
const WENT_ON: ReadonlySet<string> = new Set(["user", "response", "execute_js"]);

/** Whether a session went on by another run after a script or a reply of calls: then nobody could go on from there. */
export function isOvertaken(
  steps: readonly RunStep[],
  { stepIndex, runId }: Pick<RunStep, "stepIndex" | "runId">,
): boolean {
  return steps.some((step) =>
    step.stepIndex > stepIndex && step.runId !== runId && goesOn(step, OVERTAKES)
  );
}

/** What the model is told then. */
export const OVERTAKEN =
  "it needs a person's word, and another message came to the session meanwhile, so that nobody could go on from here; it was not done";

const OVERTAKES: ReadonlySet<string> = new Set(["user", "response", "execute_js", "llm_call"]);

function goesOn(step: RunStep, types: ReadonlySet<string>): boolean {
  return types.has(step.stepType) && !isAside(step);
}

/** The call that a step of type `approval` tells of. */
export function pendingOf({ toolArgs, content }: RunStep): PendingApproval {
  const kept: { call_id?: string; name?: string; target?: string; args?: readonly JsonValue[] } =
    JSON.parse(toolArgs ?? "{}");
  return {
    callId: kept.call_id ?? "",
    name: kept.name ?? "",
    ...(kept.target === undefined ? {} : { target: kept.target }),
    args: kept.args ?? [],
    reason: content,
  };
}
