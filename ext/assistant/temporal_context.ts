/** What a model is told of the time: what the clock shows where the user is, and how long nobody has spoken. Pure. */
import { checkedInstant, checkTimeZone, readWallClock } from "./wall_clock.ts";

/** What else is known of the time. */
export interface TemporalOptions {
  /** When the last message of the conversation came, whoever wrote it. @default there was none, and no gap is told */
  readonly lastMessageAt?: Date;
}

const DAY_MS = 86_400_000;
const YEAR_MS = 365.2425 * DAY_MS;
/** The units of gaps, with the size from which on each is used; a month and a year as long as they are on average, and 365 days are a year. */
const UNITS: readonly { readonly name: string; readonly ms: number; readonly from: number }[] = [
  { name: "year", ms: YEAR_MS, from: 365 * DAY_MS },
  { name: "month", ms: YEAR_MS / 12, from: YEAR_MS / 6 },
  { name: "week", ms: 7 * DAY_MS, from: 14 * DAY_MS },
  { name: "day", ms: DAY_MS, from: DAY_MS },
  { name: "hour", ms: 3_600_000, from: 3_600_000 },
  { name: "minute", ms: 60_000, from: 60_000 },
  { name: "second", ms: 1000, from: 1000 },
];

/**
 * The text of the layer `<temporal_context>`, without its tags: date and time with the distance from UTC, the zone, and the gap since the last message.
 *
 * The gap is time that went by, so a change to summer time does not lengthen it. Where the last message lies in the future, since a clock was set back, none is told.
 *
 * @example
 * ```ts
 * import { formatTemporalContext } from "@agentloop/core/ext/assistant";
 *
 * const text = formatTemporalContext(new Date("2026-09-27T22:15:00Z"), "America/Sao_Paulo", {
 *   lastMessageAt: new Date("2026-09-27T18:10:00Z"),
 * });
 * console.assert(text === [
 *   "Current date and time: Sunday, 2026-09-27 19:15:00 -0300",
 *   "Time zone: America/Sao_Paulo",
 *   "Idle gap: 4 hours since last message",
 * ].join("\n"));
 * ```
 *
 * @param now the clock's word
 * @param zone a name of the IANA database
 * @throws {RangeError} for a name that is no zone's, and for an invalid date.
 */
export function formatTemporalContext(
  now: Date,
  zone: string,
  { lastMessageAt }: TemporalOptions = {},
): string {
  const name = checkTimeZone(zone);
  const { weekday, date, time, offset } = readWallClock(checkedInstant(now), name);
  const gap = lastMessageAt === undefined
    ? undefined
    : gapWords(checkedInstant(lastMessageAt), now);
  return [
    `Current date and time: ${weekday}, ${date} ${time} ${offset}`,
    `Time zone: ${name}`,
    ...(gap === undefined ? [] : [`Idle gap: ${gap} since last message`]),
  ].join("\n");
}

/** How long it is from one instant to another, in the largest unit that fits, rounded down; nothing where the second comes first. */
function gapWords(from: Date, to: Date): string | undefined {
  const ms = to.getTime() - from.getTime();
  if (ms < 0) return undefined;
  const unit = UNITS.find((one) => ms >= one.from);
  if (unit === undefined) return "less than a second";
  const count = Math.max(1, Math.floor(ms / unit.ms));
  return `${count} ${unit.name}${count === 1 ? "" : "s"}`;
}
