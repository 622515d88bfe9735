/** Long results in the store's file. Part of `SqliteStore`, whose connection it uses. */
import type { LongResult, ResultStore } from "../../contracts/long_result.ts";
import { checkedCallId, checkedResult } from "../result_input.ts";
import { checkedSessionId } from "../step_input.ts";
import type { Connection } from "./connection.ts";
import { textOf, toColumn } from "./text_column.ts";

const KEEP = "INSERT OR REPLACE INTO results (session_id, call_id, text) VALUES (?, ?, ?)";
const SELECT = "SELECT text FROM results WHERE session_id = ? AND call_id = ?";
const DELETE = "DELETE FROM results WHERE session_id = ?";

/** Keeps long results in a store's file. */
export class SqliteResults implements ResultStore {
  readonly #connection: Connection;

  /** Uses a connection that somebody else owns. */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Keeps a result. */
  // deno-lint-ignore require-await -- a bad argument is to reject, not to throw
  async keepResult(result: LongResult): Promise<void> {
    const { sessionId, callId, text } = checkedResult(result);
    return this.#connection.write("keep a result", () => {
      this.#connection.statement(KEEP).run(toColumn(sessionId), toColumn(callId), toColumn(text));
    });
  }

  /** The text of a result. */
  // deno-lint-ignore require-await -- see keepResult
  async readResult(sessionId: string, callId: string): Promise<string | undefined> {
    const keys = [toColumn(checkedSessionId(sessionId)), toColumn(checkedCallId(callId))] as const;
    return this.#connection.read("read a result", () => {
      const [row] = this.#connection.rows(SELECT, ...keys);
      return row === undefined ? undefined : textOf(row[0]);
    });
  }

  /** Removes the results of a session, their bytes in the file too, and gives their number. */
  // deno-lint-ignore require-await -- see keepResult
  async deleteResults(sessionId: string): Promise<number> {
    const id = checkedSessionId(sessionId);
    return this.#connection.write("delete results", () => deleteResults(this.#connection, id));
  }
}

/** Deletes the results of a session inside the transaction of whoever calls, and gives their number. */
export function deleteResults(connection: Connection, sessionId: string): number {
  return Number(connection.statement(DELETE).run(toColumn(sessionId)).changes);
}
