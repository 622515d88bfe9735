/** The row of a session, which everything that is written to the session marks as used. Each runs inside the transaction of whoever calls. */
import type { SQLInputValue } from "node:sqlite";
import type { Connection } from "./connection.ts";
import { toOptionalColumn } from "./text_column.ts";

const TOUCH = `
  INSERT INTO sessions (session_id, created_at, last_used_at, title, incarnation) VALUES (?1, ?2, ?2, ?3, random() >> 11)
    ON CONFLICT (session_id) DO UPDATE SET
      last_used_at = excluded.last_used_at,
      title = coalesce(title, excluded.title)
    RETURNING incarnation`;

/** How a session is used. */
export interface SessionUse {
  /** Now, in ms since 1970. */
  readonly now: number;
  /** Its title, unless it has one. */
  readonly title?: string | undefined;
}

/** Marks a session as used, making it if need be, and gives its incarnation: another session of the same id has another one. */
export function touchSession(
  connection: Connection,
  id: SQLInputValue,
  { now, title }: SessionUse,
): number {
  const row = connection.statement(TOUCH).get(id, now, toOptionalColumn(title));
  return Number(row?.incarnation);
}
