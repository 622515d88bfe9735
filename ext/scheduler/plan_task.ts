/** From what a model asked for to a task: what is wrong is said so that the model can put it right, and nothing is guessed. */
import {
  type ExecutionMode,
  MAX_TASK_RULE_BYTES,
  MAX_TASK_TEXT_BYTES,
  MAX_TASK_TITLE_BYTES,
  type NewTask,
} from "../../contracts/schedule.ts";
import { openRecurrence, type Recurrence, type TaskRule } from "./recurrence.ts";
import type { FilledOptions } from "./scheduler_options.ts";
import { delayOf, momentOf, requireFuture, wallTimeOf } from "./time_text.ts";
import { checkedZone, durationText, quoted, wallOf, zonedText } from "./zoned_time.ts";

/** What `proactive_create` is called with. */
export interface TaskRequest {
  readonly title?: string;
  readonly text: string;
  readonly execution_mode: ExecutionMode;
  readonly at?: string;
  readonly delay?: string;
  readonly delay_ms?: number;
  readonly cron?: string;
  readonly rrule?: string;
  readonly timezone?: string;
  readonly channel?: string;
}

/** A task that can be kept, and what is to be told of it. */
export interface TaskPlan {
  /** The task, without whose it is. */
  readonly task: Omit<NewTask, "sessionId" | "scope" | "userId">;
  /** The first instants at which it is due. */
  readonly next: readonly Date[];
  /** What the model should know, such as that a time was moved. */
  readonly note?: string;
}

/** Instants that are told of a new task. */
const TOLD_INSTANTS = 3;
/** Instants that are looked at to see how often a task is due: so many show every pattern within an hour. */
const WATCHED_INSTANTS = 130;

/**
 * Makes a task of a request.
 *
 * @throws {RangeError} when a time, rule, zone, channel or length does not do, saying what would.
 */
export async function planTask(
  request: TaskRequest,
  options: Omit<FilledOptions, "schedule">,
): Promise<TaskPlan> {
  const now = options.now();
  const zone = request.timezone === undefined ? options.timezone : checkedZone(request.timezone);
  const mode = request.execution_mode;
  const channel = channelOf(request, options.channels);
  const title = request.title?.trim() ?? "";
  const text = request.text.trim();
  if (text === "") throw new RangeError("text: it is empty; say what is to be delivered or done");
  refuseLong(text, { what: "text", most: MAX_TASK_TEXT_BYTES });
  refuseLong(title, { what: "title", most: MAX_TASK_TITLE_BYTES });
  const told = { mode, text, channel, ...(title === "" ? {} : { title }) };
  const ways = (["at", "delay", "delay_ms", "cron", "rrule"] as const)
    .filter((way) => request[way] !== undefined);
  const way = ways.length === 2 && ways[0] === "at" && ways[1] === "rrule" ? "rrule" : ways[0];
  if (way === undefined || (ways.length > 1 && way !== "rrule")) {
    throw new RangeError(
      `proactive_create: give one of at, delay, delay_ms, cron and rrule (at may stand with rrule, as its start); ${
        ways.length === 0 ? "none was given" : `${ways.join(" and ")} were given`
      }`,
    );
  }
  if (way !== "cron" && way !== "rrule") {
    const { at, skipped } = onceAt(request, { now, zone });
    const task: TaskPlan["task"] = { ...told, kind: "once", rule: "", zone, dueAt: at };
    return {
      task,
      next: [at],
      ...(skipped
        ? { note: "the time does not exist that day; it is due when the clocks have changed" }
        : {}),
    };
  }
  const rule = await ruleOf(request, { way, now, zone });
  const recurrence = await openRecurrence(rule);
  const first = recurrence.next(now);
  if (first === undefined) {
    throw new RangeError(
      `${way}: ${quoted(rule.rule)} is never due after ${
        zonedText(now, zone)
      } (${zone}); choose dates that occur`,
    );
  }
  const leastMs = mode === "agent" ? options.minAgentIntervalMs : options.minMessageIntervalMs;
  refuseFrequent(recurrence, { way, mode, first, leastMs });
  return {
    task: { ...told, ...rule, dueAt: first },
    next: instants(recurrence, { first, count: TOLD_INSTANTS }),
  };
}

