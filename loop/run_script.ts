/** Runs the script of one turn: records it, hands it to the sandbox, tells the model what came of it, and carries on what it returned. */
import type { Approve } from "../contracts/approval.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { Execution } from "../contracts/sandbox.ts";
import { untilAborted } from "./abort.ts";
import { type CallCost, NO_COST, stepCost } from "./call_cost.ts";
import type { KeptResult } from "./call_steps.ts";
import { boundArgs } from "./carried_bound.ts";
import { type CarriedData, carryValue } from "./carried_data.ts";
import { executeScript, type Performance } from "./execute_script.ts";
import { attempt, toAgentLoopError } from "./failure.ts";
import { writeObservation } from "./observation.ts";
import { protocolMark } from "./protocol.ts";
import { goesOnIn, warnOfWord } from "./pending.ts";
import type { Recorder, StepBody } from "./recorder.ts";
import type { RunState } from "./run_state.ts";
import type { Trace } from "./trace.ts";
import { callTokens } from "./usage.ts";
import { clipMiddle } from "./utf8.ts";
import {
  claimScript,
  closeScript,
  forgetScript,
  type OpenScript,
  recallSecrets,
  unknownOutcome,
} from "./waiting_script.ts";

/** A script on its way to the sandbox. */
export interface Script {
  readonly source: string;
  /** The call that brought it, where it came as one. */
  readonly callId?: string;
  /** What the model said around it; "" for nothing. */
  readonly said: string;
  /** Blocks of the same reply that are not run. */
  readonly ignoredBlocks: number;
  /** What the call cost that brought it. */
  readonly cost: CallCost;
  /** The turn, from 1. */
  readonly turn: number;
  /** Its span. */
  readonly trace: Trace;
}

/** So much of what a model said around its script is kept in the trace. */
const MAX_SAID_BYTES = 4096;

/**
 * Runs a script, and records it before and after. Gives the answer when the script gave one.
 *
 * @throws {AgentLoopError} when the store or the sandbox fails, and the run's reason when it is ended meanwhile.
 * @throws {WaitingForApproval} when there is no word yet on one of its calls.
 */
export async function runScript(run: RunState, script: Script): Promise<string | undefined> {
  const { recorder, conversation } = run;
  const { source, ignoredBlocks } = script;
  run.scriptsAsCalls = run.protocol.name === "code-tool";
  const step = await recorder.record(scriptStep(run, script), {
    type: "execute_js",
    content: source,
  });
  conversation.add(step);
  run.unsettled = [];
  run.reminders = 0;
  const seed = Math.floor(run.parts.random() * 2 ** 32);
  const { sessionId } = run.request;
  const claim = { sessionId, stepIndex: step.stepIndex, claim: 0 };
  return await performScript(run, { ...script, script: { source, ignoredBlocks, seed, claim } });
}

/** A script on its way, and what the call cost that brought it. */
type OwnPerformance = Performance & Pick<Script, "cost">;

/**
 * Goes on with a script that waited: it is evaluated again, and what it had called before is answered from what is kept. Gives the answer when the script gave one.
 *
 * @throws {AgentLoopError} `not_waiting` when another process was faster; and like {@linkcode runScript}.
 */
export async function resumeScript(
  run: RunState,
  { open, word, trace }: {
    readonly open: OpenScript;
    readonly word: Approve;
    readonly trace: Trace;
  },
): Promise<string | undefined> {
  const own = await claimScript(run, open);
  const { script, past, taken, pending } = own;
  const asked = past.entries.find(({ position }) => position === past.pending);
  if (asked === undefined || asked.begun === true) warnOfWord(run, pending);
  await recallSecrets(run, own);
  const performance = { script, past, word, cost: NO_COST, turn: goesOnIn(taken), trace };
  const unknown = unknownOutcome(own);
  const answer = unknown === undefined
    ? await performScript(run, performance)
    : await concludeScript(run, { ...performance, execution: unknown, durationMs: 0 });
  await forgetScript(run, script);
  return answer;
}

async function performScript(run: RunState, given: OwnPerformance): Promise<string | undefined> {
  const startedAt = run.parts.now().getTime();
  const execution = boundArgs(run, await executeScript(run, given));
  const durationMs = run.parts.now().getTime() - startedAt;
  return await concludeScript(run, { ...given, execution, durationMs });
}

