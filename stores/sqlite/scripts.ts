/** Scripts that wait, in the store's file. Part of `SqliteStore`, whose connection it uses. A claim is checked in the transaction that writes. */
import type {
  JournalCall,
  KeptScript,
  ScriptClaim,
  ScriptJournal,
} from "../../contracts/script_journal.ts";
import { checkedCall, checkedClaim, checkedKeptScript, checkedScript } from "../script_input.ts";
import { checkedSessionId } from "../step_input.ts";
import type { Connection } from "./connection.ts";
import { touchSession } from "./sessions.ts";
import { textOf, toColumn } from "./text_column.ts";

const HOLDS = "SELECT 1 FROM waiting_scripts WHERE session_id = ? AND step_index = ? AND claim = ?";
const INSERT =
  "INSERT INTO waiting_scripts (session_id, step_index, claim, script) VALUES (?, ?, ?, ?)";
const INSERT_CALL = `
  INSERT INTO waiting_calls (session_id, position, call) VALUES (?, ?, ?)
    ON CONFLICT (session_id, position) DO UPDATE SET call = excluded.call`;
// One statement, so that script and calls are of one moment.
const SELECT = `
  SELECT step_index, claim, script FROM waiting_scripts WHERE session_id = ?1
  UNION ALL
  SELECT * FROM (SELECT position, NULL, call FROM waiting_calls WHERE session_id = ?1 ORDER BY position)`;
const CLAIM = `
  UPDATE waiting_scripts SET claim = claim + 1
    WHERE session_id = ? AND step_index = ? AND claim = ?`;
const DELETE = "DELETE FROM waiting_scripts WHERE session_id = ?";
const DELETE_ONE = "DELETE FROM waiting_scripts WHERE session_id = ? AND step_index = ?";

/** Keeps scripts that wait in a store's file. */
export class SqliteScripts implements ScriptJournal {
  readonly #connection: Connection;
  readonly #now: () => Date;

  /** Uses a connection that somebody else owns. */
  constructor(connection: Connection, now: () => Date) {
    this.#connection = connection;
    this.#now = now;
  }

  /** Keeps a script; with a claim only where it is kept under it. */
  // deno-lint-ignore require-await -- a bad argument is to reject, not to throw
  async keep(script: KeptScript): Promise<boolean> {
    const checked = checkedKeptScript(script);
    const { stepIndex, claim, json, calls } = checked;
    const id = toColumn(checked.sessionId);
    return this.#connection.write("keep a script that waits", () => {
      if (claim > 0 && !this.#holds(checked)) return false;
      touchSession(this.#connection, id, { now: this.#now().getTime() });
      this.#connection.statement(DELETE).run(id);
      this.#connection.statement(INSERT).run(id, stepIndex, claim, toColumn(json));
      const insert = this.#connection.statement(INSERT_CALL);
      for (const call of calls) insert.run(id, call.position, toColumn(call.json));
      return true;
    });
  }

  /** The script of a session. */
  // deno-lint-ignore require-await -- see keep
  async kept(sessionId: string): Promise<KeptScript | undefined> {
    const id = checkedSessionId(sessionId);
    return this.#connection.read("read a script that waits", () => {
      const [script, ...calls] = this.#connection.rows(SELECT, toColumn(id));
      if (script === undefined) return undefined;
      const [stepIndex, claim, json] = script;
      return {
        sessionId: id,
        stepIndex: Number(stepIndex),
        claim: Number(claim),
        json: textOf(json),
        calls: calls.map(([position, _, call]) => ({
          position: Number(position),
          json: textOf(call),
        })),
      };
    });
  }

  /** Takes a script on. */
  // deno-lint-ignore require-await -- see keep
  async claim(script: ScriptClaim): Promise<boolean> {
    const { sessionId, stepIndex, claim } = checkedClaim(script);
    return this.#connection.write("go on with a script that waits", () => {
      const { changes } = this.#connection.statement(CLAIM)
        .run(toColumn(sessionId), stepIndex, claim);
      return Number(changes) > 0;
    });
  }

  /** Keeps a call. */
  // deno-lint-ignore require-await -- see keep
  async keepCall(script: ScriptClaim, call: JournalCall): Promise<boolean> {
    const claim = checkedClaim(script);
    const { position, json } = checkedCall(call);
    return this.#connection.write("keep a call of a script", () => {
      if (!this.#holds(claim)) return false;
      this.#connection.statement(INSERT_CALL)
        .run(toColumn(claim.sessionId), position, toColumn(json));
      return true;
    });
  }

  /** Forgets a script, its bytes in the file too. */
  // deno-lint-ignore require-await -- see keep
  async drop(script: Pick<ScriptClaim, "sessionId" | "stepIndex">): Promise<void> {
    const { sessionId, stepIndex } = checkedScript(script);
    return this.#connection.write("forget a script", () => {
      this.#connection.statement(DELETE_ONE).run(toColumn(sessionId), stepIndex);
    });
  }

  #holds({ sessionId, stepIndex, claim }: ScriptClaim): boolean {
    const row = this.#connection.statement(HOLDS).get(toColumn(sessionId), stepIndex, claim);
    return row !== undefined;
  }
}
