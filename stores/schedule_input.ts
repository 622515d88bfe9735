/** The border of every schedule store in this folder: checks what a caller hands in. Pure but for the ids. */
import {
  type ClaimRequest,
  type Lease,
  MAX_SESSION_TASKS,
  MAX_TASK_RULE_BYTES,
  MAX_TASK_TEXT_BYTES,
  MAX_TASK_TITLE_BYTES,
  type NewTask,
  type OccurrenceEnding,
} from "../contracts/schedule.ts";
import { checkedSessionId, optionalText, text, typeName } from "./step_input.ts";

const KINDS: readonly string[] = ["once", "cron", "rrule"];
const MODES: readonly string[] = ["message", "agent"];

/**
 * Checks a task; texts are made well-formed, dates are copied.
 *
 * @throws {TypeError} when a field is missing or of the wrong type, or a text is empty.
 * @throws {RangeError} when a text is too long or a date is none.
 */
export function checkedTask(task: NewTask): NewTask {
  const { scope } = task;
  const userId = optionalText(task.userId, "A task's userId");
  const title = optionalText(task.title, "A task's title");
  const startsAt = optionalText(task.startsAt, "A task's startsAt");
  if (scope !== undefined && typeof scope?.workspaceId !== "string") {
    throw new TypeError("The scope of a task must have a workspaceId.");
  }
  const rule = bounded(task.rule, { what: "A task's rule", max: MAX_TASK_RULE_BYTES });
  if ((rule === "") !== (task.kind === "once")) {
    throw new TypeError('A task has a rule unless its kind is "once".');
  }
  return {
    sessionId: checkedSessionId(task.sessionId),
    ...(scope === undefined ? {} : { scope: { ...scope } }),
    ...(userId === undefined ? {} : { userId }),
    kind: oneOf(task.kind, { what: "A task's kind", of: KINDS }),
    rule,
    zone: filled(task.zone, { what: "A task's zone", max: 100 }),
    ...(startsAt === undefined ? {} : { startsAt }),
    mode: oneOf(task.mode, { what: "A task's mode", of: MODES }),
    text: filled(task.text, { what: "A task's text", max: MAX_TASK_TEXT_BYTES }),
    ...(title === undefined
      ? {}
      : { title: bounded(title, { what: "A task's title", max: MAX_TASK_TITLE_BYTES }) }),
    channel: filled(task.channel, { what: "A task's channel", max: 100 }),
    dueAt: checkedMoment(task.dueAt, "A task's dueAt"),
  };
}

/**
 * Checks what a worker asks for.
 *
 * @throws {TypeError} when a field is of the wrong type.
 * @throws {RangeError} when the lease is no positive number, or a date is none.
 */
export function checkedClaim(request: ClaimRequest): Required<ClaimRequest> {
  const { leaseMs, modes = ["message", "agent"] } = request;
  leaseEnd(request);
  const now = checkedMoment(request.now, "The time of a claim");
  return {
    workerId: filled(request.workerId, { what: "A worker's id", max: 200 }),
    now,
    leaseMs,
    dueBy: checkedMoment(request.dueBy ?? now, "dueBy"),
    modes: modes.map((mode) => oneOf(mode, { what: "A mode", of: MODES })),
  };
}

/**
 * Checks a lease and gives when it ends, in ms since 1970.
 *
 * @throws {TypeError} when the time is no Date.
 * @throws {RangeError} when the lease is no positive number, or the date is none.
 */
export function leaseEnd({ now, leaseMs }: Lease): number {
  if (!(Number.isFinite(leaseMs) && leaseMs > 0)) {
    throw new RangeError(`A lease must be a positive number of ms, not ${String(leaseMs)}.`);
  }
  return checkedMoment(now, "The time of a lease").getTime() + Math.ceil(leaseMs);
}

/**
 * Checks how an occurrence is ended.
 *
 * @throws {TypeError} when a field is of the wrong type.
 * @throws {RangeError} when the next instant is not later than the occurrence.
 */
export function checkedEnding(ending: OccurrenceEnding, dueAt: Date): OccurrenceEnding {
  const now = checkedMoment(ending.now, "The time of an end");
  if (ending.state === "retrying") {
    const retryAt = checkedMoment(ending.retryAt, "retryAt");
    const detail = text(ending.detail, "A detail");
    return { state: "retrying", now, detail, retryAt, uncounted: ending.uncounted === true };
  }
  const state = oneOf(ending.state, { what: "An end", of: ["done", "failed", "unknown"] });
  const detail = optionalText(ending.detail, "A detail");
  const next = ending.next === undefined ? undefined : checkedMoment(ending.next, "next");
  if (next !== undefined && next <= dueAt) {
    throw new RangeError(
      `The next instant of a task, ${next.toISOString()}, must be later than ${dueAt.toISOString()}.`,
    );
  }
  return {
    state,
    now,
    ...(detail === undefined ? {} : { detail }),
    ...(next === undefined ? {} : { next }),
  };
}

/** What is said when a session may have no more tasks. */
export function tooManyTasks(): RangeError {
  return new RangeError(
    `The session has ${MAX_SESSION_TASKS} tasks that wait, which is all it may have. Cancel one, then add this one.`,
  );
}

/** A new id: 12 hexadecimal digits. */
export function newTaskId(): string {
  return [...crypto.getRandomValues(new Uint8Array(6))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function checkedMoment(date: Date, what: string): Date {
  if (!(date instanceof Date)) {
    throw new TypeError(`${what} must be a Date, not ${typeName(date)}.`);
  }
  if (Number.isNaN(date.getTime())) throw new RangeError(`${what} is not a valid date.`);
  return new Date(date);
}

function oneOf<T extends string>(
  value: T,
  { what, of }: { readonly what: string; readonly of: readonly string[] },
): T {
  if (of.includes(value)) return value;
  throw new TypeError(`${what} must be one of ${of.join(", ")}, not ${String(value)}.`);
}

interface Bound {
  readonly what: string;
  readonly max: number;
}

function filled(value: string, bound: Bound): string {
  const given = bounded(value, bound);
  if (given.trim() === "") throw new TypeError(`${bound.what} must not be empty.`);
  return given;
}

function bounded(value: string, { what, max }: Bound): string {
  const given = text(value, what);
  const bytes = new TextEncoder().encode(given).length;
  if (bytes <= max) return given;
  throw new RangeError(`${what} may have ${max} bytes, this one has ${bytes}. Shorten it.`);
}