/** Tells the model what came of a script, and carries on what it returned. */
async function concludeScript(
  run: RunState,
  { script, past, execution, durationMs, turn, cost }:
    & OwnPerformance
    & { readonly execution: Execution; readonly durationMs: number },
): Promise<string | undefined> {
  const { recorder, conversation } = run;
  const { source, ignoredBlocks, seed } = script;
  if (past !== undefined) await closeScript(run, script);
  const returned = readReturned(execution);
  const content = writeObservation({
    execution: redacted(execution, recorder),
    ...(returned === undefined ? {} : { digest: returned.data.digest }),
    ignoredBlocks,
    turnsLeft: run.lastTurn - turn,
    logBytes: run.sandbox.limits.logBytes,
    source,
    earlierScripts: run.scripts,
    hadArgs: run.data !== undefined,
    functions: run.sandbox.functions.keys(),
  });
  run.scripts.push(source);
  const ok = execution.failure === undefined;
  const result = await recorder.record(
    {
      stepType: "execute_js_result",
      content,
      toolArgs: traceOf(execution, { seed, found: run.discovery?.takeLog() }),
      durationMs,
    },
    { type: "execute_js_result", content, ok, durationMs, tokens: callTokens(cost.usage) },
  );
  conversation.add(result);
  if (returned !== undefined) await replaceData(run, returned);
  return execution.answerJson === undefined ? undefined : answerText(execution.answerJson);
}

/** The step of a script. What was said around it is for those who read the trace; no prompt holds it. */
function scriptStep(run: RunState, { source, said, cost, callId }: Script): StepBody {
  const { recorder } = run;
  const kept = clipMiddle(recorder.redact(said), MAX_SAID_BYTES);
  return {
    stepType: "execute_js",
    content: source,
    ...stepCost(cost, {
      ...(said === "" ? {} : { said: kept }),
      ...(callId === undefined ? protocolMark(run) : { call_id: callId }),
    }),
  };
}

/** What is shown of an execution, before anything of it is shortened. */
function redacted(execution: Execution, { redact }: Pick<Recorder, "redact">): Execution {
  const { failure, logs, notes } = execution;
  return {
    ...execution,
    logs: redact(logs),
    notes: notes.map((note) => redact(note)),
    ...(failure === undefined ? {} : { failure: { ...failure, message: redact(failure.message) } }),
  };
}

/** What a script returned, as text and as a value. */
interface Returned {
  readonly data: CarriedData;
  readonly value: JsonValue;
}

/** Reads what a script returned; nothing when it returned nothing or failed. */
function readReturned({ failure, valueJson }: Execution): Returned | undefined {
  if (failure !== undefined || valueJson === undefined) return undefined;
  try {
    const value: JsonValue = JSON.parse(valueJson);
    return { data: carryValue(valueJson, value), value };
  } catch (cause) {
    throw toAgentLoopError(cause, { doing: "read what the script returned", code: "internal" });
  }
}

/** Makes what a script returned the next one's arguments, in this run and for those to come. */
async function replaceData(run: RunState, { data, value }: Returned): Promise<void> {
  const { sessionId } = run.request;
  await untilAborted(
    run.signal,
    attempt(
      { doing: `store the data of session ${sessionId}`, code: "store_failed" },
      () => run.parts.sessions.updateData(sessionId, data.json),
    ),
  );
  run.data = data;
  run.recorder.emit({ type: "data_update", args: value });
}

/** What the trace keeps of an execution: with seed and clock it can be run again and give the same. */
function traceOf(
  execution: Execution,
  { seed, found }: { readonly seed: number; readonly found: KeptResult["found"] | undefined },
): string {
  const { failure, valueJson, answerJson, guestMs, hostCalls, clockMs } = execution;
  return JSON.stringify({
    seed,
    clock_ms: clockMs,
    ok: failure === undefined,
    ...(failure === undefined ? {} : { failure: failure.kind, line: failure.line }),
    returned: failure === undefined && valueJson !== undefined,
    answered: answerJson !== undefined,
    guest_ms: guestMs,
    host_calls: hostCalls,
    ...(found === undefined ? {} : { found }),
  });
}

/** An answer for people: text as it is, other values as readable JSON. */
function answerText(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  } catch {
    return json;
  }
}
