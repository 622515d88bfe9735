/** The rows of steps. */
import type { SQLInputValue } from "node:sqlite";
import type { RunStep } from "../../contracts/step.ts";
import { sessionTitle } from "../session_title.ts";
import type { CheckedStep } from "../step_input.ts";
import type { Connection } from "./connection.ts";
import { sqliteFailure } from "./failures.ts";
import { STEP_COLUMNS, stepColumns, stepOf } from "./rows.ts";
import { touchSession } from "./sessions.ts";
import { toColumn } from "./text_column.ts";

const INSERT = `
  INSERT INTO steps (session_id, step_index, run_id, step_type, duration_ms, prompt_tokens, completion_tokens, created_at, tool_args, content, stored_at) `;
const ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/** Holds where the session is still the one that was written to before, and so the file's rules are still those of this code too. */
const IF_AS_BEFORE = "(SELECT incarnation FROM sessions WHERE session_id = ?) = ?";

/** The limit is no bare parameter here, nor elsewhere: SQLite 3.53 prepares a statement anew each time that one is bound, which takes longer than to read a few rows. */
const LAST_STEPS =
  `SELECT ${STEP_COLUMNS} FROM steps WHERE session_id = ? ORDER BY step_index DESC LIMIT +?`;

/** Rows of one statement at most: as many as a turn mostly has. */
const MAX_ROWS = 4;
/** Sessions whose ends are known at most: about 100 KB. */
const MAX_ENDS = 1_000;

/** The end of a session's trace, as this connection left it. */
interface TraceEnd {
  /** Which session of that id it is of. When it was made does not tell: clocks stand still, and are set back. */
  readonly incarnation: number;
  /** The index of the next step. */
  readonly next: number;
}

/** Appends steps of sessions, each with the next index. */
export class StepRows {
  readonly #connection: Connection;
  readonly #ends = new Map<string, TraceEnd>();

  /** Uses a connection that somebody else owns. */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Appends steps of one session, all or none, for the connection to do in order; `now` in ms since 1970. Behind steps of its own it takes one statement: that index is free
   * unless another process appended too, which the statement tells by failing.
   */
  append(steps: readonly CheckedStep[], now: number): RunStep[] {
    const { sessionId } = steps[0]!;
    const known = this.#ends.get(sessionId);
    this.#ends.delete(sessionId);
    const appended = known && this.#appendBehind(known, steps, now);
    if (appended !== undefined) {
      this.#remember(sessionId, { ...known!, next: known!.next + steps.length });
      return appended;
    }
    const { end, numbered } = this.#connection.transaction(() => this.#appendAnew(steps, now));
    this.#remember(sessionId, end);
    return numbered;
  }

  #appendBehind(
    end: TraceEnd,
    steps: readonly CheckedStep[],
    now: number,
  ): RunStep[] | undefined {
    // The first message of the user becomes the session's title.
    if (steps.length > MAX_ROWS || steps.some(isSaid)) return undefined;
    const id = toColumn(steps[0]!.sessionId);
    const numbered = numberedFrom(end.next, steps);
    const insert = this.#connection.statement(insertBehind(steps.length));
    const values = valuesOf(id, { steps: numbered, now });
    try {
      const { changes } = insert.run(...values, id, end.incarnation);
      return Number(changes) === steps.length ? numbered : undefined;
    } catch (error) {
      if (sqliteFailure(error) === "constraint") return undefined;
      throw error;
    }
  }

  #appendAnew(
    steps: readonly CheckedStep[],
    now: number,
  ): { readonly end: TraceEnd; readonly numbered: RunStep[] } {
    const id = toColumn(steps[0]!.sessionId);
    const said = steps.find(isSaid);
    const title = said && sessionTitle(said.content);
    const newSteps = steps.length;
    const session = touchSession(this.#connection, id, { now, title, newSteps });
    const { incarnation, stepCount } = session;
    const numbered = numberedFrom(stepCount - newSteps, steps);
    for (let from = 0; from < numbered.length; from += MAX_ROWS) {
      const rows = numbered.slice(from, from + MAX_ROWS);
      const insert = this.#connection.statement(insertAnew(rows.length));
      insert.run(...valuesOf(id, { steps: rows, now }));
    }
    return { end: { incarnation, next: stepCount }, numbered };
  }

  #remember(sessionId: string, end: TraceEnd): void {
    this.#ends.set(sessionId, end);
    for (const [oldest] of this.#ends) {
      if (this.#ends.size <= MAX_ENDS) return;
      this.#ends.delete(oldest);
    }
  }
}

function isSaid({ stepType }: CheckedStep): boolean {
  return stepType === "user";
}

function numberedFrom(first: number, steps: readonly CheckedStep[]): RunStep[] {
  return steps.map((step, at) => ({ ...step, stepIndex: first + at }));
}

function rowsOf(count: number): string {
  return Array.from({ length: count }, () => ROW).join(", ");
}

/** The statements that insert so many rows behind others, and whatever there is; made when first asked for, since a text that was made before is found faster. */
const behind: string[] = [];
const anew: string[] = [];

function insertBehind(count: number): string {
  return behind[count] ??= `${INSERT} SELECT * FROM (VALUES ${
    rowsOf(count)
  }) WHERE ${IF_AS_BEFORE}`;
}

function insertAnew(count: number): string {
  return anew[count] ??= `${INSERT} VALUES ${rowsOf(count)}`;
}

function valuesOf(
  id: SQLInputValue,
  { steps, now }: { readonly steps: readonly RunStep[]; readonly now: number },
): SQLInputValue[] {
  const values: SQLInputValue[] = [];
  for (const step of steps) values.push(...stepColumns(id, step), now);
  return values;
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
