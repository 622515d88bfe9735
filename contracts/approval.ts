/**
 * Asking a person whether a call may happen. One callback serves scripts and named tool calls alike.
 */
import type { JsonValue } from "./json.ts";
import type { Scope } from "./scope.ts";

/** What a person is asked. */
export interface ApprovalRequest {
  /** The function that is to be called. */
  readonly name: string;
  /** What the call is aimed at, where the function names it. */
  readonly target?: string;
  /** The arguments as the script gave them. */
  readonly args: readonly JsonValue[];
  /** What the call would do, where the function can show it: lines of text, such as a unified diff. Not bounded, and not cleaned of control characters. */
  readonly preview?: string;
  /** Why it is asked: the policy's words. */
  readonly reason: string;
  /** The run that asks. */
  readonly runId: string;
  /** The session that asks. */
  readonly sessionId: string;
  /** The tenant, if the run has one. */
  readonly scope?: Scope;
  /** Ends when the call does: nobody waits for the word any more. */
  readonly signal: AbortSignal;
}

/**
 * A person's word on a call. Changed arguments are what the call then runs with, and the model is told. `wait` is no word yet: the run ends there with the status
 * `waiting`, and goes on with `Loop.resume`, here or in another process. Calls of a script that are under way then come to their end first. `wait` is a refusal
 * where a script has fetched more than can be kept (8 MiB), where the session store keeps no scripts (`SessionStore.scripts`), and for what a call only comes to
 * while it runs, such as the host that a redirect names.
 */
export type ApprovalDecision =
  | { readonly decision: "approve"; readonly args?: readonly JsonValue[] }
  | { readonly decision: "deny"; readonly reason?: string }
  | { readonly decision: "wait" };

/** A call that waits for a person's word, as the trace keeps it. */
export interface PendingApproval {
  /** The call's id: the model's own where it calls tools by name, `js_STEP_POSITION` for a call of a script. */
  readonly callId: string;
  /** The function that is to be called. */
  readonly name: string;
  /** What the call is aimed at, where the function names it. */
  readonly target?: string;
  /** Its arguments. */
  readonly args: readonly JsonValue[];
  /** Why it is asked. */
  readonly reason: string;
}

/** Asks a person. May take as long as it takes: its time counts to no limit. When it throws, the call is refused. */
export type Approve = (request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>;
