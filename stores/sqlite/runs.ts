/** The statements of runs that have ended. Each runs inside the transaction of whoever calls. */
import type { FinalizeSummary } from "../../contracts/session.ts";
import type { Connection } from "./connection.ts";
import { toColumn, toOptionalColumn } from "./text_column.ts";

const INSERT = `
  INSERT INTO runs (session_id, run_id, status, reason, step_count, prompt_tokens, completion_tokens, duration_ms, data_bytes_carried, ended_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const ADD_TOTALS = `
  UPDATE sessions SET status = ?2, run_count = run_count + 1, prompt_tokens = prompt_tokens + ?3, completion_tokens = completion_tokens + ?4
    WHERE session_id = ?1 RETURNING prompt_tokens, completion_tokens`;

/** Keeps the figures of a run and adds them to the totals of its session. */
export function insertRun(
  connection: Connection,
  run: FinalizeSummary,
  { sessionId, endedAt }: { readonly sessionId: string; readonly endedAt: number },
): void {
  const id = toColumn(sessionId);
  connection.statement(INSERT).run(
    id,
    toColumn(run.runId),
    toColumn(run.status),
    toOptionalColumn(run.reason),
    run.stepCount,
    run.promptTokens,
    run.completionTokens,
    run.durationMs,
    run.dataBytesCarried,
    endedAt,
  );
  // Reading the totals back makes one that can no longer be read exactly fail here, and nothing is kept.
  connection.statement(ADD_TOTALS).get(
    id,
    toColumn(run.status),
    run.promptTokens,
    run.completionTokens,
  );
}
