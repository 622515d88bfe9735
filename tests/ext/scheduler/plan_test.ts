/** What a model asks for, and what comes of it: a task, or an error that says how to put it right. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { planTask, type TaskRequest } from "../../../ext/scheduler/plan_task.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const OPTIONS = {
  channels: ["session"],
  timezone: "Europe/Berlin",
  minMessageIntervalMs: 60_000,
  minAgentIntervalMs: 900_000,
  now: () => NOW,
};

function plan(request: Partial<TaskRequest>, options: Partial<typeof OPTIONS> = {}) {
  return planTask({ text: "tea", execution_mode: "message", ...request }, {
    ...OPTIONS,
    ...options,
  });
}

async function firstDue(request: Partial<TaskRequest>): Promise<string> {
  return (await plan(request)).task.dueAt.toISOString();
}

async function refused(request: Partial<TaskRequest>, why: RegExp): Promise<void> {
  await rejects(plan(request), (error) => {
    equal(error instanceof RangeError, true, String(error));
    match((error as Error).message, why);
    return true;
  }, JSON.stringify(request));
}

Deno.test("proactive_create: a time is meant in the zone, unless it says another offset", async () => {
  equal(await firstDue({ at: "2026-03-02T09:00" }), "2026-03-02T08:00:00.000Z");
  equal(await firstDue({ at: "2026-03-02 09:00:30" }), "2026-03-02T08:00:30.000Z");
  equal(await firstDue({ at: "2026-03-02T09:00Z" }), "2026-03-02T09:00:00.000Z");
  equal(await firstDue({ at: "2026-03-02T09:00-03:30" }), "2026-03-02T12:30:00.000Z");
  equal(
    await firstDue({ at: "2026-03-02T09:00", timezone: "Asia/Tokyo" }),
    "2026-03-02T00:00:00.000Z",
  );
  equal(await firstDue({ at: "9999-12-31T23:59", timezone: "UTC" }), "9999-12-31T23:59:00.000Z");
});

Deno.test("proactive_create: dates and times that do not exist are errors, never other dates (TIM-08)", async () => {
  for (
    const at of [
      "2026-02-30T09:00",
      "2026-02-29T09:00",
      "2026-04-31T09:00",
      "2026-13-01T09:00",
      "2026-03-02T24:00",
      "2026-03-02T09:60",
      "2026-03-02T09:00:60",
      "2026-03-02T09:00+25:00",
      "2026-03-02",
      "tomorrow",
      "2026-03-02T09:00[Asia/Tokyo]",
      "",
    ]
  ) {
    await refused({ at }, /no date and time that exists/);
  }
});

Deno.test("proactive_create: a time that the clocks skip is moved behind the gap, and that is told", async () => {
  const { task, note } = await plan({ at: "2026-03-29T02:30" });
  equal(task.dueAt.toISOString(), "2026-03-29T01:00:00.000Z");
  match(note ?? "", /does not exist that day/);
  const twice = await plan({ at: "2026-10-25T02:30" });
  equal(twice.task.dueAt.toISOString(), "2026-10-25T00:30:00.000Z");
  equal(twice.note, undefined);
});

Deno.test("proactive_create: a past time is refused with the present one", async () => {
  await refused(
    { at: "2026-03-01T12:59" },
    /12:59:00 \+0100 has passed; it is now Sunday, 2026-03-01 13:00:00 \+0100 \(Europe\/Berlin\)/,
  );
  await refused({ at: "2026-03-01T13:00" }, /has passed/);
  equal(await firstDue({ at: "2026-03-01T13:01" }), "2026-03-01T12:01:00.000Z");
});

Deno.test("proactive_create: delays are read in the forms that models write", async () => {
  const minutes = async (request: Partial<TaskRequest>) =>
    (Date.parse(await firstDue(request)) - NOW.getTime()) / 60_000;
  equal(await minutes({ delay: "2m" }), 2);
  equal(await minutes({ delay: "90 s" }), 1.5);
  equal(await minutes({ delay: "1h30m" }), 90);
  equal(await minutes({ delay: "2 days 1 hour" }), 2940);
  equal(await minutes({ delay: "1 week" }), 10_080);
  equal(await minutes({ delay: "0.5 hours" }), 30);
  equal(await minutes({ delay_ms: 60_000 }), 1);
  for (const delay of ["", "0m", "soon", "2", "-2m", "2m later", "m", "1e9m"]) {
    await refused({ delay }, /no length of time/);
  }
  await refused({ delay: "999999999999 weeks" }, /too far ahead/);
});

Deno.test("proactive_create: exactly one way of telling the time is taken", async () => {
  await refused({}, /none was given/);
  await refused({ at: "2026-03-02T09:00", delay: "2m" }, /at and delay were given/);
  await refused({ cron: "0 9 * * *", rrule: "FREQ=DAILY" }, /cron and rrule were given/);
});

Deno.test("proactive_create: rules that are never due, or too often, are refused at once (TIM-08)", async () => {
  await refused({ cron: "0 0 30 2 *" }, /never due after Sunday, 2026-03-01/);
  await refused({ cron: "0 0 31 4 *" }, /never due/);
  await refused({ rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" }, /never due/);
  await refused({ rrule: "FREQ=DAILY;UNTIL=20200101" }, /never due/);
  await refused(
    { cron: "*/5 * * * *", execution_mode: "agent" },
    /agent run may be due every 15 minutes at most/,
  );
  await refused({ cron: "0,10 9 * * *", execution_mode: "agent" }, /too often/);
  await rejects(plan({ cron: "* * * * *" }, { minMessageIntervalMs: 120_000 }), /every 2 minutes/);
  equal((await plan({ cron: "* * * * *" })).next.length, 3);
  equal((await plan({ cron: "*/15 * * * *", execution_mode: "agent" })).next.length, 3);
});

