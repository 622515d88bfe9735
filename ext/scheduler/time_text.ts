/** Times as models write them: `at` and `delay`. A date that does not exist is an error, never another date. */
import { checkedZone, instantOf, quoted, type WallDate, zonedText } from "./zoned_time.ts";

const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;
const DELAY_PART =
  /(\d+(?:\.\d+)?)\s*(weeks?|w|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)/y;
const UNIT_MS: Readonly<Record<string, number>> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
};
/** The last instant that is taken: the end of the year 9999, beyond which dates have no common form. */
const LAST_MS = Date.UTC(10_000, 0, 1) - 1;

/** A time that was named. */
export interface NamedMoment {
  /** The instant. */
  readonly at: Date;
  /** The time does not exist in the zone, and the first instant behind the gap was taken. */
  readonly skipped: boolean;
}

/**
 * The instant of `2026-03-01T09:00` in a zone; with `Z` or an offset at its end it is meant as it says.
 *
 * @throws {RangeError} for another form, or a date or time that does not exist.
 */
export function momentOf(text: string, zone: string): NamedMoment {
  const offset = MOMENT.exec(text.trim())?.[7];
  const wall = wallTimeOf(text);
  if (offset === undefined) return instantOf(wall, checkedZone(zone));
  const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) throw noMoment(text);
  const ahead = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { at: new Date(wall.getTime() - ahead), skipped: false };
}

/**
 * The wall-clock time that a text names, whatever zone it is meant in.
 *
 * @throws {RangeError} for another form, or a date or time that does not exist.
 */
export function wallTimeOf(text: string): WallDate {
  const [, year, month, day, hour, minute, second = "0"] = MOMENT.exec(text.trim()) ?? [];
  if (year === undefined) throw noMoment(text);
  const fields = { year, month, day, hour, minute, second };
  const numbers = Object.fromEntries(
    Object.entries(fields).map(([name, digits]) => [name, Number(digits)]),
  );
  try {
    const plain = Temporal.PlainDateTime.from(
      numbers as unknown as Temporal.PlainDateTimeLike,
      { overflow: "reject" },
    );
    return new Date(plain.toZonedDateTime("UTC").epochMilliseconds);
  } catch {
    throw noMoment(text);
  }
}

/**
 * The milliseconds that a delay such as `2m`, `90s`, `1h30m` or `2 days` takes. A day is 24 hours.
 *
 * @throws {RangeError} for another form, or a delay of nothing.
 */
export function delayOf(text: string): number {
  const given = text.trim().toLowerCase();
  let ms = 0;
  DELAY_PART.lastIndex = 0;
  for (let at = 0; at < given.length;) {
    const [part, count = "", unit = ""] = DELAY_PART.exec(given) ?? [];
    if (part === undefined) throw noDelay(text);
    ms += Number(count) * (UNIT_MS[unit.charAt(0)] ?? NaN);
    at = DELAY_PART.lastIndex;
    while (given[at] === " ") at++;
    DELAY_PART.lastIndex = at;
  }
  if (!(ms > 0 && Number.isFinite(ms))) throw noDelay(text);
  return ms;
}

/**
 * Refuses an instant that has passed, or that lies too far ahead.
 *
 * @throws {RangeError} saying what time it is.
 */
export function requireFuture(
  at: Date,
  { now, zone, what }: { readonly now: Date; readonly zone: string; readonly what: string },
): Date {
  if (!(at.getTime() <= LAST_MS)) {
    throw new RangeError(`${what}: that is too far ahead; the year 9999 is the last`);
  }
  if (at > now) return at;
  throw new RangeError(
    `${what}: ${zonedText(at, zone)} has passed; it is now ${zonedText(now, zone)} (${zone})`,
  );
}

function noMoment(text: string): RangeError {
  return new RangeError(
    `at: ${
      quoted(text)
    } is no date and time that exists; expected "YYYY-MM-DDTHH:MM", such as "2026-03-01T09:00"`,
  );
}

function noDelay(text: string): RangeError {
  return new RangeError(
    `delay: ${
      quoted(text)
    } is no length of time; expected a text such as "2m", "90s", "1h30m" or "2 days"`,
  );
}
