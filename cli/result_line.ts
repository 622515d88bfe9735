/**
 * The last line of stdout in JSON mode: one object that says how the command ended, also when it failed.
 */
import type { PendingApproval } from "../contracts/approval.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { TokenUsage } from "../contracts/model.ts";
import type { Outcome } from "./command.ts";
import { RESULT_BASE } from "./result_base.ts";

/**
 * The result as an object with the same keys for every command and every end; what there is not is `null`. A failure's `error` has `type` and `message`.
 */
export function resultLine(outcome: Outcome, durationMs: number): JsonValue {
  const { run, failure } = outcome;
  return {
    ...RESULT_BASE,
    status: outcome.status,
    text: outcome.text ?? "",
    reason: outcome.reason ?? null,
    error: failure === undefined ? null : { type: failure.type, message: failure.message },
    forced: run?.forced ?? false,
    flagged: run?.flagged ?? false,
    pending: run?.pending === undefined ? null : pendingFields(run.pending),
    session_id: run?.sessionId ?? null,
    run_id: run?.runId ?? null,
    steps: run?.steps ?? 0,
    tokens: tokenFields(run?.tokens ?? { prompt: 0, completion: 0 }),
    spent: {
      tokens: run?.spent?.tokens ?? 0,
      cost: run?.spent?.cost ?? 0,
      host_calls: run?.spent?.hostCalls ?? 0,
    },
    data_bytes_carried: run?.dataBytesCarried ?? 0,
    duration_ms: Math.round(durationMs),
    exit_code: outcome.exitCode,
    ...outcome.extra,
  };
}

/** A call that waits, as it leaves the process. */
export function pendingFields(
  { callId, name, target, args, reason }: PendingApproval,
): { readonly [key: string]: JsonValue } {
  return { call_id: callId, name, target: target ?? null, args: [...args], reason };
}

/** Token counts as they leave the process; what the provider does not tell is left out. */
export function tokenFields(tokens: TokenUsage): JsonValue {
  return {
    prompt: tokens.prompt,
    completion: tokens.completion,
    ...(tokens.cached === undefined ? {} : { cached: tokens.cached }),
    ...(tokens.reasoning === undefined ? {} : { reasoning: tokens.reasoning }),
  };
}
