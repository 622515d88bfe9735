/** Goes on with a run that ended at a call which waited for a person's word: makes what is left of the calls of that reply, or lets the script go on that made it. */
import type { Approve, PendingApproval } from "../contracts/approval.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import type { ResumeRequest } from "../contracts/loop.ts";
import type { SessionStore } from "../contracts/session.ts";
import type { RunStep, StepStore } from "../contracts/step.ts";
import { callIdOf } from "./call_steps.ts";
import { attempt } from "./failure.ts";
import {
  findOpenBatch,
  findOpenScript,
  goesOnIn,
  isUndecided,
  type OpenBatch,
  type OpenScriptStep,
  PENDING_REACH,
  warnOfWord,
} from "./pending.ts";
import { anotherGoesOn, holdSession } from "./hold_session.ts";
import { forgetArguments, withArguments } from "./kept_arguments.ts";
import { makeCalls } from "./run_calls.ts";
import { resumeScript } from "./run_script.ts";
import type { RunState } from "./run_state.ts";
import type { Trace } from "./trace.ts";
import type { LoopParts } from "./validate.ts";
import { type OpenScript, readScript } from "./waiting_script.ts";

/** What is left of a run that waits: calls of a reply, or a script. */
export type OpenWait = ({ readonly kind: "calls" } & OpenBatch) | OpenScript;

/**
 * Finds what a session waits at.
 *
 * @throws {AgentLoopError} `not_waiting` when it waits for nothing, or at another call than the one that is meant; `config` when it waits under another protocol.
 */
export async function readOpenWait(
  { steps, sessions, protocol }: Pick<LoopParts, "steps" | "sessions" | "protocol">,
  { sessionId, callId }: Pick<ResumeRequest, "sessionId" | "callId">,
): Promise<OpenWait> {
  const newest = await newestSteps(steps, sessionId);
  const batch = findOpenBatch(newest);
  const open = batch === undefined
    ? await readOpenScript(sessions, { sessionId, step: findOpenScript(newest) })
    : await readOpenCalls({ steps, sessions }, { sessionId, batch });
  if (open === undefined) throw notWaiting(`The session ${sessionId} waits for no word.`);
  if (callId !== undefined && callId !== open.pending.callId) {
    throw notWaiting(
      `The session ${sessionId} waits at the call ${open.pending.callId}, not at ${callId}.`,
    );
  }
  if ((open.kind === "calls") === (protocol === "tools")) return open;
  const [what, needs] = open.kind === "calls"
    ? ["a call of a tool", "tools"]
    : ["a script", "code, code-tool or auto"];
  throw new AgentLoopError(
    `The session ${sessionId} waits in ${what}: go on with it under the protocol ${needs}, not ${protocol}.`,
    { code: "config" },
  );
}

/** The calls as they were given. They may have been made meanwhile, and forgotten. */
async function readOpenCalls(
  { steps, sessions }: Pick<LoopParts, "steps" | "sessions">,
  { sessionId, batch }: { readonly sessionId: string; readonly batch: OpenBatch },
): Promise<OpenWait | undefined> {
  const own = await withArguments(sessions, { sessionId, batch });
  if (own !== undefined) return { kind: "calls", ...own };
  const still = findOpenBatch(await newestSteps(steps, sessionId));
  if (still?.stepIndex !== batch.stepIndex || still.calls.length === 0) return undefined;
  throw new AgentLoopError(
    `What the calls of the session ${sessionId} were given holds a secret, and its session store does not have it: go on with the store that its run had.`,
    { code: "config" },
  );
}

async function readOpenScript(
  { scripts }: SessionStore,
  { sessionId, step }: {
    readonly sessionId: string;
    readonly step: OpenScriptStep | undefined;
  },
): Promise<OpenScript | undefined> {
  if (step === undefined || scripts === undefined) return undefined;
  const kept = await attempt(
    { doing: `read the script that session ${sessionId} waits in`, code: "store_failed" },
    () => scripts.kept(sessionId),
  );
  return kept?.stepIndex === step.stepIndex ? readScript(kept, step) : undefined;
}

/**
 * Goes on with what is left. Gives the answer where a script gave one.
 *
 * @throws {LimitReached} when a limit leaves nothing for the call, before anything is taken up.
 * @throws {AgentLoopError} `config` when what is to be called is not there, before that too; `not_waiting` when another process was faster, and what
 * the calls of any reply or script throw.
 */
