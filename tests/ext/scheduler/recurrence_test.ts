/** When recurring tasks are due, across the edges of zones and calendars. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { openRecurrence, type TaskRule } from "../../../ext/scheduler/mod.ts";
import { zonedText } from "../../../ext/scheduler/zoned_time.ts";

function cron(rule: string, zone: string = "UTC"): TaskRule {
  return { kind: "cron", rule, zone };
}

function rrule(
  rule: string,
  zone: string = "UTC",
  startsAt: string = "2026-01-01T09:00",
): TaskRule {
  return { kind: "rrule", rule, zone, startsAt };
}

async function due(task: TaskRule, from: string, count: number): Promise<string[]> {
  const recurrence = await openRecurrence(task);
  const found: string[] = [];
  let at: Date | undefined = new Date(from);
  while (found.length < count) {
    at = recurrence.next(at);
    if (at === undefined) return [...found, "never"];
    found.push(at.toISOString().slice(0, 16));
  }
  return found;
}

Deno.test("recurrence: a time that the clocks skip is due at the first instant behind the gap, the next day as ever (TIM-01)", async () => {
  for (
    const task of [
      cron("30 2 * * *", "America/New_York"),
      rrule("FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "America/New_York"),
    ]
  ) {
    deepEqual(await due(task, "2026-03-08T06:30:00Z", 2), ["2026-03-08T07:00", "2026-03-09T06:30"]);
  }
});

Deno.test("recurrence: several times in one gap are due once, behind it (TIM-01)", async () => {
  deepEqual(await due(cron("*/15 2 * * *", "America/New_York"), "2026-03-08T05:00:00Z", 3), [
    "2026-03-08T07:00",
    "2026-03-09T06:00",
    "2026-03-09T06:15",
  ]);
  // A whole day was skipped there.
  deepEqual(
    await due(cron("0 12 * * *", "Pacific/Apia"), "2011-12-29T12:00:00Z", 3),
    [
      "2011-12-29T22:00",
      "2011-12-30T10:00",
      "2011-12-30T22:00",
    ].slice(0, 3),
  );
  // And half an hour here.
  deepEqual(await due(cron("10 2 * * *", "Australia/Lord_Howe"), "2026-10-03T12:00:00Z", 2), [
    "2026-10-03T15:30",
    "2026-10-04T15:10",
  ]);
});

Deno.test("recurrence: a time that comes twice is due the first time, rules for every few minutes too", async () => {
  deepEqual(await due(cron("30 1 * * *", "America/New_York"), "2026-11-01T04:00:00Z", 2), [
    "2026-11-01T05:30",
    "2026-11-02T06:30",
  ]);
  deepEqual(await due(cron("*/30 * * * *", "America/New_York"), "2026-11-01T05:00:00Z", 3), [
    "2026-11-01T05:30",
    "2026-11-01T07:00",
    "2026-11-01T07:30",
  ]);
  // Asked from within the second time.
  deepEqual(await due(cron("30 1 * * *", "America/New_York"), "2026-11-01T06:10:00Z", 1), [
    "2026-11-02T06:30",
  ]);
});

Deno.test("recurrence: weekdays are those of the zone (TIM-05)", async () => {
  const auckland = rrule("FREQ=WEEKLY;BYDAY=MO;BYHOUR=1;BYMINUTE=0", "Pacific/Auckland");
  const denver = rrule("FREQ=WEEKLY;BYDAY=MO;BYHOUR=22;BYMINUTE=0", "America/Denver");
  deepEqual(await due(auckland, "2026-05-30T00:00:00Z", 1), ["2026-05-31T13:00"]);
  deepEqual(await due(denver, "2026-05-30T00:00:00Z", 1), ["2026-06-02T04:00"]);
  deepEqual(await due(cron("0 1 * * 1", "Pacific/Auckland"), "2026-05-30T00:00:00Z", 1), [
    "2026-05-31T13:00",
  ]);
  deepEqual(await due(cron("0 22 * * MON", "America/Denver"), "2026-05-30T00:00:00Z", 1), [
    "2026-06-02T04:00",
  ]);
});

Deno.test("recurrence: dates that never occur are never due, and that is known at once (TIM-08)", async () => {
  for (
    const task of [
      cron("0 0 30 2 *"),
      cron("0 0 31 4 *"),
      cron("0 0 31 2,4,6,9,11 *"),
      rrule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"),
      rrule("FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30"),
      rrule("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6"),
      rrule("FREQ=DAILY;UNTIL=20200101"),
    ]
  ) {
    deepEqual(await due(task, "2026-03-01T00:00:00Z", 1), ["never"], task.rule);
  }
});

