/**
 * Makes the calls of one reply, each through the gate, and tells the model what came of them. Every call gets exactly one result, also one that names no tool or
 * whose arguments broke off: such a call is never mended and never made.
 */
import type { Approve, PendingApproval } from "../contracts/approval.ts";
import type { ModelToolCall } from "../contracts/model.ts";
import type { HostReply } from "../contracts/sandbox.ts";
import type { RunStep } from "../contracts/step.ts";
import { untilAborted, within } from "./abort.ts";
import type { CallCost } from "./call_cost.ts";
import { argumentsOf } from "./call_arguments.ts";
import { CallRecords } from "./call_records.ts";
import {
  type CallsOwner,
  callsStep,
  callStep,
  keptCalls,
  type KeptResult,
  resultStep,
} from "./call_steps.ts";
import { attempt } from "./failure.ts";
import { DISCOVER_TOOLS } from "./discover_wish.ts";
import { keepArguments, whyNotKept } from "./kept_arguments.ts";
import { READ_RESULT, tellResult, type ToldResult } from "./kept_results.ts";
import { shown } from "./passage.ts";
import {
  approvalStep,
  isOvertaken,
  OVERTAKEN,
  PENDING_REACH,
  WaitingForApproval,
} from "./pending.ts";
import type { StepRecord } from "./recorder.ts";
import type { RunState } from "./run_state.ts";
import type { Trace } from "./trace.ts";
import { toldBytes } from "./told_bytes.ts";
import { callTokens } from "./usage.ts";

/** The calls of a reply. */
export interface CallBatch {
  readonly calls: readonly ModelToolCall[];
  /** What the model said beside them; "" for nothing. */
  readonly said: string;
  /** What the model call cost that brought them. */
  readonly cost: CallCost;
  /** The turn, from 1. */
  readonly turn: number;
  /** Its span. */
  readonly trace: Trace;
}

/** What the model is told of a call that was begun and whose end nobody saw. */
const LOST =
  "Error: the program ended while this call was under way. It may have happened or not, and was not made again: look before you do.";
/** Calls of one reply that are made; more are told that they were not. */
const MAX_CALLS = 128;
/** Calls that may go on at once, where all of them are safe. */
const MAX_AT_ONCE = 8;
/** Names that a model is told when it calls what there is not. */
const MAX_NAMES = 40;

/**
 * Makes the calls: one after the other, but for neighbours that are safe to be made at once. Results are told in the order of the calls.
 *
 * @throws {AgentLoopError} when the store fails, and the run's reason when it is ended meanwhile.
 */
export async function runCalls(run: RunState, batch: CallBatch): Promise<void> {
  const { calls, said, cost } = batch;
  const tokens = callTokens(cost.usage);
  const event = { type: "llm_call", content: said, calls: calls.length, tokens } as const;
  const reply = { body: callsStep(said, { calls, cost, agent: run.agent }), event };
  await makeCalls(run, calls, { ...batch, reply });
}

/** What is known of calls before they are made. */
export interface CallsContext extends Pick<CallBatch, "turn" | "trace"> {
  /** The reply that brought them, where it is not in the trace yet: kept together with the beginning of its first calls. */
  readonly reply?: StepRecord;
  /** The step of their reply, where it is. */
  readonly stepIndex?: number;
  /** Calls that were begun by a process that ended before their outcome was kept: they are not made again. */
  readonly lost?: ReadonlySet<string>;
  /** A person's word that was given already. */
  readonly word?: { readonly callId: string; readonly approve: Approve };
  /** Makes sure that nobody else makes these calls too; asked before each, and of those at once before the first. Rejects when somebody does. */
  readonly claim?: (step: RunStep) => Promise<void>;
  /** Makes sure that what is told of them is what nobody else has told yet. Rejects otherwise. */
  readonly claimEnds?: (steps: readonly RunStep[]) => Promise<void>;
}

/**
 * Makes calls. Their reply is in the trace already, or gets there before the first of them is made.
 *
 * @throws {WaitingForApproval} when there is no word yet on one of them; those before it are done, those after it not begun.
 */
