/** Recurrence rules of RFC 5545: the part of the standard that reminders need, checked before the package reads it, which takes hours such as 25 in silence. */
import { RRuleTemporal } from "npm:rrule-temporal@2.2.8";
import { wallTimeOf } from "./time_text.ts";
import type { WallRule } from "./wall_rule.ts";
import { instantOf, quoted, type WallDate, wallOf } from "./zoned_time.ts";

/** Occurrences that a rule may count: the package looks at no more than 10,000. */
const MAX_COUNT = 5000;

/**
 * Times that one period of a rule may name. The package makes all of a period whenever it is asked for one, which takes a second for half a million: with this
 * many it is some milliseconds.
 */
const MAX_PERIOD_TIMES = 10_000;
/** Days of the longest period. */
const PERIOD_DAYS: Readonly<Record<string, number>> = {
  YEARLY: 366,
  MONTHLY: 31,
  WEEKLY: 7,
  DAILY: 1,
};

/** The least and the most that the numbers of a part may be; a negative least allows numbers that count from the end, and 0 is then none. */
const RANGES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  INTERVAL: [1, 1000],
  COUNT: [1, MAX_COUNT],
  BYMINUTE: [0, 59],
  BYHOUR: [0, 23],
  BYMONTH: [1, 12],
  BYMONTHDAY: [-31, 31],
  BYYEARDAY: [-366, 366],
  BYWEEKNO: [-53, 53],
  BYSETPOS: [-366, 366],
};
const FORMS: Readonly<Record<string, RegExp>> = {
  FREQ: /^(?:YEARLY|MONTHLY|WEEKLY|DAILY|HOURLY|MINUTELY)$/,
  BYDAY:
    /^(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU))*$/,
  WKST: /^(?:MO|TU|WE|TH|FR|SA|SU)$/,
  UNTIL: /^\d{8}(?:T\d{6}Z?)?$/,
};

/** Where a rule applies. */
export interface RuleFrame {
  /** The zone that it is meant in. */
  readonly zone: string;
  /** When it begins. */
  readonly start: WallDate;
}

/**
 * Reads a recurrence rule such as `FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0`. What it leaves open, such as the time of day, is taken from its start.
 *
 * @throws {RangeError} when it is none, with the part that is wrong.
 */
export function recurrenceRule(text: string, { zone, start }: RuleFrame): WallRule {
  const parts = partsOf(text);
  const until = untilOf(parts.get("UNTIL"), { zone, text });
  parts.delete("UNTIL");
  const rule = [...parts].map(([name, value]) => `${name}=${value}`).join(";");
  try {
    const compiled = new RRuleTemporal({
      rruleString: `DTSTART:${basicForm(start)}\nRRULE:${rule}`,
    });
    return {
      next(after) {
        const found = nextOf(compiled, after);
        return found === undefined || found > until ? undefined : found;
      },
    };
  } catch (error) {
    throw wrong(text, error instanceof Error ? error.message.slice(0, 200) : "it cannot be read");
  }
}

/** Whether a rule says at which minutes it is due; without, those of its start count. */
export function namesMinutes(text: string): boolean {
  const parts = partsOf(text);
  return parts.has("BYMINUTE") || parts.get("FREQ") === "MINUTELY";
}

/** Whether a rule says at which hours it is due. */
export function namesHours(text: string): boolean {
  return partsOf(text).has("BYHOUR");
}

/** A wall-clock time as it stands behind a task's `startsAt`: `2026-01-31T09:00:00`. */
export function wallText(wall: WallDate): string {
  return wall.toISOString().slice(0, 19);
}

function nextOf(compiled: RRuleTemporal, after: WallDate): WallDate | undefined {
  try {
    const found = compiled.next(after);
    return found === null ? undefined : new Date(found.epochMilliseconds);
  } catch (error) {
    // The package looks at so many dates and no more; a rule without one among them is one that never occurs.
    if (error instanceof Error && /Maximum iterations/.test(error.message)) return undefined;
    throw error;
  }
}

function partsOf(text: string): Map<string, string> {
  const given = text.trim().replace(/^RRULE:/i, "").toUpperCase();
  const parts = new Map<string, string>();
  for (const part of given.split(";")) {
    if (part === "") continue;
    const [name = "", value = "", more] = part.split("=");
    if (more !== undefined || !(Object.hasOwn(RANGES, name) || Object.hasOwn(FORMS, name))) {
      throw wrong(text, `${quoted(part)} is no part that is known here`);
    }
    if (parts.has(name)) throw wrong(text, `${name} comes twice`);
    if (!isFitting(name, value)) throw wrong(text, `${quoted(part)} is out of range`);
    parts.set(name, value);
  }
  if (!parts.has("FREQ")) throw wrong(text, "FREQ is missing");
  if (parts.has("COUNT") && parts.has("UNTIL")) {
    throw wrong(text, "COUNT and UNTIL exclude each other");
  }
  if (periodTimes(parts) > MAX_PERIOD_TIMES) {
    throw wrong(text, "it names too many times one by one; FREQ=HOURLY or MINUTELY says as much");
  }
  return parts;
}

/** How many times one period names at most. */
function periodTimes(parts: ReadonlyMap<string, string>): number {
  const countOf = (name: string) => parts.get(name)?.split(",").length ?? 1;
  const frequency = parts.get("FREQ") ?? "";
  const days = PERIOD_DAYS[frequency] ?? 1;
  const isShort = frequency === "HOURLY" || frequency === "MINUTELY";
  return days * (isShort ? 1 : countOf("BYHOUR")) * countOf("BYMINUTE");
}

function isFitting(name: string, value: string): boolean {
  const form = FORMS[name];
  if (form !== undefined) return form.test(value);
  const [least = 0, most = 0] = RANGES[name] ?? [];
  const isList = name.startsWith("BY");
  const numbers = isList ? value.split(",") : [value];
  return numbers.every((digits) => {
    const number = Number(digits);
    return /^[+-]?\d{1,4}$/.test(digits) && number >= least && number <= most &&
      !(least < 0 && number === 0);
  });
}

/** The last wall-clock time that counts. A date counts whole; a time with a Z is an instant, any other is meant in the zone. */
function untilOf(
  until: string | undefined,
  { zone, text }: { readonly zone: string; readonly text: string },
): WallDate {
  if (until === undefined) return new Date(8.64e15);
  const [date, time] = [until.slice(0, 8), until.slice(8) || "T235959"];
  const day = date.replace(/^(....)(..)(..)$/, "$1-$2-$3");
  try {
    const wall = wallTimeOf(`${day}${time.replace(/^T(..)(..)(..).*$/, "T$1:$2:$3")}`);
    return wallOf(time.endsWith("Z") ? wall : instantOf(wall, zone).at, zone);
  } catch {
    throw wrong(text, `${quoted(until)} is no date that exists`);
  }
}

function basicForm(wall: WallDate): string {
  return wall.toISOString().replace(/[-:]/g, "").replace(/\.\d+Z$/, "Z");
}

function wrong(text: string, why: string): RangeError {
  return new RangeError(
    `rrule: ${
      quoted(text)
    } cannot be used: ${why}; expected a rule such as "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"`,
  );
}
