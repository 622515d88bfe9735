/** What every `ScheduleStore` must do. */
import assert from "node:assert/strict";
import { MAX_KEPT_ENDED, MAX_SESSION_TASKS } from "../contracts/schedule.ts";
import type { ContractCase, ScheduleStoreFixture } from "./_contract_fixture.ts";
import { FRAGILE_TEXTS } from "./_contract_samples.ts";
import { OCCURRENCE_CASES } from "./_occurrence_cases.ts";
import { minute, recurring, sampleTask } from "./_schedule_samples.ts";

export { SHARED_SCHEDULE_CASES } from "./_occurrence_cases.ts";

/** The cases for one handle. */
export const SCHEDULE_CASES: readonly ContractCase<ScheduleStoreFixture>[] = [
  {
    name: "gives a task back as it was",
    async run({ schedule }) {
      const task = recurring({
        scope: { workspaceId: "w", projectId: "p" },
        userId: "ada",
        kind: "rrule",
        rule: "FREQ=DAILY",
        startsAt: "2026-01-01T00:00",
        mode: "agent",
        title: "Tea",
      });
      const added = await schedule.add(task);
      assert.match(added.id, /^[0-9a-f]{12}$/);
      const { dueAt, ...rest } = task;
      const { id, createdAt, ...kept } = added;
      assert.deepEqual(kept, { ...rest, state: "waiting", nextDueAt: dueAt, attempts: 0 });
      assert.ok(createdAt instanceof Date);
      assert.deepEqual(await schedule.get(id), added);
      assert.deepEqual(await schedule.list(), [added]);
      assert.deepEqual(await schedule.occurrences(id), []);
      assert.equal(await schedule.get("unknown"), undefined);
    },
  },
  {
    name: "gives every text back as it was",
    async run({ schedule }) {
      for (const text of FRAGILE_TEXTS.filter((text) => text.trim() !== "")) {
        const { id } = await schedule.add(
          sampleTask({ sessionId: `s${text}`.toWellFormed(), text, title: text.slice(0, 20) }),
        );
        const kept = await schedule.get(id);
        assert.equal(kept?.text, text.toWellFormed());
        assert.equal(kept?.title, text.slice(0, 20).toWellFormed());
      }
    },
  },
  {
    name: "refuses what is no task",
    async run({ schedule }) {
      const refused = async (more: object, error: new () => Error) =>
        await assert.rejects(schedule.add(sampleTask(more)), error);
      await refused({ text: " " }, TypeError);
      await refused({ text: "x".repeat(8193) }, RangeError);
      await refused({ title: "x".repeat(201) }, RangeError);
      await refused({ kind: "never" }, TypeError);
      await refused({ kind: "cron" }, TypeError);
      await refused({ rule: "* * * * *" }, TypeError);
      await refused({ mode: "shout" }, TypeError);
      await refused({ dueAt: new Date(NaN) }, RangeError);
      await refused({ dueAt: 5 }, TypeError);
      await refused({ sessionId: "" }, TypeError);
      await refused({ scope: {} }, TypeError);
      assert.deepEqual(await schedule.list(), []);
    },
  },
  {
    name: "keeps no more waiting tasks of one session than it may, and says what to do",
    async run({ schedule }) {
      for (let n = 0; n < MAX_SESSION_TASKS; n++) await schedule.add(sampleTask());
      await assert.rejects(schedule.add(sampleTask()), /has 50 tasks that wait.*Cancel one/);
      await schedule.add(sampleTask({ sessionId: "other" }));
      const [first] = await schedule.list();
      assert.equal(await schedule.cancel(first!.id), true);
      await schedule.add(sampleTask());
    },
  },
  {
    name: "lists the next due first, and those that are over behind them, the newest first",
    async run({ schedule }) {
      const ids: string[] = [];
      for (const at of [3, 1, 2, 9, 8]) {
        ids.push((await schedule.add(sampleTask({ dueAt: minute(at) }))).id);
      }
      await schedule.add(sampleTask({ sessionId: "other", dueAt: minute(5) }));
      await schedule.cancel(ids[3]!);
      await schedule.cancel(ids[4]!);
      const order = (await schedule.list({ sessionId: "s" })).map(({ id }) => ids.indexOf(id));
      assert.deepEqual(order, [1, 2, 0, 4, 3]);
      assert.equal((await schedule.list()).length, 6);
      assert.equal((await schedule.list({ waitingOnly: true })).length, 4);
      assert.equal((await schedule.list({ limit: 2 })).length, 2);
    },
  },
  {
    name: "keeps the newest of the tasks that are over",
    async run({ schedule }) {
      for (let n = 0; n < MAX_KEPT_ENDED + 3; n++) {
        await schedule.cancel((await schedule.add(sampleTask({ text: `${n}` }))).id);
      }
      const tasks = await schedule.list();
      assert.equal(tasks[0]!.text, `${MAX_KEPT_ENDED + 2}`);
      assert.ok(tasks.length <= MAX_KEPT_ENDED, `${tasks.length} are kept`);
    },
  },
  ...OCCURRENCE_CASES,
];
