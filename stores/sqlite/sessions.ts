/** The row of a session, which everything that is written to the session marks as used. Each runs inside the transaction of whoever calls. */
import type { SQLInputValue } from "node:sqlite";
import type { Connection } from "./connection.ts";
import { NEW_INCARNATION } from "./migrations.ts";
import { toOptionalColumn } from "./text_column.ts";

const TOUCH = `
  INSERT INTO sessions (session_id, created_at, last_used_at, title, incarnation, last_used_step_count)
      VALUES (?1, ?2, ?2, ?3, ${NEW_INCARNATION}, (SELECT coalesce(max(step_index) + 1, 0) FROM steps WHERE session_id = ?1) + ?4)
    ON CONFLICT (session_id) DO UPDATE SET
      last_used_at = excluded.last_used_at,
      last_used_step_count = excluded.last_used_step_count,
      title = coalesce(title, excluded.title)
    RETURNING incarnation, last_used_step_count`;

/** How a session is used. */
export interface SessionUse {
  /** Now, in ms since 1970. */
  readonly now: number;
  /** Its title, unless it has one. */
  readonly title?: string | undefined;
  /** How many steps are about to be added. @default 0 */
  readonly newSteps?: number;
}

/** A session that was marked as used. */
export interface UsedSession {
  /** A number of its own: another session of the same id has another one. */
  readonly incarnation: number;
  /** How many steps it has, the new ones among them. */
  readonly stepCount: number;
}

/** Marks a session as used, making it if need be. */
export function touchSession(
  connection: Connection,
  id: SQLInputValue,
  { now, title, newSteps = 0 }: SessionUse,
): UsedSession {
  const row = connection.statement(TOUCH).get(id, now, toOptionalColumn(title), newSteps);
  return { incarnation: Number(row?.incarnation), stepCount: Number(row?.last_used_step_count) };
}