export async function makeCalls(
  run: RunState,
  calls: readonly ModelToolCall[],
  context: CallsContext,
): Promise<void> {
  const { recorder, conversation } = run;
  const { lost, claim } = context;
  let { reply, stepIndex = 0 } = context;
  const onWritten = (step: RunStep | undefined) => {
    if (step === undefined) return;
    // What was redacted is said as it is kept.
    const isKept = step.toolArgs === reply?.body.toolArgs;
    conversation.add(isKept ? { ...step, calls: keptCalls(calls) } : step);
    stepIndex = step.stepIndex;
    run.unsettled = [];
    run.reminders = 0;
    reply = undefined;
  };
  const maxBytes = toldBytes(run, calls.length);
  let sequence = 0;
  for (const group of groupsOf(run, calls)) {
    const begun = group.filter(({ id }) => !lost?.has(id)).map((call) => beginning(call, run));
    const first = claim && begun.shift();
    if (first !== undefined) {
      await claim?.(await recorder.record(first.body, first.event));
    }
    const records = new CallRecords(recorder, { reply, begun, onWritten });
    if (claim !== undefined || !group.every((call) => isHarmless(run, call))) await records.write();
    const firstSequence = sequence;
    sequence += group.length;
    const written = async () => {
      await records.write();
      return stepIndex;
    };
    const made = Promise.all(
      group.map((call, at) =>
        makeCall(run, { call, calls, written, context, sequence: firstSequence + at, maxBytes })
      ),
    );
    await records.writeUnlessDone(made);
    const outcomes = await made.catch(async (error) => {
      await keepBeginnings(run, records);
      throw error;
    });
    const ends = outcomes.filter((outcome) => "content" in outcome);
    // Of calls that were begun elsewhere one is told of first: whoever began them may be slow, and have some of them wait.
    const isAlone = ends.some(({ call }) => lost?.has(call.id));
    for (const some of isAlone ? [ends.slice(0, 1), ends.slice(1)] : [ends]) {
      const endings = some.map((end) => ending(end, run));
      const told = await records.finish(endings);
      for (const [at, step] of told.entries()) {
        const isKept = step.toolArgs === endings[at]!.body.toolArgs;
        conversation.add(isKept ? { ...step, callId: some[at]!.call.id } : step);
      }
      await context.claimEnds?.(told);
    }
    await endWaiting(run, { outcomes, calls, stepIndex, turn: context.turn });
  }
}

/** A run that fails is not kept from its end by a store that does not answer. */
const KEEP_MS = 5_000;

/** Calls that were begun are in the trace and told, also where one of them ended the run. */
async function keepBeginnings({ recorder, signal }: RunState, records: CallRecords): Promise<void> {
  recorder.heed(undefined);
  await within(KEEP_MS, records.write(), () => new Error("the store does not answer")).catch(
    () => {},
  );
  recorder.heed(signal);
}

function beginning({ id, name, argumentsJson }: ModelToolCall, owner: CallsOwner): StepRecord {
  const args = { id, name, arguments: argumentsJson };
  return { body: callStep({ id, name, argumentsJson }, owner), event: { type: "tool_call", args } };
}

function ending(end: KeptResult, owner: CallsOwner): StepRecord {
  const { call, ok, content, durationMs } = end;
  const args = { id: call.id, name: call.name };
  return {
    body: resultStep(end, owner),
    event: { type: "tool_result", args, content, ok, durationMs },
  };
}

/** Neighbours that may go on at once, and each of the others alone. */
function groupsOf({ tools }: RunState, calls: readonly ModelToolCall[]): ModelToolCall[][] {
  const groups: ModelToolCall[][] = [];
  let isOpen = false;
  for (const call of calls) {
    const isSafe = tools.byName.get(call.name)?.safe === true;
    const last = groups.at(-1);
    if (isOpen && isSafe && last !== undefined && last.length < MAX_AT_ONCE) last.push(call);
    else groups.push([call]);
    isOpen = isSafe;
  }
  return groups;
}

/** Whether it would do no harm to make a call again that was made and is not in the trace. */
function isHarmless({ tools }: RunState, { name }: ModelToolCall): boolean {
  const tool = tools.byName.get(name);
  return tool?.safe === true && tool.hostFunction.sideEffect !== true;
}

interface OneCall {
  readonly call: ModelToolCall;
  /** All that are made with it. */
  readonly calls: readonly ModelToolCall[];
  /** Sees to it that it is in the trace that it is made. Gives the step of the reply. */
  readonly written: () => Promise<number>;
  readonly context: CallsContext;
  readonly sequence: number;
  /** So much of its result is told at most; below zero all of it. */
  readonly maxBytes: number;
}

/** What became of a call: its result, or that a person's word is waited for. */
type Outcome = KeptResult | { readonly pending: PendingApproval };

async function endWaiting(
  run: RunState,
  { outcomes, turn, ...batch }: {
    readonly outcomes: readonly Outcome[];
    readonly turn: number;
    readonly calls: readonly ModelToolCall[];
    readonly stepIndex: number;
  },
): Promise<void> {
  const waiting = outcomes.flatMap((outcome) => "pending" in outcome ? [outcome.pending] : []);
  const isKeptBeside = waiting.length > 0 && await keepArguments(run, batch);
  for (const approval of waiting) {
    const step = approvalStep(approval, {
      turns: turn,
      spent: run.spending.sinceBegun,
      isKeptBeside,
    });
    await run.recorder.record(step, { type: "approval_pending", approval });
  }
  if (waiting[0] !== undefined) throw new WaitingForApproval(waiting[0]);
}

