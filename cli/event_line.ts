/**
 * Events as they leave the process: the same fields under snake_case names. What is inside `args` belongs to scripts and packs and is not touched.
 */
import type { RunEvent, RunSummary } from "../contracts/event.ts";
import type { JsonValue } from "../contracts/json.ts";
import { tokenFields } from "./result_line.ts";

/** One event as the object of one JSON line; `type` first, ids last. */
export function eventLine(event: RunEvent): JsonValue {
  const { type, runId, sessionId, agent } = event;
  return {
    type,
    ...fieldsOf(event),
    ...(agent === undefined ? {} : { agent }),
    run_id: runId,
    session_id: sessionId,
  };
}

function fieldsOf(event: RunEvent): { readonly [key: string]: JsonValue } {
  switch (event.type) {
    case "user":
    case "response_chunk":
    case "execute_js":
    case "warning":
      return { content: event.content };
    case "turn_start":
      return { turn: event.turn };
    case "response_discarded":
      return {};
    case "execute_js_result":
      return {
        content: event.content,
        ok: event.ok,
        duration_ms: event.durationMs,
        tokens: tokenFields(event.tokens),
      };
    case "llm_call":
      return {
        content: event.content,
        calls: event.calls,
        tokens: tokenFields(event.tokens),
      };
    case "tool_result":
      return {
        args: event.args,
        content: event.content,
        ok: event.ok,
        duration_ms: event.durationMs,
      };
    case "approval_pending": {
      const { callId, ...approval } = event.approval;
      return { approval: { call_id: callId, ...approval } };
    }
    case "tool_call":
    case "tools_discovered":
    case "sandbox_event":
    case "data_update":
    case "compacted":
    case "budget_trimmed":
      return { args: event.args };
    case "response":
      return {
        content: event.content,
        tokens: tokenFields(event.tokens),
        ...(event.forced === undefined ? {} : { forced: event.forced }),
        ...(event.flagged === undefined ? {} : { flagged: event.flagged }),
      };
    case "answer_held_back":
    case "answer_flagged":
      return { content: event.content, claims: [...event.claims] };
    case "error":
      return { content: event.content, code: event.code };
    case "done":
      return { summary: summaryFields(event.summary) };
  }
}

function summaryFields(summary: RunSummary): JsonValue {
  return {
    session_id: summary.sessionId,
    run_id: summary.runId,
    status: summary.status,
    ...(summary.reason === undefined ? {} : { reason: summary.reason }),
    steps: summary.steps,
    tool_calls: summary.toolCalls,
    duration_ms: summary.durationMs,
    tokens: tokenFields(summary.tokens),
    data_bytes_carried: summary.dataBytesCarried,
  };
}