Deno.test("recurrence: 29 February and day 31 are due in the years and months that have them (TIM-08)", async () => {
  deepEqual(await due(cron("0 0 29 2 *"), "2026-03-01T00:00:00Z", 2), [
    "2028-02-29T00:00",
    "2032-02-29T00:00",
  ]);
  deepEqual(await due(rrule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"), "2026-03-01T00:00:00Z", 1), [
    "2028-02-29T09:00",
  ]);
  const thirtyFirst = ["2026-03-31T09:00", "2026-05-31T09:00", "2026-07-31T09:00"];
  deepEqual(await due(cron("0 9 31 * *"), "2026-03-01T00:00:00Z", 3), thirtyFirst);
  deepEqual(
    await due(rrule("FREQ=MONTHLY;BYMONTHDAY=31"), "2026-03-01T00:00:00Z", 3),
    thirtyFirst,
  );
  // 2100 is no leap year.
  deepEqual(await due(cron("0 0 29 2 *"), "2096-03-01T00:00:00Z", 1), ["2104-02-29T00:00"]);
});

Deno.test("recurrence: where cron names a day of the month and one of the week, either is enough (TIM-09)", async () => {
  deepEqual(await due(cron("0 9 13 * 5"), "2026-04-01T00:00:00Z", 5), [
    "2026-04-03T09:00",
    "2026-04-10T09:00",
    "2026-04-13T09:00",
    "2026-04-17T09:00",
    "2026-04-24T09:00",
  ]);
  const february = await due(cron("0 0 31 2 1-5"), "2027-01-01T00:00:00Z", 21);
  deepEqual(february.slice(0, 5), [
    "2027-02-01T00:00",
    "2027-02-02T00:00",
    "2027-02-03T00:00",
    "2027-02-04T00:00",
    "2027-02-05T00:00",
  ]);
  deepEqual(february.slice(19), ["2027-02-26T00:00", "2028-02-01T00:00"]);
});

Deno.test("recurrence: a rule ends with its count or its last date, which counts whole", async () => {
  const days = ["2026-01-01T14:00", "2026-01-02T14:00", "2026-01-03T14:00"];
  for (
    const end of ["COUNT=3", "UNTIL=20260103", "UNTIL=20260103T090000", "UNTIL=20260103T140000Z"]
  ) {
    const task = rrule(`FREQ=DAILY;${end}`, "America/New_York");
    deepEqual(await due(task, "2025-12-01T00:00:00Z", 4), [...days, "never"], end);
  }
});

Deno.test("recurrence: what is no rule is refused with the part that is wrong", async () => {
  const refused = async (task: TaskRule, why: RegExp) => {
    await rejects(openRecurrence(task), (error) => {
      equal(error instanceof RangeError, true);
      match((error as Error).message, why);
      return true;
    }, task.rule);
  };
  await refused(cron("soon"), /five fields/);
  await refused(cron("* * * * * *"), /five fields/);
  await refused(cron("2026-01-01T00:00"), /five fields/);
  await refused(cron("@reboot"), /five fields/);
  await refused(cron("61 * * * *"), /minute/);
  await refused(rrule("BYDAY=MO"), /FREQ is missing/);
  await refused(rrule("FREQ=SECONDLY"), /out of range/);
  await refused(rrule("FREQ=DAILY;BYHOUR=25"), /"BYHOUR=25" is out of range/);
  await refused(rrule("FREQ=DAILY;BYMONTHDAY=0"), /out of range/);
  await refused(rrule("FREQ=DAILY;INTERVAL=0"), /out of range/);
  await refused(rrule("FREQ=DAILY;COUNT=999999999"), /out of range/);
  const all = (most: number) => Array.from({ length: most }, (_, number) => number).join();
  const often = `BYHOUR=${all(24)};BYMINUTE=${all(60)}`;
  await refused(rrule(`FREQ=YEARLY;${often}`), /too many times one by one; FREQ=HOURLY/);
  await refused(rrule(`FREQ=WEEKLY;BYDAY=MO,TU;${often}`), /too many times/);
  await openRecurrence(rrule(`FREQ=DAILY;${often}`));
  await openRecurrence(rrule(`FREQ=MINUTELY;${often}`));
  await openRecurrence(rrule(`FREQ=YEARLY;BYHOUR=${all(24)}`));
  await refused(rrule("FREQ=DAILY;BYDAY=XX"), /out of range/);
  await refused(rrule("FREQ=DAILY;FREQ=DAILY"), /FREQ comes twice/);
  await refused(rrule("FREQ=DAILY;COUNT=1;UNTIL=20260101"), /exclude/);
  await refused(rrule("FREQ=DAILY;UNTIL=20260230"), /no date that exists/);
  await refused(rrule("FREQ=DAILY\nDTSTART:19700101T000000Z"), /out of range|no part/);
  await refused(rrule("FREQ=DAILY;RSCALE=HEBREW"), /no part that is known/);
  await refused(rrule("FREQ=DAILY;__PROTO__=1"), /no part that is known/);
});

Deno.test("recurrence: an instant is said in the zone's own words", () => {
  const at = new Date("2026-09-27T22:15:00Z");
  equal(zonedText(at, "America/Sao_Paulo"), "Sunday, 2026-09-27 19:15:00 -0300");
  equal(zonedText(at, "Asia/Kathmandu"), "Monday, 2026-09-28 04:00:00 +0545");
});
