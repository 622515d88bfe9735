/**
 * Ten years of schedules in five zones, done by the scheduler under a clock of the test's own, and compared instant by instant with what other packages say:
 * cronosjs for cron expressions, which knows the same rule for gaps and repeated times, and rrule for recurrence rules, whose wall-clock times luxon places in the zones.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { CronosExpression } from "npm:cronosjs@1.7.1";
import { DateTime } from "npm:luxon@3.7.2";
import rrulePackage from "npm:rrule@2.8.1";
import { runDue, type TaskRule } from "../../../ext/scheduler/mod.ts";
import { openRecurrence } from "../../../ext/scheduler/mod.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { memoryChannel, message } from "./samples.ts";

const FIRST = new Date("2026-01-01T00:00:00Z");
const LAST = new Date("2036-01-01T00:00:00Z");

// North and south, whole and half hours, and one without summer time. Nothing is known yet of how rules change until then, on any side.
const ZONES = [
  "America/New_York",
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Asia/Kathmandu",
] as const;
// What falls into gaps and repeated hours, on the days when clocks change and on all; months without the day; either of two days.
const CRONS = [
  "30 2 * 3,4,9-11 *",
  "0 0-3 * * 0",
  "*/20 1-2 * 3,4,9-11 0",
  "15 0 * * 0",
  "15 9 13 * 5",
  "0 0 31 * *",
  "0 12 29 2 *",
] as const;
const RRULES = [
  "FREQ=WEEKLY;BYDAY=SU;BYHOUR=0,1,2,3;BYMINUTE=10",
  "FREQ=MONTHLY;BYDAY=-1SU;BYHOUR=2;BYMINUTE=30",
  "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
  "FREQ=MONTHLY;BYMONTHDAY=31",
  "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
  "FREQ=WEEKLY;INTERVAL=3;BYDAY=TU,SA;COUNT=300",
  "FREQ=DAILY;INTERVAL=11;UNTIL=20330401",
] as const;
const START = "2026-01-01T02:30:00";

Deno.test("scheduler: ten years of cron expressions in five zones are done at the instants that another package gives", async () => {
  const rules = ZONES.flatMap((zone) =>
    CRONS.map((rule): TaskRule => ({ kind: "cron", rule, zone }))
  );
  const done = await simulate(rules);
  for (const { rule, zone } of rules) {
    // Where clocks change by half an hour the package takes the second of two times, against its own words: there its times of UTC are placed like those of rrule.
    const isHalf = zone === "Australia/Lord_Howe";
    const times = cronTimes(rule, isHalf ? "UTC" : zone);
    const expected = isHalf ? placed(times, zone) : times.map((at) => at.toISOString());
    compare(done.get(`${zone} ${rule}`), expected, `${zone} ${rule}`);
  }
});

Deno.test("scheduler: ten years of recurrence rules in five zones are done at the instants that another package gives", async () => {
  const rules = ZONES.flatMap((zone) =>
    RRULES.map((rule): TaskRule => ({ kind: "rrule", rule, zone, startsAt: START }))
  );
  const done = await simulate(rules);
  for (const { rule, zone } of rules) {
    compare(done.get(`${zone} ${rule}`), placed(ruleTimes(rule), zone), `${zone} ${rule}`);
  }
});

function compare(actual: readonly string[] = [], expected: readonly string[], what: string): void {
  ok(expected.length > 1, `${what} has something to compare`);
  const differs = expected.findIndex((instant, at) => instant !== actual[at]);
  deepEqual(actual[differs], expected[differs], `${what}, occurrence ${differs}`);
  equal(actual.length, expected.length, what);
}

/** What the scheduler does within ten years, by zone and rule. */
async function simulate(rules: readonly TaskRule[]): Promise<Map<string, string[]>> {
  let now = FIRST;
  const { schedule } = new MemoryStore({ now: () => now });
  const test = memoryChannel();
  for (const rule of rules) {
    const dueAt = (await openRecurrence(rule)).next(FIRST);
    ok(dueAt);
    await schedule.add(message("2026-01-01T00:00:00Z", {
      ...rule,
      sessionId: rule.zone,
      text: `${rule.zone} ${rule.rule}`,
      dueAt,
    }));
  }
  for (;;) {
    const next = await schedule.nextWakeAt();
    if (next === undefined || next >= LAST) break;
    now = next;
    const reports = await runDue({ schedule, channels: [test], now: () => now, staggerMs: 0 });
    ok(
      reports.every(({ state, lateMs, missed }) =>
        state === "done" && lateMs === 0 && missed === 0
      ),
    );
  }
  equal(new Set(test.messages.map(({ id }) => id)).size, test.messages.length, "none comes twice");
  const byText = Map.groupBy(test.messages, ({ text }) => text);
  return new Map(
    [...byText].map(([text, messages]) => [text, messages.map(({ at }) => at.toISOString())]),
  );
}

/** All times of an expression, with a day more on both sides where they are to be placed yet. */
function cronTimes(rule: string, timezone: string): Date[] {
  const more = timezone === "UTC" ? 86_400_000 : 0;
  const expression = CronosExpression.parse(rule, { timezone });
  const found: Date[] = [];
  let at = expression.nextDate(new Date(FIRST.getTime() - more));
  while (at !== null && at.getTime() < LAST.getTime() + more) {
    found.push(at);
    at = expression.nextDate(at);
  }
  return found;
}

/** The wall-clock times of a rule, as dates of UTC. */
function ruleTimes(rule: string): Date[] {
  const { rrulestr } = rrulePackage;
  // A date counts whole, which the package does not know.
  const text = rule.replace(/UNTIL=(\d{8})$/, "UNTIL=$1T235959Z");
  return rrulestr(`DTSTART:${START.replace(/[-:]/g, "")}Z\nRRULE:${text}`)
    .between(FIRST, new Date(LAST.getTime() + 86_400_000), true);
}

/** Wall-clock times, placed in a zone: skipped ones at the end of the gap, repeated ones the first time, none twice. */
function placed(walls: readonly Date[], zone: string): string[] {
  const found = new Set<string>();
  for (const wall of walls) {
    const at = wall.toISOString().slice(0, 19);
    let zoned = DateTime.fromISO(at, { zone });
    if (shown(zoned) === at) {
      const repeated = [30, 60].map((minutes) => zoned.minus({ minutes }));
      zoned = repeated.find((other) => shown(other) === at) ?? zoned;
    } else {
      // The package moves a skipped time on by the gap; the gap ends where the offset begins.
      for (;;) {
        const before = zoned.minus({ minutes: 1 });
        if (before.offset !== zoned.offset) break;
        zoned = before;
      }
    }
    const instant = zoned.toJSDate();
    if (instant > FIRST && instant < LAST) found.add(instant.toISOString());
  }
  return [...found];
}

function shown(zoned: DateTime): string | undefined {
  return zoned.toISO()?.slice(0, 19);
}
