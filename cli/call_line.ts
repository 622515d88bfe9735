/**
 * One call of a session, as a line for people and as the object of a JSON line. Pure. Whoever shows it has taken the secrets out first: what is shortened here could
 * hold half of one.
 */
import type { CallRow } from "../contracts/call_log.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { TextRedactor } from "../contracts/redaction.ts";
import { redactJsonText } from "../redact/redact_json.ts";
import { escapeUnseen } from "./approval/approval_text.ts";
import { oneLine } from "./terminal_text.ts";
import { formatBytes, formatDuration } from "./units.ts";

/** What stands for the outcome of a call that has none: its program died, or is still at it. */
const NEVER_ENDED = "never ended";

/** JSON of fewer bytes cannot be nested so deep that it could not be written. */
const SAFE_LENGTH = 2_000;

/** A row without secrets. */
export function redactCall(call: CallRow, redactor: TextRedactor): CallRow {
  const { target, error } = call;
  return {
    ...call,
    name: redactor.redact(call.name),
    argsJson: redactJsonText(call.argsJson, redactor),
    ...(target === undefined ? {} : { target: redactor.redact(target) }),
    ...(error === undefined ? {} : { error: redactor.redact(error) }),
  };
}

/** A call as the object of a JSON line: the same keys whether or not it ended. */
export function callLine(call: CallRow): { readonly [key: string]: JsonValue } {
  return {
    type: "call",
    call_id: call.id,
    run_id: call.runId,
    turn: call.turn,
    sequence: call.sequence,
    name: call.name,
    target: call.target ?? null,
    args: argumentsOf(call.argsJson),
    decision: call.decision,
    outcome: call.outcome ?? null,
    duration_ms: call.durationMs ?? null,
    result_bytes: call.resultBytes ?? null,
    error: call.error ?? null,
    started_at: call.startedAt.toISOString(),
  };
}

/** The arguments as a value; as text where they are none, or could not be written as JSON again. */
function argumentsOf(json: string): JsonValue {
  try {
    const value = JSON.parse(json);
    if (json.length > SAFE_LENGTH) JSON.stringify(value);
    return value;
  } catch {
    return json;
  }
}

/** What was called, what was decided and what came of it, on one line fit to be shown. */
export function callText(call: CallRow): string {
  const { target, outcome, durationMs = 0, resultBytes = 0, error } = call;
  const aim = target === undefined ? "" : ` ${shownText(target, 100)}`;
  const facts = [
    shownText(call.decision, 20),
    outcome === undefined ? NEVER_ENDED : shownText(outcome, 20),
    ...(durationMs > 0 ? [formatDuration(durationMs)] : []),
    ...(resultBytes > 0 ? [formatBytes(resultBytes)] : []),
    ...(error === undefined ? [] : [shownText(error, 200)]),
  ];
  return `${shownText(call.name, 100)}${aim}: ${facts.join(", ")}`;
}

/** The arguments on one line of so many columns, fit to be shown. */
export function argumentsText({ argsJson }: CallRow, maxWidth: number): string {
  return shownText(argsJson, maxWidth);
}

/** A text on one line of so many columns. Nothing in it is hidden: of two hosts that look alike only one was called. */
export function shownText(text: string, maxWidth: number): string {
  // Cut roughly first, as `oneLine` does, so that megabytes are not scanned for a line.
  return oneLine(escapeUnseen(text.slice(0, maxWidth * 8 + 64)), maxWidth);
}
