/** The rows of steps. */
import type { SQLInputValue } from "node:sqlite";
import type { RunStep } from "../../contracts/step.ts";
import type { Connection } from "./connection.ts";
import { STEP_COLUMNS, stepColumns, stepOf } from "./rows.ts";

const INSERT = `
  INSERT INTO steps (session_id, step_index, run_id, step_type, duration_ms, prompt_tokens, completion_tokens, created_at, tool_args, content)
    VALUES `;
const ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/** Rows of one statement at most: as many as a turn mostly has. */
const MAX_ROWS = 4;
/** The statements, by their number of rows; made when first asked for. */
const inserts: string[] = [];

const LAST_STEPS =
  `SELECT ${STEP_COLUMNS} FROM steps WHERE session_id = ? ORDER BY step_index DESC LIMIT ?`;

/** Inserts steps of one session, whose id is given as its column. */
export function insertSteps(
  connection: Connection,
  id: SQLInputValue,
  steps: readonly RunStep[],
): void {
  for (let from = 0; from < steps.length; from += MAX_ROWS) {
    const rows = steps.slice(from, from + MAX_ROWS);
    const sql = inserts[rows.length] ??= INSERT + rows.map(() => ROW).join(", ");
    connection.statement(sql).run(...rows.flatMap((step) => stepColumns(id, step)));
  }
}

/** The last steps of a session, oldest first. */
export function selectLastSteps(
  connection: Connection,
  sessionId: string,
  { id, limit }: { readonly id: SQLInputValue; readonly limit: SQLInputValue },
): RunStep[] {
  const rows = connection.rows(LAST_STEPS, id, limit);
  return rows.reverse().map((columns) => stepOf(sessionId, columns));
}