export async function resumeOpen(
  run: RunState,
  { open, decision, trace }: {
    readonly open: OpenWait;
    readonly decision: ResumeRequest["decision"];
    readonly trace: Trace;
  },
): Promise<string | undefined> {
  const { pending, taken } = open;
  const { parts, request: { sessionId } } = run;
  const keeper = open.kind === "script" ? parts.sessions.scripts : undefined;
  using _hold = holdSession(keeper ?? parts.steps, sessionId);
  checkCallable(run, open);
  // A call that a limit refused would be over, and the word with it.
  if (open.kind === "script" || open.calls.length > 0) await run.spending.checkHostCall();
  const approve = onceFor(run, { pending, decision });
  if (open.kind === "script") return await resumeScript(run, { open, word: approve, trace });
  const { calls, lost, waitsSince, stepIndex } = open;
  if (!isUndecided(open)) warnOfWord(run, pending);
  const claim = (step: RunStep) => claimCall(run, { step, waitsSince });
  const claimEnds = (ends: readonly RunStep[]) => claimResults(run, { ends, stepIndex });
  const word = { callId: pending.callId, approve };
  await makeCalls(run, calls, {
    turn: goesOnIn(taken),
    trace,
    lost,
    word,
    claim,
    claimEnds,
    stepIndex,
  });
  await forgetArguments(run, { stepIndex });
  return undefined;
}

/** Going on without the function would end the script, or the call, for good: a word that was given would be lost over an option that was left out. */
function checkCallable(run: RunState, open: OpenWait): void {
  if (isCallable(run, open)) return;
  throw new AgentLoopError(
    `The session ${run.request.sessionId} waits at a call of ${open.pending.name}, and there is no such function here: go on with it with the functions and tools that its run had.`,
    { code: "config" },
  );
}

function isCallable({ sandbox, tools }: RunState, open: OpenWait): boolean {
  const { name, callId } = open.pending;
  if (open.kind === "script") return sandbox.functions.has(name);
  const call = open.calls.find(({ id }) => id === callId);
  return call === undefined || (sandbox.functions.has(name) && tools.byName.has(call.name));
}

/** Of several processes that go on, the one whose step was stored first makes the call. */
async function claimCall(
  run: RunState,
  { step, waitsSince }: { readonly step: RunStep; readonly waitsSince: number },
): Promise<void> {
  const { sessionId } = run.request;
  const id = callIdOf(step.toolArgs);
  const first = (await newestSteps(run.parts.steps, sessionId)).find((one) =>
    one.stepType === "tool_call" && one.stepIndex > waitsSince && callIdOf(one.toolArgs) === id
  );
  if (first?.stepIndex === step.stepIndex) return;
  throw anotherGoesOn(sessionId);
}

/** Of two processes of which one took the other for dead, the one whose results were stored first goes on: they are what later runs are told. */
async function claimResults(
  run: RunState,
  { ends, stepIndex }: { readonly ends: readonly RunStep[]; readonly stepIndex: number },
): Promise<void> {
  const { sessionId } = run.request;
  const told = (await newestSteps(run.parts.steps, sessionId)).filter((one) =>
    one.stepType === "tool_result" && one.stepIndex > stepIndex
  );
  const isFirst = (end: RunStep) =>
    told.find(({ toolArgs }) => callIdOf(toolArgs) === callIdOf(end.toolArgs))?.stepIndex ===
      end.stepIndex;
  if (!ends.every(isFirst)) throw anotherGoesOn(sessionId);
}

/** Gives the word on the call itself, once; of everything else that the call comes to, whoever is asked usually is asked. */
function onceFor(
  { request, parts }: RunState,
  { pending, decision }: {
    readonly pending: PendingApproval;
    readonly decision: ResumeRequest["decision"];
  },
): Approve {
  let isGiven = false;
  return (asked) => {
    if (!isGiven && asked.name === pending.name) {
      isGiven = true;
      return decision;
    }
    const approve = request.approve ?? parts.approve;
    return approve?.(asked) ?? { decision: "deny", reason: "nobody is here to be asked" };
  };
}

async function newestSteps(steps: StepStore, sessionId: string): Promise<RunStep[]> {
  return await attempt(
    { doing: `read the steps of session ${sessionId}`, code: "store_failed" },
    () => steps.lastN(sessionId, PENDING_REACH),
  );
}

function notWaiting(message: string): AgentLoopError {
  return new AgentLoopError(message, { code: "not_waiting" });
}
