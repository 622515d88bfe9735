/**
 * The audit rows of the gate: one is written before a function runs and completed after it. What cannot be written down does not happen;
 * a row that cannot be completed stays as one that never ended, with a warning.
 */
import type { CallDecision, CallLog, CallRowOutcome } from "../contracts/call_log.ts";
import type { CallAim } from "../contracts/policy.ts";
import { cleanError } from "./clean_error.ts";
import { toAgentLoopError } from "./failure.ts";
import { isWebPort } from "./host_list.ts";
import {
  type AuditRow,
  type CallEnd,
  type CallOutcome,
  cancelled,
  fail,
  type GateOptions,
  type Passage,
} from "./passage.ts";
import { RefusedError } from "./refused_error.ts";

/**
 * Writes the row of a call as it is made: with the arguments that the function gets, and their target.
 *
 * @throws {AgentLoopError} `store_failed` when it cannot be written: the call must not happen then.
 */
export async function openRow(
  passage: Passage,
  { decision, calls }: { readonly decision: CallDecision; readonly calls: CallLog },
  options: GateOptions,
): Promise<AuditRow> {
  const { now, sessionId, runId, turn } = options;
  const startedAt = now();
  try {
    const id = await calls.startCall({
      sessionId,
      runId,
      turn,
      sequence: passage.call.sequence,
      name: passage.call.name,
      ...(passage.aim === undefined ? {} : { target: passage.aim.target }),
      argsJson: decision === "changed" ? JSON.stringify(passage.args) : passage.call.argsJson,
      decision,
      startedAt,
    });
    return { aim: passage.aim, close: (end) => closeRow({ id, calls, startedAt }, end, options) };
  } catch (cause) {
    throw toAgentLoopError(cause, {
      doing: `write down the call of ${passage.call.name}`,
      code: "store_failed",
    });
  }
}

/**
 * Writes a row of its own for what a call came to on its way: another aim than its own, or the word of a person who was asked only then. It ends with the call; one of a
 * refusal at once.
 *
 * @throws {RefusedError} when it cannot be written, for what is not written down does not happen; and when the call has ended meanwhile.
 */
export async function writeFurther(
  passage: Passage,
  { aim, decision }: { readonly aim: CallAim; readonly decision: CallDecision },
  options: GateOptions,
): Promise<void> {
  const { calls } = options;
  const isKnown = [passage, ...passage.further].some((one) => isSameAim(one.aim, aim));
  if (calls === undefined || (isKnown && decision !== "approved")) return;
  const { call: { name }, life, further } = passage;
  const row = await openRow({ ...passage, aim }, { decision, calls }, options).catch((error) => {
    throw new RefusedError(unwritten(error));
  });
  if (decision === "denied") return await row.close(fail("refused", "the call was refused there"));
  if (!life.signal.aborted) return void further.push(row);
  await row.close(cancelled(name));
  throw new RefusedError(cancelled(name));
}

/** The end of a call that could not be written down. */
export function unwritten(error: unknown): CallEnd {
  return fail("refused", cleanError(error).message, { name: "PermissionError" });
}

/** Servers lead from one port of the web to the other. */
function isSameAim(one: CallAim | undefined, other: CallAim): boolean {
  if (one?.target !== other.target) return false;
  return one.port === other.port || (isWebPort(one.port) && isWebPort(other.port));
}

async function closeRow(
  { id, calls, startedAt }: {
    readonly id: number;
    readonly calls: CallLog;
    readonly startedAt: Date;
  },
  end: CallEnd,
  { now, emit }: GateOptions,
): Promise<void> {
  const { reply } = end;
  try {
    await calls.endCall(id, {
      outcome: ROW_OUTCOMES[end.outcome],
      durationMs: Math.max(0, now().getTime() - startedAt.getTime()),
      resultBytes: end.resultBytes ?? 0,
      ...(reply.ok ? {} : { error: reply.message }),
    });
  } catch (cause) {
    const { message } = toAgentLoopError(cause, {
      doing: "complete the row of a call",
      code: "store_failed",
    });
    emit({ type: "warning", content: message });
  }
}

/** How a row names the ways in which a call ends. */
const ROW_OUTCOMES: Readonly<Record<CallOutcome, CallRowOutcome>> = {
  ok: "ok",
  error: "error",
  timeout: "timeout",
  cancelled: "cancelled",
  refused: "refused",
  quota: "refused",
  unknown: "refused",
  bad_arguments: "refused",
  not_json: "result",
  too_large: "result",
};
