/** What is said of an occurrence: to a model that does it, in a session, to a person. Texts of others are quoted in it on one line. */
import type { ChannelMessage } from "../../contracts/channel.ts";
import type { ScheduledTask } from "../../contracts/schedule.ts";
import { durationText, zonedText } from "./zoned_time.ts";

/** Lateness that is not worth a word: that of a scheduler that looks every few seconds. */
export const UNTOLD_LATENESS_MS = 60_000;

/** When a task was due, as all of its texts say it. */
export type DueTimes = Pick<ChannelMessage, "dueAt" | "lateMs" | "missed">;

/** The task and its time: `task 3f2a "Tea", due Monday, 2026-… (2 hours late)`. */
export function dueText(
  { id, title, zone }: Pick<ScheduledTask, "id" | "title" | "zone">,
  { dueAt, lateMs, missed }: DueTimes,
): string {
  const name = title === undefined ? "" : ` ${JSON.stringify(title)}`;
  const late = lateMs < UNTOLD_LATENESS_MS ? [] : [`${durationText(lateMs)} late`];
  const left = missed === 0 ? [] : [
    `${
      missed >= MAX_MISSED ? `${MAX_MISSED} or more` : missed
    } further times since then are left out`,
  ];
  const more = [...late, ...left].join("; ");
  return `task ${id}${name}, due ${zonedText(dueAt, zone)}${more === "" ? "" : ` (${more})`}`;
}

/** Missed times that are counted at most. */
export const MAX_MISSED = 1000;

/** What a run is asked when its task is due. */
export function agentMessage(task: ScheduledTask, times: DueTimes): string {
  return `[Scheduled ${
    dueText(task, times)
  }. Nobody is waiting: do it now and answer with the outcome.]\n\n${task.text}`;
}

/** What is told of an occurrence whose worker was lost. */
export function unknownText(task: ScheduledTask, times: DueTimes): string {
  const what = task.mode === "agent"
    ? "It may have been done, in part or whole,"
    : "It may have been delivered,";
  return `It is not known what became of ${
    dueText(task, times)
  }: the program that had begun it ended. ${what} and it is not done again.`;
}

/** What is told of an occurrence that failed for good. */
export function failedText(
  task: ScheduledTask,
  times: DueTimes & { readonly why: string },
): string {
  return `This could not be done: ${dueText(task, times)}. ${times.why}`;
}
