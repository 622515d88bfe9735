/**
 * What a run tells while it goes on. One flat union; names and fields are pinned by a test, since programs switch on them.
 */
import type { PendingApproval } from "./approval.ts";
import type { ErrorCode } from "./errors.ts";
import type { JsonValue } from "./json.ts";
import type { RunStatus } from "./session.ts";

/** Tokens of the one model call behind an event. */
export interface CallTokens {
  /** Prompt tokens. */
  readonly prompt: number;
  /** Completion tokens. */
  readonly completion: number;
  /** Prompt tokens that the provider's cache served, where it tells. */
  readonly cached?: number;
}

/** The figures of a whole run; the payload of the last event. */
export interface RunSummary {
  /** The session that the run extended. */
  readonly sessionId: string;
  /** The run. */
  readonly runId: string;
  /** How it ended. */
  readonly status: RunStatus;
  /** More about the end, where there is more. */
  readonly reason?: string;
  /** Steps that the run appended. */
  readonly steps: number;
  /** Calls that the run made, refused ones too; one that waits counts where it is decided on. */
  readonly toolCalls: number;
  /** How long the run took, in ms. */
  readonly durationMs: number;
  /** Tokens of the run. */
  readonly tokens: CallTokens;
  /** Bytes of working state withheld from prompts, net of the digests sent, summed over the model calls. */
  readonly dataBytesCarried: number;
}

/** What every event carries. */
export interface RunEventBase {
  /** The run that emits. */
  readonly runId: string;
  /** The session it extends. */
  readonly sessionId: string;
  /** The agent's name, where the loop or the request gives one. */
  readonly agent?: string;
}

/**
 * One emission of a run, told apart by `type`:
 *
 * - `user` the message was stored; `content`
 * - `turn_start` a model call begins; `turn` counts from 1
 * - `response_chunk` streamed text of what may be the answer; `content`
 * - `response_discarded` the chunks since the last `turn_start` were not the answer (code followed, or the reply started anew)
 * - `execute_js` the model sent a script; `content` is its source
 * - `execute_js_result` the script ended; `content` is the observation, `ok` whether it ended without a failure
 * - `llm_call` the model replied with calls of tools; `content` is what it said beside them, `calls` how many there are
 * - `tool_call` a tool is about to be called; `args` (`id`, `name`, `arguments` as the model wrote them)
 * - `tool_result` the call ended; `content` is what the model is told, `ok` whether the tool gave a result
 * - `approval_pending` the run ends at a call that waits for a person's word; `approval`
 * - `tools_discovered` the model looked for tools that were not declared; `args` (what it looked for, the `found`, and the `dropped` that made room for them)
 * - `sandbox_event` something happened inside the script, or a call passed the gate; `args` (a host call: `kind`, `name`, `outcome`, `duration_ms`, …)
 * - `data_update` the carried data changed; `args` is the new value
 * - `compacted` history was summarized; `args`
 * - `budget_trimmed` old turns were left out to fit the window; `args`
 * - `response` the answer; `content`, `forced` where it was asked for when nothing else was left, `flagged` where it ends with a warning
 * - `answer_held_back` the answer was objected to and is not told; `content` is what the model was told of it, `claims` what it cannot show
 * - `answer_flagged` the model insists: the `response` before ends with `content`, which says what is wrong with it; `claims`
 * - `warning` something degraded, the run goes on; `content`
 * - `error` the run failed; `content`, `code`
 * - `done` always the last; `summary`
 */
export type RunEvent = RunEventBase & RunEventBody;

/** An event without the ids that the loop adds. */
export type RunEventBody =
  | { readonly type: "user"; readonly content: string }
  | { readonly type: "turn_start"; readonly turn: number }
  | { readonly type: "response_chunk"; readonly content: string }
  | { readonly type: "response_discarded" }
  | { readonly type: "execute_js"; readonly content: string }
  | {
    readonly type: "execute_js_result";
    readonly content: string;
    readonly ok: boolean;
    readonly durationMs: number;
    readonly tokens: CallTokens;
  }
  | {
    readonly type: "llm_call";
    readonly content: string;
    readonly calls: number;
    readonly tokens: CallTokens;
  }
  | {
    readonly type: "tool_call";
    readonly args: { readonly id: string; readonly name: string; readonly arguments: string };
  }
  | {
    readonly type: "tool_result";
    readonly args: { readonly id: string; readonly name: string };
    readonly content: string;
    readonly ok: boolean;
    readonly durationMs: number;
  }
  | { readonly type: "approval_pending"; readonly approval: PendingApproval }
  | {
    readonly type: "tools_discovered";
    readonly args: {
      readonly names: readonly string[];
      readonly query: string;
      readonly found: readonly string[];
      readonly dropped: readonly string[];
    };
  }
  | { readonly type: "sandbox_event"; readonly args: { readonly [key: string]: JsonValue } }
  | { readonly type: "data_update"; readonly args: JsonValue }
  | {
    readonly type: "compacted";
    readonly args: { readonly messages_before: number; readonly messages_after: number };
  }
  | {
    readonly type: "budget_trimmed";
    readonly args: {
      readonly messages_dropped: number;
      readonly estimated_tokens: number;
      readonly allowance: number;
    };
  }
  | {
    readonly type: "response";
    readonly content: string;
    readonly tokens: CallTokens;
    readonly forced?: boolean;
    readonly flagged?: boolean;
  }
  | {
    readonly type: "answer_held_back";
    readonly content: string;
    readonly claims: readonly string[];
  }
  | {
    readonly type: "answer_flagged";
    readonly content: string;
    readonly claims: readonly string[];
  }
  | { readonly type: "warning"; readonly content: string }
  | { readonly type: "error"; readonly content: string; readonly code: ErrorCode }
  | { readonly type: "done"; readonly summary: RunSummary };
