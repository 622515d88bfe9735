/** Rows of tasks and occurrences, as statements give them. Pure. */
import type { SQLOutputValue } from "node:sqlite";
import type {
  ExecutionMode,
  Occurrence,
  OccurrenceEnd,
  OccurrenceState,
  ScheduledTask,
  TaskKind,
  TaskState,
} from "../../contracts/schedule.ts";
import { optionalTextOf, textOf } from "./text_column.ts";

/** The columns that {@linkcode taskOf} takes, beginning a statement. */
export const TASK = `
  SELECT task_id, session_id, workspace_id, project_id, user_id, kind, rule, zone, starts_at, mode, text, title, channel, tasks.state,
      next_due_at, created_at, open.attempts, CASE open.state WHEN 'retrying' THEN open.wake_at END,
      last.state, last.due_at, last.ended_at, last.detail
    FROM tasks
      LEFT JOIN occurrences AS open ON open.task_number = tasks.task_number AND open.due_at = next_due_at
      LEFT JOIN occurrences AS last ON last.task_number = tasks.task_number AND last.due_at =
        (SELECT max(due_at) FROM occurrences AS o WHERE o.task_number = tasks.task_number AND ended_at IS NOT NULL)`;

/** The columns that {@linkcode occurrenceOf} takes, beginning a statement that joins the tasks as `t`. */
export const OCCURRENCE = `
  SELECT t.task_id, due_at, occurrences.state, attempts, started_at, ended_at, detail, result FROM occurrences`;

/** A task of its columns. */
export function taskOf(columns: readonly SQLOutputValue[]): ScheduledTask {
  const [id, session, workspace, project, user, kind, rule, zone, starts, mode, text, title] =
    columns;
  const [channel, state, next, created, attempts, retryAt, lastState, lastDue, lastEnd, detail] =
    columns.slice(12);
  const workspaceId = optionalTextOf(workspace);
  const projectId = optionalTextOf(project);
  return {
    id: textOf(id),
    sessionId: textOf(session),
    ...(workspaceId === undefined
      ? {}
      : { scope: { workspaceId, ...(projectId === undefined ? {} : { projectId }) } }),
    ...optional("userId", optionalTextOf(user)),
    kind: textOf(kind) as TaskKind,
    rule: textOf(rule),
    zone: textOf(zone),
    ...optional("startsAt", optionalTextOf(starts)),
    mode: textOf(mode) as ExecutionMode,
    text: textOf(text),
    ...optional("title", optionalTextOf(title)),
    channel: textOf(channel),
    state: textOf(state) as TaskState,
    ...optional("nextDueAt", optionalDate(next)),
    attempts: Number(attempts ?? 0),
    ...optional("retryAt", optionalDate(retryAt)),
    ...(lastState === null || lastState === undefined ? {} : {
      lastOutcome: {
        state: textOf(lastState) as OccurrenceEnd,
        dueAt: new Date(Number(lastDue)),
        endedAt: new Date(Number(lastEnd)),
        ...optional("detail", optionalTextOf(detail)),
      },
    }),
    createdAt: new Date(Number(created)),
  };
}

/** An occurrence of its columns. */
export function occurrenceOf(columns: readonly SQLOutputValue[]): Occurrence {
  const [id, due, state, attempts, started, ended, detail, result] = columns;
  return {
    taskId: textOf(id),
    dueAt: new Date(Number(due)),
    state: textOf(state) as OccurrenceState,
    attempts: Number(attempts),
    ...optional("startedAt", optionalDate(started)),
    ...optional("endedAt", optionalDate(ended)),
    ...optional("detail", optionalTextOf(detail)),
    ...optional("result", optionalTextOf(result)),
  };
}

function optionalDate(value: SQLOutputValue | undefined): Date | undefined {
  return value === null || value === undefined ? undefined : new Date(Number(value));
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [key in Name]?: Value } {
  return value === undefined ? {} : { [name]: value } as { readonly [key in Name]: Value };
}
