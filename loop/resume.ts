/** Goes on with a run that ended at a call which waited for a person's word: makes what is left of the calls of that reply. */
import type { Approve, PendingApproval } from "../contracts/approval.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import type { ResumeRequest } from "../contracts/loop.ts";
import type { RunStep, StepStore } from "../contracts/step.ts";
import { callIdOf } from "./call_steps.ts";
import { attempt } from "./failure.ts";
import { findOpenBatch, type OpenBatch } from "./pending.ts";
import { makeCalls } from "./run_calls.ts";
import type { RunState } from "./run_state.ts";
import type { Trace } from "./trace.ts";

/** Newest steps of a session in which the calls of its last reply are looked for. */
const REACH = 500;

/**
 * Finds what a session waits at.
 *
 * @throws {AgentLoopError} `not_waiting` when it waits for nothing, or at another call than the one that is meant.
 */
export async function readOpenBatch(
  steps: StepStore,
  { sessionId, callId }: Pick<ResumeRequest, "sessionId" | "callId">,
): Promise<OpenBatch> {
  const batch = findOpenBatch(await newestSteps(steps, sessionId));
  if (batch === undefined) throw notWaiting(`The session ${sessionId} waits for no word.`);
  if (callId !== undefined && callId !== batch.pending.callId) {
    throw notWaiting(
      `The session ${sessionId} waits at the call ${batch.pending.callId}, not at ${callId}.`,
    );
  }
  return batch;
}

/**
 * Makes the calls that are left.
 *
 * @throws {AgentLoopError} `not_waiting` when another process was faster, and what the calls of any reply throw.
 */
export async function resumeCalls(
  run: RunState,
  { batch, decision, trace }: {
    readonly batch: OpenBatch;
    readonly decision: ResumeRequest["decision"];
    readonly trace: Trace;
  },
): Promise<void> {
  const { pending, calls, lost, waitsSince } = batch;
  const claim = (step: RunStep) => claimCall(run, { step, waitsSince });
  const word = { callId: pending.callId, approve: onceFor(run, { pending, decision }) };
  await makeCalls(run, calls, { turn: 1, trace, lost, word, claim });
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
  throw notWaiting(`Another process goes on with the session ${sessionId} already.`);
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
    () => steps.lastN(sessionId, REACH),
  );
}

function notWaiting(message: string): AgentLoopError {
  return new AgentLoopError(message, { code: "not_waiting" });
}
