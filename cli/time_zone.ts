/** Checks the zone that an option or a config file names, before anything is opened. */
import { usageError } from "./failure.ts";
import { oneLine } from "./terminal_text.ts";

/**
 * Gives the zone back.
 *
 * @param name what is said to name it: an option, or a key of a file
 * @throws {CliError} `usage` when there is no such zone.
 */
export function readTimeZone(name: string, zone: string): string {
  // An offset such as +03:00 is taken by the runtime, and is no place: it knows no summer time.
  if (/^[A-Za-z]/.test(zone) && isZone(zone)) return zone;
  throw usageError(
    `${name} takes the name of a time zone, such as America/Sao_Paulo or UTC, not ${
      oneLine(JSON.stringify(zone), 80)
    }`,
  );
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