function onceAt(
  request: TaskRequest,
  { now, zone }: { readonly now: Date; readonly zone: string },
): { readonly at: Date; readonly skipped: boolean } {
  if (request.at !== undefined) {
    const { at, skipped } = momentOf(request.at, zone);
    return { at: requireFuture(at, { now, zone, what: "at" }), skipped };
  }
  const what = request.delay === undefined ? "delay_ms" : "delay";
  const ms = request.delay === undefined ? request.delay_ms ?? NaN : delayOf(request.delay);
  return { at: requireFuture(new Date(now.getTime() + ms), { now, zone, what }), skipped: false };
}

async function ruleOf(
  { at, cron, rrule }: TaskRequest,
  { way, now, zone }: { readonly way: "cron" | "rrule"; readonly now: Date; readonly zone: string },
): Promise<TaskRule> {
  const rule = (way === "cron" ? cron : rrule)?.trim() ?? "";
  refuseLong(rule, { what: way, most: MAX_TASK_RULE_BYTES });
  if (way === "cron") return { kind: "cron", rule, zone };
  const { namesHours, namesMinutes, wallText } = await import("./recurrence_rule.ts");
  if (at !== undefined) {
    if (/(?:Z|[+-]\d{2}:?\d{2})$/.test(at)) {
      throw new RangeError(`at: with rrule it is a time in ${zone}, without Z or an offset`);
    }
    return { kind: "rrule", rule, zone, startsAt: wallText(wallTimeOf(at)) };
  }
  // Nine o'clock is meant where a rule says hour 9, not nine and whatever minute it is now.
  const unit = namesHours(rule) && !namesMinutes(rule) ? 3_600_000 : 60_000;
  const start = Math.ceil(wallOf(now, zone).getTime() / unit) * unit;
  return { kind: "rrule", rule, zone, startsAt: wallText(new Date(start)) };
}

function refuseFrequent(
  recurrence: Recurrence,
  { way, mode, first, leastMs }: {
    readonly way: string;
    readonly mode: ExecutionMode;
    readonly first: Date;
    readonly leastMs: number;
  },
): void {
  const times = instants(recurrence, { first, count: WATCHED_INSTANTS });
  const isFrequent = times.some((time, at) =>
    at > 0 && time.getTime() - Number(times[at - 1]) < leastMs
  );
  if (!isFrequent) return;
  throw new RangeError(
    `${way}: that is too often; a recurring ${
      mode === "agent" ? "agent run" : "message"
    } may be due every ${durationText(leastMs)} at most`,
  );
}

function instants(
  recurrence: Recurrence,
  { first, count }: { readonly first: Date; readonly count: number },
): Date[] {
  const found = [first];
  // What is due once in years is not often, and each look at it is long.
  const end = first.getTime() + 400 * 86_400_000;
  for (let at: Date | undefined = first; found.length < count;) {
    if (found.length >= TOLD_INSTANTS && Number(at) > end) break;
    at = recurrence.next(at);
    if (at === undefined) break;
    found.push(at);
  }
  return found;
}

function channelOf({ channel }: TaskRequest, channels: readonly string[]): string {
  const name = channel ?? channels[0] ?? "";
  if (channels.includes(name)) return name;
  throw new RangeError(
    `channel: there is no channel ${quoted(name)}; there is ${channels.map(quoted).join(", ")}`,
  );
}

function refuseLong(
  text: string,
  { what, most }: { readonly what: string; readonly most: number },
): void {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > most) {
    throw new RangeError(`${what}: ${most} bytes may be used, these are ${bytes}; shorten it`);
  }
}
