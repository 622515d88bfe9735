/**
 * What clients may ask for in a body: an answer to a message, or that a run which waits goes on. A field that is not known is a mistake: it would be ignored in silence.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { ResumeRequest } from "../../contracts/loop.ts";
import { Refusal } from "./refusal.ts";

/** Bounds of a run; never more than the server's own. */
export interface AskedBounds {
  /** Model calls at most. */
  readonly maxSteps?: number;
  /** Wall time in ms. */
  readonly timeoutMs?: number;
}

/** What is to be done in a session. */
export type AskedWork =
  /** Answer a message. */
  | { readonly message: string }
  /** Go on behind the call that is waited at. */
  | Pick<ResumeRequest, "decision" | "callId">;

/** What a client asks for. */
export type AskedRun = { readonly sessionId: string } & AskedBounds & AskedWork;

type Body = Readonly<Record<string, unknown>>;

/**
 * Reads `{"message", "max_steps", "timeout_ms"}`.
 *
 * @throws {Refusal} `bad_request`.
 */
export function messageIn(body: Body): AskedBounds & AskedWork {
  checkFields(body, ["message", ...BOUNDS]);
  const { message } = body;
  if (typeof message !== "string" || message.trim() === "") {
    throw new Refusal("bad_request", "message must be a text that is not empty.");
  }
  return { message: message.trim(), ...boundsIn(body) };
}

/**
 * Reads `{"decision": "approve" or "deny", "call_id", "args", "reason", "max_steps", "timeout_ms"}`.
 *
 * @throws {Refusal} `bad_request`.
 */
export function decisionIn(body: Body): AskedBounds & AskedWork {
  checkFields(body, ["decision", "call_id", "args", "reason", ...BOUNDS]);
  const { call_id } = body;
  // Without it a word could be taken for another call than the one that its client has seen.
  if (typeof call_id !== "string") {
    throw new Refusal("bad_request", "call_id must be that of the call which is waited at.");
  }
  return { decision: wordIn(body), callId: call_id, ...boundsIn(body) };
}

function wordIn({ decision, args, reason }: Body): ResumeRequest["decision"] {
  if (decision === "approve" && reason === undefined) {
    if (args === undefined) return { decision };
    // What JSON.parse gave is JSON.
    if (Array.isArray(args)) return { decision, args: args as JsonValue[] };
    throw new Refusal("bad_request", "args must be a list.");
  }
  if (decision === "deny" && args === undefined) {
    if (reason === undefined) return { decision };
    if (typeof reason === "string") return { decision, reason };
    throw new Refusal("bad_request", "reason must be a text.");
  }
  throw new Refusal(
    "bad_request",
    'decision must be "approve", which may have args, or "deny", which may have a reason.',
  );
}

const BOUNDS = ["max_steps", "timeout_ms"];

function boundsIn({ max_steps, timeout_ms }: Body): AskedBounds {
  return {
    ...(max_steps === undefined ? {} : { maxSteps: count("max_steps", max_steps) }),
    ...(timeout_ms === undefined ? {} : { timeoutMs: count("timeout_ms", timeout_ms) }),
  };
}

function count(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1) return value;
  throw new Refusal("bad_request", `${name} must be a whole number of at least 1.`);
}

function checkFields(body: Body, known: readonly string[]): void {
  const other = Object.keys(body).find((name) => !known.includes(name));
  if (other === undefined) return;
  throw new Refusal(
    "bad_request",
    `${JSON.stringify(other.slice(0, 60))} is no field; there are ${known.join(", ")}.`,
  );
}