/** Makes one call, and writes what the model is told of it. Secrets are taken out before anything is shortened. */
async function makeCall(
  run: RunState,
  one: OneCall,
): Promise<Outcome> {
  const { call, maxBytes } = one;
  const startedAt = run.parts.now().getTime();
  const result = await untilAborted(run.signal, resultOf(run, one));
  if ("pending" in result) return result;
  const { ok, text, found } = result;
  const { content, whole }: ToldResult = call.name === READ_RESULT.name
    ? { content: text }
    : tellResult(run.recorder.redact(text), { callId: call.id, maxBytes });
  const durationMs = run.parts.now().getTime() - startedAt;
  return {
    call,
    ok,
    content,
    ...(whole === undefined ? {} : { whole: await run.kept.keep(call.id, whole) }),
    ...(found === undefined ? {} : { found }),
    durationMs,
  };
}

async function resultOf(
  run: RunState,
  { call, calls, written, context: { turn, trace, lost, word }, sequence, maxBytes }: OneCall,
): Promise<
  | { ok: boolean; text: string; found?: KeptResult["found"] | undefined }
  | { readonly pending: PendingApproval }
> {
  if (lost?.has(call.id)) return { ok: false, text: LOST };
  const fault = faultOf(run, call, sequence);
  if (fault !== undefined) return { ok: false, text: `Error: ${fault}` };
  if (call.name === READ_RESULT.name) {
    return await run.kept.answer(call.argumentsJson, maxBytes);
  }
  if (call.name === DISCOVER_TOOLS.name && run.discovery !== undefined) {
    const { ok, text } = await run.discovery.find(argumentsOf(call.argumentsJson), trace);
    return { ok, text: ok ? text : `Error: ${text}`, found: run.discovery.takeLog() };
  }
  const notes: string[] = [];
  let pending: PendingApproval | undefined;
  const tool = run.tools.byName.get(call.name)?.hostFunction;
  const pass = run.openGate({
    turn,
    trace,
    note: (text) => notes.push(text),
    wait: (asked) => {
      const why = whyNotKept(run, calls);
      if (why !== undefined) return why;
      pending = { callId: call.id, ...asked };
      return undefined;
    },
    ...(word?.callId === call.id ? { approve: word.approve } : {}),
  });
  const reply = await pass({
    name: tool?.name ?? call.name,
    argsJson: `[${call.argumentsJson}]`,
    sequence,
    signal: run.signal,
  });
  if (pending !== undefined) {
    const { parts: { steps }, request: { sessionId }, runId } = run;
    const stepIndex = await written();
    const newest = await attempt(
      { doing: `read the steps of session ${sessionId}`, code: "store_failed" },
      () => steps.lastN(sessionId, PENDING_REACH),
    );
    if (!isOvertaken(newest, { stepIndex, runId })) {
      run.spending.takeBack(1);
      return { pending };
    }
    return { ok: false, text: `Error: ${OVERTAKEN}` };
  }
  const lines = [...notes.map((note) => `[${note}]`), textOf(reply)];
  return { ok: reply.ok, text: lines.join("\n") };
}

/** Why a call is not made, in words that help to make the next one. */
function faultOf(
  { tools, kept, discovery }: RunState,
  { name, argumentsFault }: ModelToolCall,
  sequence: number,
): string | undefined {
  const isOwn = (name === READ_RESULT.name && kept.hasAny) ||
    (name === DISCOVER_TOOLS.name && discovery !== undefined);
  if (!isOwn && !tools.byName.has(name)) {
    const names = [...tools.byName.keys()].slice(0, MAX_NAMES).join(", ");
    const what = name === "" ? "the call names no tool" : `there is no tool ${shown(name)}`;
    const more = discovery === undefined ? "" : `; ${DISCOVER_TOOLS.name} may find more`;
    return `${what}; there is: ${names || "none"}${more}`;
  }
  if (argumentsFault === "cut") {
    return "the arguments broke off before their end, so nothing was called. Call again with shorter ones.";
  }
  if (argumentsFault === "malformed") {
    return "the arguments are no JSON object, so nothing was called. Call again.";
  }
  return sequence >= MAX_CALLS
    ? `one reply may make ${MAX_CALLS} calls; this one was not made`
    : undefined;
}

/** A result as text: text as it is, everything else as JSON. */
function textOf(reply: HostReply): string {
  if (!reply.ok) return `${reply.name ?? "Error"}: ${reply.message}`;
  const { json, text } = reply;
  if (text === undefined) return json === undefined ? "(no result)" : plainText(json);
  if (text.key === undefined || json === undefined) return text.value;
  return JSON.stringify({ ...JSON.parse(json), [text.key]: text.value });
}

function plainText(json: string): string {
  if (!json.startsWith('"')) return json;
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? value : json;
}
