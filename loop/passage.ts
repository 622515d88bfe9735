/** A call on its way through the gate: what the stations pass on to each other, and how a call ends. */
import type { Approve, PendingApproval } from "../contracts/approval.ts";
import type { CallLog } from "../contracts/call_log.ts";
import type { RunEventBody } from "../contracts/event.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { TokenUsage } from "../contracts/model.ts";
import type { CallAim, PolicyChecker } from "../contracts/policy.ts";
import type {
  CallContext,
  HostCall,
  HostFunction,
  HostReply,
  SandboxLimits,
} from "../contracts/sandbox.ts";
import type { Scope } from "../contracts/scope.ts";
import type { SecretSource } from "../contracts/secret.ts";
import type { CallLife } from "./call_life.ts";
import type { RunSecrets } from "./run_secrets.ts";

/** What a gate is made of: one for a run. */
export interface GateOptions {
  /** What scripts can call. */
  readonly functions: ReadonlyMap<string, HostFunction>;
  /** The limits in force. */
  readonly limits: SandboxLimits;
  /** Decides over calls. */
  readonly policy: PolicyChecker;
  /** Ends with the run. */
  readonly signal: AbortSignal;
  /** The run that calls. */
  readonly runId: string;
  /** The session that calls. */
  readonly sessionId: string;
  /** The tenant. */
  readonly scope?: Scope | undefined;
  /** The invoking user. */
  readonly userId?: string | undefined;
  /** Tells the run's listeners something. */
  readonly emit: (event: RunEventBody) => void;
  /** The clock, for durations. */
  readonly now: () => Date;
  /** The turn whose calls pass, from 1. */
  readonly turn: number;
  /** Asks a person. */
  readonly approve?: Approve | undefined;
  /** Whether a person is asked about every call. */
  readonly approveAll: boolean;
  /** Keeps the audit rows. */
  readonly calls?: CallLog | undefined;
  /** Tells the model something beside the script's own outcome. */
  readonly note: (text: string) => void;
  /** Sets aside what a function's model call takes at most. */
  readonly reserve: CallContext["reserve"];
  /** Counts tokens that a function spent. */
  readonly spend: (tokens: TokenUsage) => void;
  /** Where secrets come from, and where the run keeps what it learns of them; absent where there are none. */
  readonly secrets?: { readonly source: SecretSource; readonly kept: RunSecrets } | undefined;
  /** Takes a call on which there is no word yet, or gives the reason why it cannot wait for one; without it such a call is refused. */
  readonly wait?:
    | ((pending: Omit<PendingApproval, "callId">, call: HostCall) => string | undefined)
    | undefined;
  /** Told of a call that was decided on, before anything comes of that; with false nothing does. Does not throw. */
  readonly begin?: ((call: HostCall) => Promise<boolean>) | undefined;
  /** Takes secrets out of a text. */
  readonly redact: CallContext["redact"];
  /** Stops the run's wall time until it is disposed. */
  readonly pauseWall: () => Disposable;
}

/** How a call ended, as its event tells it. */
export type CallOutcome =
  | "ok"
  | "error"
  | "timeout"
  | "cancelled"
  | "refused"
  | "quota"
  | "unknown"
  | "bad_arguments"
  | "not_json"
  | "too_large";

/** The end of a call: what the script gets, and what listeners are told. */
export interface CallEnd {
  readonly outcome: CallOutcome;
  readonly reply: HostReply;
  /** Size of the result's JSON; nothing when there is none. */
  readonly resultBytes?: number;
}

/** An open row of the audit log. */
export interface AuditRow {
  /** What it is aimed at. */
  readonly aim: CallAim | undefined;
  /** Completes the row. */
  close(end: CallEnd): Promise<void>;
}

/** A call that may be decided over: its function is there and its arguments could be read. */
export interface Passage {
  readonly call: HostCall;
  readonly hostFunction: HostFunction;
  readonly args: readonly JsonValue[];
  /** What it is aimed at, where that can be told. */
  readonly aim?: CallAim;
  /** What a person has approved for this call, as `agreedOn` gives it. */
  readonly approved: Set<string>;
  /** Rows of what it came to on its way; they end with it. */
  readonly further: AuditRow[];
  /** Ends with the script or the run. */
  readonly life: CallLife;
  /** Whether it came to wait for a person's word. */
  readonly state: { waits: boolean };
}

/** A call that ends here. */
export function fail(
  outcome: CallOutcome,
  message: string,
  { name }: { readonly name?: string } = {},
): CallEnd {
  return { outcome, reply: { ok: false, ...(name === undefined ? {} : { name }), message } };
}

/** The refusal of a call, or of an aim that it came to: an error that tells the script not to try again. */
export function refused(name: string, aim: CallAim | undefined, reason: string): CallEnd {
  const at = aim === undefined ? "" : ` (${shown(aim.target)})`;
  return fail("refused", `${name}${at} is refused: ${reason}. Do not try it again in this run.`, {
    name: "PermissionError",
  });
}

/** A text of the script's own, short enough to stand in a message. */
export function shown(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100).toWellFormed()}…`;
}

/** A call that ends because its script or its run does. */
export function cancelled(name: string): CallEnd {
  return fail("cancelled", `${name} was ended with the script`, { name: "AbortError" });
}
