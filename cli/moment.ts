/**
 * Reads a moment that a person names: a date, a date with a time, or how long ago. Pure. What names no time zone is meant in that of this machine, as moments are
 * shown to people.
 */
import { parseDuration } from "./units.ts";

/** The forms, for messages. */
export const MOMENT_FORMS =
  "a date like 2026-03-01, a date and a time like 2026-03-01T13:05, or how long ago: 90s, 30m, 2h, 3d";

const DAY_MS = 86_400_000;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DATE_AND_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?$/i;
const DAYS = /^(?:(\d+(?:\.\d+)?)d)?(.*)$/;

/** What a moment is read against. */
export interface MomentOptions {
  /** The moment from which durations go back. */
  readonly now: Date;
  /** Whether a date alone stands for the end of its day, the midnight behind it, and not for its beginning. @default false */
  readonly endOfDay?: boolean;
}

/** Reads a moment; `undefined` for what is none, such as the 30th of February or a time of 25 hours. */
export function parseMoment(
  text: string,
  { now, endOfDay = false }: MomentOptions,
): Date | undefined {
  const date = DATE.exec(text);
  if (date !== null) return dateOf(date, { daysLater: endOfDay ? 1 : 0 });
  const dateAndTime = DATE_AND_TIME.exec(text);
  if (dateAndTime !== null) return timeOf(dateAndTime);
  const ago = parseAgo(text);
  return ago === undefined ? undefined : valid(new Date(now.getTime() - ago));
}

/** In ms. Plain seconds are left out: `2026` is not half an hour. */
function parseAgo(text: string): number | undefined {
  const [, days, rest = ""] = DAYS.exec(text) ?? [];
  if (/^[\d.]+$/.test(text) || (days === undefined && rest === "")) return undefined;
  const ms = rest === "" ? 0 : /[a-z]$/.test(rest) ? parseDuration(rest) : undefined;
  return ms === undefined ? undefined : Math.round(Number(days ?? 0) * DAY_MS) + ms;
}

function dateOf(
  [, year, month, day]: readonly string[],
  { daysLater }: { readonly daysLater: number },
): Date | undefined {
  if (!isDate(Number(year), Number(month), Number(day))) return undefined;
  // Not a day of 24 hours: some have 23 or 25.
  return valid(new Date(Number(year), Number(month) - 1, Number(day) + daysLater));
}

function timeOf(parts: readonly (string | undefined)[]): Date | undefined {
  const [year, month, day, hour, minute, second = 0] = parts.slice(1, 7)
    .map((part) => part === undefined ? undefined : Number(part));
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (hour === undefined || minute === undefined) return undefined;
  if (!isDate(year, month, day) || hour > 23 || minute > 59 || second > 59) return undefined;
  const ms = Number((parts[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const zone = parts[8];
  if (zone === undefined) {
    return valid(new Date(year, month - 1, day, hour, minute, second, ms));
  }
  const utc = Date.UTC(year, month - 1, day, hour, minute, second, ms);
  const offset = offsetOf(zone);
  return offset === undefined ? undefined : valid(new Date(utc - offset));
}

/** How far a zone's clock is ahead of UTC, in ms. */
function offsetOf(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0;
  const [hours = 0, minutes = 0] = zone.slice(1).split(":").map(Number);
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Whether there is such a day. Years before 100 are left out: the runtime takes them for those of the last century. */
function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day;
}

function valid(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date;
}
