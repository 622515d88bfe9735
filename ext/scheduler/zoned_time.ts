/** Between instants and what a clock on the wall shows in a zone. The rules for times that a zone skips or repeats are here, for everything that is scheduled. */

/** A wall-clock time as an instant: that of the same figures in UTC. What counts calendars without zones works on these. */
export type WallDate = Date;

/**
 * The zone's name as the database of time zones writes it.
 *
 * @throws {RangeError} when there is no such zone. Offsets are none: they know nothing of summer time.
 */
export function checkedZone(name: string): string {
  if (/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(name)) {
    try {
      return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
    } catch {
      // Told below, with what was expected.
    }
  }
  throw new RangeError(
    `timezone: there is no time zone ${
      quoted(name)
    }; expected a name such as "Europe/Berlin", "America/New_York" or "UTC"`,
  );
}

/** What the clock on the wall shows at an instant. */
export function wallOf(at: Date, zone: string): WallDate {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return new Date(at.getTime() + Math.round(zoned.offsetNanoseconds / 1e6));
}

/**
 * The instant at which the clock on the wall first shows a time: the first of two where the zone repeats it, and the first instant behind the gap where it skips
 * the time.
 */
export function instantOf(
  wall: WallDate,
  zone: string,
): { readonly at: Date; readonly skipped: boolean } {
  const plain = Temporal.Instant.fromEpochMilliseconds(wall.getTime()).toZonedDateTimeISO("UTC")
    .toPlainDateTime();
  const zoned = plain.toZonedDateTime(zone, { disambiguation: "earlier" });
  if (zoned.toPlainDateTime().equals(plain)) {
    return { at: new Date(zoned.epochMilliseconds), skipped: false };
  }
  const end = zoned.getTimeZoneTransition("next");
  return { at: new Date((end ?? zoned).epochMilliseconds), skipped: true };
}

/** An instant in the zone's own words: `Sunday, 2026-09-27 19:15:00 -0300`. */
export function zonedText(at: Date, zone: string): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  const weekday = WEEKDAYS[zoned.dayOfWeek - 1];
  const time = zoned.toPlainTime().toString({ smallestUnit: "second" });
  return `${weekday}, ${zoned.toPlainDate()} ${time} ${zoned.offset.replace(":", "")}`;
}

/** A length of time in words, the two largest units: `2 hours 5 minutes`. */
export function durationText(ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1000));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
  }
  return parts.slice(0, 2).join(" ") || "0 seconds";
}

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]] as const;

/** A text as part of a message: on one line, in quotes, not too long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text).toWellFormed();
}
