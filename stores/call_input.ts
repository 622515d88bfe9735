/** The border of every audit log in this folder: checks what a caller hands in. Pure. */
import type { CallEnded, CallStart } from "../contracts/call_log.ts";
import { checkedSessionId, count, duration, optionalText, text, typeName } from "./step_input.ts";

/**
 * Checks a call that starts. The date is copied.
 *
 * @throws {TypeError} when a field is missing or of the wrong type.
 * @throws {RangeError} when a number is negative, or too large to be kept exactly.
 */
export function checkedCallStart(call: CallStart): CallStart {
  const { startedAt } = call;
  if (!(startedAt instanceof Date) || Number.isNaN(startedAt.getTime())) {
    throw new TypeError(`A call's startedAt must be a valid Date, not ${typeName(startedAt)}.`);
  }
  const target = optionalText(call.target, "A call's target");
  return {
    sessionId: checkedSessionId(call.sessionId),
    runId: text(call.runId, "A call's runId"),
    turn: count(call.turn, "A call's turn"),
    sequence: count(call.sequence, "A call's sequence"),
    name: text(call.name, "A call's name"),
    ...(target === undefined ? {} : { target }),
    argsJson: text(call.argsJson, "A call's argsJson"),
    decision: text(call.decision, "A call's decision") as CallStart["decision"],
    startedAt: new Date(startedAt),
  };
}

/**
 * Checks the end of a call.
 *
 * @throws {TypeError} when a field is missing or of the wrong type.
 * @throws {RangeError} when a number is negative, or too large to be kept exactly.
 */
export function checkedCallEnded(ended: CallEnded): CallEnded {
  const error = optionalText(ended.error, "A call's error");
  return {
    outcome: text(ended.outcome, "A call's outcome") as CallEnded["outcome"],
    durationMs: duration(ended.durationMs, "A call's durationMs"),
    resultBytes: count(ended.resultBytes, "A call's resultBytes"),
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * Checks the id of the row behind which rows are wanted.
 *
 * @throws {RangeError} when it is no whole number, or negative.
 */
export function checkedAfter(after: number | undefined): number | undefined {
  return after === undefined ? undefined : count(after, "The id of a call to read on from");
}
