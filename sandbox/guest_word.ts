/** What a guest says of an execution, checked: code that broke out of the engine could say anything. */
import type {
  Execution,
  ExecutionFailure,
  FailureKind,
  SandboxLimits,
} from "../contracts/sandbox.ts";
import { printable } from "./guest/failure.ts";

/** What the host takes from a guest; it knows the calls and the clock itself. */
export type GuestWord = Pick<Execution, "failure" | "valueJson" | "logs" | "notes" | "guestMs">;

const KINDS: ReadonlySet<string> = new Set<FailureKind>([
  "time",
  "memory",
  "stack",
  "syntax",
  "threw",
  "result",
  "limit",
  "cancelled",
  "lost",
]);

const MAX_MESSAGE = 5000;
/** The line that says what was left out is not counted. */
const LOG_SLACK_BYTES = 256;
const encoder = new TextEncoder();

/** The guest's word in the form of the contract; `undefined` when it is not in that form. */
export function readGuestWord(
  said: unknown,
  valueJson: string | undefined,
  limits: SandboxLimits,
): GuestWord | undefined {
  if (typeof said !== "object" || said === null) return undefined;
  const { failure, logs, notes, guestMs } = said as Record<string, unknown>;
  if (typeof logs !== "string" || typeof guestMs !== "number") return undefined;
  if (!(guestMs >= 0 && guestMs < Infinity)) return undefined;
  if (limits.logBytes >= 0 && encoder.encode(logs).length > limits.logBytes + LOG_SLACK_BYTES) {
    return undefined;
  }
  if (!Array.isArray(notes) || notes.length > 20) return undefined;
  if (!notes.every((note) => typeof note === "string")) return undefined;
  const readable = valueJson === undefined || isJson(valueJson);
  const read = failure === undefined ? undefined : readFailure(failure);
  if (!readable || (failure !== undefined && read === undefined)) return undefined;
  return {
    ...(read && { failure: read }),
    ...(valueJson !== undefined && read === undefined && { valueJson }),
    logs,
    notes: notes.map((note) => printable(note.slice(0, MAX_MESSAGE))),
    guestMs,
  };
}

function readFailure(said: unknown): ExecutionFailure | undefined {
  if (typeof said !== "object" || said === null) return undefined;
  const { kind, message, line } = said as Record<string, unknown>;
  if (typeof kind !== "string" || !KINDS.has(kind) || typeof message !== "string") return undefined;
  const known = Number.isSafeInteger(line) ? { line: line as number } : {};
  return { kind: kind as FailureKind, message: printable(message.slice(0, MAX_MESSAGE)), ...known };
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
