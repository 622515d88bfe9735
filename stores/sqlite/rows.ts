/** Rows of the database as the values that callers get. Pure. */
import type { SQLOutputValue } from "node:sqlite";
import type { RunStatus, Session, SessionListing } from "../../contracts/session.ts";
import type { RunStep, StepType } from "../../contracts/step.ts";
import { optionalTextOf, textOf } from "./text_column.ts";

/** A row as the runtime reads it. */
export type Row = Record<string, SQLOutputValue>;

/** A session; without a row, the shell of one. */
export function sessionOf(id: string, row: Row | undefined): Session {
  const model = optionalTextOf(row?.model);
  const systemPrompt = optionalTextOf(row?.system_prompt);
  const messageId = optionalTextOf(row?.message_id);
  const data = optionalTextOf(row?.data);
  return {
    id,
    ...(model === undefined ? {} : { model }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(data === undefined ? {} : { data }),
    ...(messageId === undefined ? {} : { messageId }),
  };
}

/** A step of a session. */
export function stepOf(sessionId: string, row: Row): RunStep {
  const toolArgs = optionalTextOf(row.tool_args);
  return {
    sessionId,
    stepIndex: Number(row.step_index),
    runId: textOf(row.run_id),
    stepType: textOf(row.step_type) as StepType,
    content: textOf(row.content),
    ...(toolArgs === undefined ? {} : { toolArgs }),
    durationMs: Number(row.duration_ms),
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    createdAt: new Date(Number(row.created_at)),
  };
}

/** A line of a listing. */
export function listingOf(row: Row): SessionListing {
  const status = optionalTextOf(row.status);
  return {
    id: textOf(row.session_id),
    title: textOf(row.title),
    createdAt: new Date(Number(row.created_at)),
    lastUsedAt: new Date(Number(row.last_used_at)),
    ...(status === undefined ? {} : { status: status as RunStatus }),
    stepCount: Number(row.step_count),
    runCount: Number(row.run_count),
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
  };
}
