/** What the clock on the wall of a time zone shows at an instant. Pure: the clock is handed in, the zones are those of the runtime. */

/** Date and time in a zone. */
export interface WallClock {
  /** The English name of the day. */
  readonly weekday: string;
  /** `YYYY-MM-DD`; before the year 1 with a minus sign and astronomers' count, in which there is a year 0. */
  readonly date: string;
  /** `HH:MM:SS`. */
  readonly time: string;
  /** Its distance from UTC: `-0300`, `+0545`, and with seconds, as before zones had whole minutes, `-030628`. */
  readonly offset: string;
}

/** How names of the IANA database look; the longest has 32 characters. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

/**
 * Makes sure that a text names a zone.
 *
 * @throws {RangeError} when it does not.
 */
export function checkTimeZone(zone: string): string {
  const name: unknown = zone;
  if (typeof name === "string" && ZONE_NAME.test(name)) {
    try {
      new Intl.DateTimeFormat("en-US", { timeZone: name });
      return name;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const shown = typeof name === "string" ? JSON.stringify(name.slice(0, 64)) : typeof name;
  throw new RangeError(
    `${shown} is not the name of a time zone; names look like America/Sao_Paulo, Europe/Berlin or UTC`,
  );
}

/**
 * Reads the clock of a zone.
 *
 * @throws {RangeError} for a name that is no zone's, and for an invalid date.
 */
export function readWallClock(now: Date, zone: string): WallClock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: checkTimeZone(zone),
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    weekday: "long",
    era: "short",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const parts = new Map(
    format.formatToParts(checkedInstant(now)).map(({ type, value }) => [type, value] as const),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(part(type));
  const year = part("era").startsWith("B") ? 1 - number("year") : number("year");
  // Set in two steps: a constructor takes the year 50 for 1950.
  const wall = new Date(0);
  wall.setUTCFullYear(year, number("month") - 1, number("day"));
  wall.setUTCHours(number("hour"), number("minute"), number("second"));
  return {
    weekday: part("weekday"),
    date: `${yearText(year)}-${part("month")}-${part("day")}`,
    time: `${part("hour")}:${part("minute")}:${part("second")}`,
    offset: offsetText(wall.getTime() / 1000 - Math.floor(now.getTime() / 1000)),
  };
}

/**
 * Makes sure that a date is one.
 *
 * @throws {RangeError} when it is not.
 */
export function checkedInstant(at: Date): Date {
  if (at instanceof Date && Number.isFinite(at.getTime())) return at;
  throw new RangeError("the time must be a valid Date");
}

function yearText(year: number): string {
  return `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}`;
}

/** An offset in seconds. */
function offsetText(seconds: number): string {
  const size = Math.abs(seconds);
  const fields = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60];
  const shown = size % 60 === 0 ? fields.slice(0, 2) : fields;
  return (seconds < 0 ? "-" : "+") + shown.map((field) => String(field).padStart(2, "0")).join("");
}