Deno.test("proactive_create: a rule begins now or at its start, and an hour means the full hour", async () => {
  const monday = await plan({ rrule: "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9" });
  equal(monday.task.dueAt.toISOString(), "2026-03-02T08:00:00.000Z");
  const counted = await plan({ rrule: "RRULE:FREQ=HOURLY;COUNT=2" }, {
    now: () => new Date("2026-03-01T12:00:20Z"),
  });
  deepEqual(counted.next.map((at) => at.toISOString()), [
    "2026-03-01T12:01:00.000Z",
    "2026-03-01T13:01:00.000Z",
  ]);
  const started = await plan({ rrule: "FREQ=DAILY;INTERVAL=2", at: "2026-03-05T18:30" });
  deepEqual(started.next.map((at) => at.toISOString()), [
    "2026-03-05T17:30:00.000Z",
    "2026-03-07T17:30:00.000Z",
    "2026-03-09T17:30:00.000Z",
  ]);
  await refused({ rrule: "FREQ=DAILY", at: "2026-03-05T18:30Z" }, /without Z or an offset/);
});

Deno.test("proactive_create: texts are bounded, zones and channels have to be there", async () => {
  const at = "2026-03-02T09:00";
  await refused({ at, text: " " }, /text: it is empty/);
  await refused({ at, text: "x".repeat(8193) }, /8192 bytes may be used/);
  await refused({ at, title: "x".repeat(201) }, /title: 200 bytes/);
  await refused({ cron: `0 9 ${"1,".repeat(300)}1 * *` }, /cron: 500 bytes/);
  await refused({ at, channel: "webhook" }, /no channel "webhook"; there is "session"/);
  for (const timezone of ["Mars/Olympus", "+03:00", "", "Europe/Berlin; DROP", "../etc"]) {
    await refused({ at, timezone }, /no time zone/);
  }
  equal((await plan({ at, timezone: "europe/berlin" })).task.zone, "Europe/Berlin");
});
