/** Rows of the database as the values that callers get. Pure. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { RunStatus, Session, SessionListing } from "../../contracts/session.ts";
import type { RunStep, StepType } from "../../contracts/step.ts";
import { optionalTextOf, textOf, toColumn, toOptionalColumn } from "./text_column.ts";

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

/**
 * A step of a session, from the columns of {@linkcode STEP_COLUMNS} in their order: rows that are read as arrays cost half of those that are read as objects.
 */
export function stepOf(sessionId: string, columns: readonly SQLOutputValue[]): RunStep {
  const toolArgs = columns[8];
  const step = {
    sessionId,
    stepIndex: columns[0] as number,
    runId: textOf(columns[1]),
    stepType: textOf(columns[2]) as StepType,
    content: textOf(columns[7]),
    durationMs: columns[3] as number,
    promptTokens: columns[4] as number,
    completionTokens: columns[5] as number,
    createdAt: new Date(columns[6] as number),
  };
  return toolArgs === null ? step : { ...step, toolArgs: textOf(toolArgs) };
}

/** What {@linkcode stepOf} needs of a step's row. */
export const STEP_COLUMNS =
  "step_index, run_id, step_type, duration_ms, prompt_tokens, completion_tokens, created_at, content, tool_args";

/** The columns of a new step's row, with the session's id as its column. */
export function stepColumns(id: SQLInputValue, step: RunStep): SQLInputValue[] {
  return [
    id,
    step.stepIndex,
    toColumn(step.runId),
    toColumn(step.stepType),
    step.durationMs,
    step.promptTokens,
    step.completionTokens,
    step.createdAt.getTime(),
    toOptionalColumn(step.toolArgs),
    toColumn(step.content),
  ];
}

/** A line of a listing. */
export function listingOf(row: Row): SessionListing {
  const status = optionalTextOf(row.status);
  return {
    id: textOf(row.session_id),
    title: textOf(row.title),
    createdAt: new Date(Number(row.created_at)),
    lastUsedAt: new Date(Number(row.used_at)),
    ...(status === undefined ? {} : { status: status as RunStatus }),
    stepCount: Number(row.step_count),
    runCount: Number(row.run_count),
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
  };
}

/** SQLite's LIMIT: below zero is none. */
export function toLimit(n: number): number {
  return n > Number.MAX_SAFE_INTEGER ? -1 : n;
}
