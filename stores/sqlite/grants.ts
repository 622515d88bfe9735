/** The statements of grants. Each runs inside the transaction or read of whoever calls. */
import type { Grant } from "../../contracts/grant.ts";
import type { Connection } from "./connection.ts";
import { textOf, toColumn } from "./text_column.ts";

/** Stands for "every call" in the column of keys; a key is never empty. */
const EVERY_CALL = "";

const INSERT = "INSERT OR IGNORE INTO grants (session_id, name, grant_key) VALUES (?, ?, ?)";
const SELECT = "SELECT name, grant_key FROM grants WHERE session_id = ? ORDER BY rowid";
const DELETE =
  "DELETE FROM grants WHERE session_id = ?1 AND (?2 IS NULL OR name = ?2 OR grant_key = nullif(?2, ''))";

/** Adds a grant; nothing happens when it is there. */
export function insertGrant(
  connection: Connection,
  sessionId: string,
  { name, key = EVERY_CALL }: Grant,
): void {
  connection.statement(INSERT).run(toColumn(sessionId), toColumn(name), toColumn(key));
}

/** The grants of a session, oldest first. */
export function selectGrants(connection: Connection, sessionId: string): Grant[] {
  return connection.rows(SELECT, toColumn(sessionId)).map(([name, column]) => {
    const key = textOf(column);
    return { name: textOf(name), ...(key === EVERY_CALL ? {} : { key }) };
  });
}

/** Deletes grants by name or key, or all, and gives their number. */
export function deleteGrants(connection: Connection, sessionId: string, what?: string): number {
  const wanted = what === undefined ? null : toColumn(what);
  return Number(connection.statement(DELETE).run(toColumn(sessionId), wanted).changes);
}
