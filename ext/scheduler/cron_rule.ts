/**
 * Cron expressions of five fields: minute, hour, day of the month, month, day of the week. Where both day fields say something, either is enough, as cron has always had
 * it: `0 9 13 * 5` is every 13th and every Friday.
 */
import { Cron } from "npm:croner@11.0.1";
import type { WallRule } from "./wall_rule.ts";
import { quoted } from "./zoned_time.ts";

const NICKNAMES = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/**
 * Reads a cron expression.
 *
 * @throws {RangeError} when it is none, with what is wrong.
 */
export function cronRule(expression: string): WallRule {
  const given = expression.trim();
  // The package also takes dates, seconds and years.
  const isCron = given.startsWith("@")
    ? NICKNAMES.includes(given.toLowerCase())
    : given.split(/\s+/).length === 5;
  if (!isCron) {
    throw new RangeError(
      `cron: ${
        quoted(expression)
      } does not have five fields (minute, hour, day of month, month, day of week), such as "0 9 * * 1-5"`,
    );
  }
  try {
    // All figures are those of UTC: the package's own treatment of zones is not used, since rules of every kind are to have the same.
    const cron = new Cron(given, { utcOffset: 0, mode: "5-part" });
    return { next: (after) => cron.nextRun(after) ?? undefined };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "";
    throw new RangeError(`cron: ${quoted(expression)} is no cron expression: ${why.slice(0, 200)}`);
  }
}
