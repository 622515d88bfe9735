/** The audit log's statements. Each runs inside the transaction or read of whoever calls. */
import type { SQLOutputValue } from "node:sqlite";
import type {
  CallDecision,
  CallEnded,
  CallRow,
  CallRowOutcome,
  CallStart,
} from "../../contracts/call_log.ts";
import type { Connection } from "./connection.ts";
import { optionalTextOf, textOf, toColumn, toOptionalColumn } from "./text_column.ts";

const INSERT = `
  INSERT INTO calls (session_id, run_id, turn, sequence, name, target, args, decision, started_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const COMPLETE =
  "UPDATE calls SET outcome = ?, duration_ms = ?, result_bytes = ?, error = ? WHERE call_id = ?";

const COLUMNS =
  "call_id, run_id, turn, sequence, name, target, args, decision, started_at, outcome, duration_ms, result_bytes, error";

const SELECT_LAST = `
  SELECT ${COLUMNS}
    FROM calls WHERE session_id = ?1 AND (?2 IS NULL OR run_id = ?2) ORDER BY call_id DESC LIMIT +?3`;

const SELECT_AFTER = `
  SELECT ${COLUMNS}
    FROM calls WHERE session_id = ?1 AND (?2 IS NULL OR run_id = ?2) AND call_id > ?4 ORDER BY call_id LIMIT +?3`;

/** Inserts the row of a call that starts and gives its id. */
export function insertCall(connection: Connection, call: CallStart): number {
  const { lastInsertRowid } = connection.statement(INSERT).run(
    toColumn(call.sessionId),
    toColumn(call.runId),
    call.turn,
    call.sequence,
    toColumn(call.name),
    toOptionalColumn(call.target),
    toColumn(call.argsJson),
    toColumn(call.decision),
    call.startedAt.getTime(),
  );
  return Number(lastInsertRowid);
}

/** Completes a row; nothing happens for an id that is not there. */
export function completeCall(connection: Connection, id: number, ended: CallEnded): void {
  connection.statement(COMPLETE).run(
    toColumn(ended.outcome),
    ended.durationMs,
    ended.resultBytes,
    toOptionalColumn(ended.error),
    id,
  );
}

/** The last `limit` rows of a session (below zero for all), oldest first; with `after` the first ones behind that row. */
export function selectCalls(
  connection: Connection,
  sessionId: string,
  options: {
    readonly limit: number;
    readonly runId: string | undefined;
    readonly after: number | undefined;
  },
): CallRow[] {
  const { limit, after } = options;
  const wanted = [toColumn(sessionId), toOptionalColumn(options.runId), limit] as const;
  const rows = after === undefined
    ? connection.rows(SELECT_LAST, ...wanted).reverse()
    : connection.rows(SELECT_AFTER, ...wanted, after);
  return rows.map((columns) => callOf(sessionId, columns));
}

function callOf(sessionId: string, columns: readonly SQLOutputValue[]): CallRow {
  const target = optionalTextOf(columns[5]);
  const outcome = optionalTextOf(columns[9]);
  const error = optionalTextOf(columns[12]);
  return {
    id: columns[0] as number,
    sessionId,
    runId: textOf(columns[1]),
    turn: columns[2] as number,
    sequence: columns[3] as number,
    name: textOf(columns[4]),
    ...(target === undefined ? {} : { target }),
    argsJson: textOf(columns[6]),
    decision: textOf(columns[7]) as CallDecision,
    startedAt: new Date(columns[8] as number),
    ...(outcome === undefined ? {} : {
      outcome: outcome as CallRowOutcome,
      durationMs: columns[10] as number,
      resultBytes: columns[11] as number,
    }),
    ...(error === undefined ? {} : { error }),
  };
}
