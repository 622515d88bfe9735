/**
 * A scheduled task for people and for programs. Pure; what others wrote is cleaned by whoever shows it.
 */
import type { JsonValue } from "../contracts/json.ts";
import type { ScheduledTask } from "../contracts/schedule.ts";
import { formatMoment } from "./units.ts";

/** A task as the object of a JSON line. */
export function taskLine(task: ScheduledTask): { readonly [key: string]: JsonValue } {
  const { lastOutcome } = task;
  return {
    type: "task",
    id: task.id,
    session_id: task.sessionId,
    title: task.title ?? null,
    text: task.text,
    execution_mode: task.mode,
    kind: task.kind,
    rule: task.rule === "" ? null : task.rule,
    timezone: task.zone,
    channel: task.channel,
    state: task.state,
    due_at: task.nextDueAt?.toISOString() ?? null,
    attempts: task.attempts,
    retry_at: task.retryAt?.toISOString() ?? null,
    last: lastOutcome === undefined ? null : {
      outcome: lastOutcome.state,
      due_at: lastOutcome.dueAt.toISOString(),
      ended_at: lastOutcome.endedAt.toISOString(),
      detail: lastOutcome.detail ?? null,
    },
    created_at: task.createdAt.toISOString(),
  };
}

/** When a task is due, or where it stands where it is not due any more. */
export function dueColumn({ state, nextDueAt, retryAt }: ScheduledTask): string {
  if (state === "cancelled") return "cancelled";
  const at = retryAt ?? nextDueAt;
  if (at === undefined) return "over";
  return `${formatMoment(at)}${retryAt === undefined ? "" : " (again)"}`;
}

/** How often it is due. */
export function ruleColumn({ kind, rule, zone }: ScheduledTask): string {
  return kind === "once" ? "once" : `${rule} ${zone}`;
}

/** How its last time went. */
export function lastColumn({ lastOutcome }: ScheduledTask): string {
  return lastOutcome === undefined ? "" : lastOutcome.state;
}
