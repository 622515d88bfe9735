/** What every `ScheduleStore` must do with what is due: who gets it, once, and how it ends. */
import assert from "node:assert/strict";
import { MAX_KEPT_ENDED, type ScheduleStore } from "../contracts/schedule.ts";
import {
  anotherHandle,
  type ContractCase,
  type ScheduleStoreFixture,
} from "./_contract_fixture.ts";
import {
  claimAt,
  done,
  lease,
  LEASE_MS,
  minute,
  mustClaim,
  recurring,
  sampleTask,
} from "./_schedule_samples.ts";

type ScheduleCase = ContractCase<ScheduleStoreFixture>;

/** The cases for one handle. */
export const OCCURRENCE_CASES: readonly ScheduleCase[] = [
  {
    name: "has nothing to claim before it is due, and tells when it is",
    async run({ schedule }) {
      assert.equal(await schedule.nextWakeAt(), undefined);
      await schedule.add(sampleTask({ dueAt: minute(7) }));
      await schedule.add(sampleTask({ dueAt: minute(5) }));
      assert.deepEqual(await schedule.nextWakeAt(), minute(5));
      assert.equal(await claimAt(schedule, 4), undefined);
      const claim = await mustClaim(schedule, 5);
      assert.deepEqual([claim.occurrence.dueAt, claim.occurrence.state], [minute(5), "claimed"]);
      assert.deepEqual([claim.occurrence.attempts, claim.interrupted], [1, false]);
      assert.deepEqual(await schedule.nextWakeAt(), minute(6));
      assert.equal(await claimAt(schedule, 5), undefined);
    },
  },
  {
    name: "claims by mode, and what was due by an instant",
    async run({ schedule }) {
      await schedule.add(sampleTask({ mode: "agent" }));
      const request = { workerId: "a", now: minute(1), leaseMs: LEASE_MS };
      assert.equal(await schedule.claim({ ...request, modes: ["message"] }), undefined);
      assert.equal(await schedule.claim({ ...request, dueBy: minute(-1) }), undefined);
      assert.ok(await schedule.claim({ ...request, modes: ["agent"], dueBy: minute(0) }));
    },
  },
  {
    name: "goes through an occurrence, and on to the next",
    async run({ schedule }) {
      const { id } = await schedule.add(recurring());
      const claim = await mustClaim(schedule, 2);
      assert.equal(await schedule.start(claim, lease(2)), true);
      assert.equal(await schedule.start(claim, lease(2)), false, "begun once");
      assert.equal(await schedule.keepResult(claim, "the result"), true);
      assert.equal((await schedule.occurrences(id))[0]!.state, "started");
      const ending = { state: "done", now: minute(3), detail: "fine", next: minute(4) } as const;
      assert.equal(await schedule.finish(claim, ending), true);
      assert.equal(await schedule.finish(claim, ending), false, "ended once");
      assert.deepEqual(await schedule.occurrences(id), [{
        taskId: id,
        dueAt: minute(0),
        state: "done",
        attempts: 1,
        startedAt: minute(2),
        endedAt: minute(3),
        detail: "fine",
        result: "the result",
      }]);
      const task = await schedule.get(id);
      assert.deepEqual([task?.state, task?.nextDueAt, task?.attempts], ["waiting", minute(4), 0]);
      assert.deepEqual(task?.lastOutcome, {
        state: "done",
        dueAt: minute(0),
        endedAt: minute(3),
        detail: "fine",
      });
      assert.equal(await claimAt(schedule, 3), undefined);
      await done(schedule, 4);
      assert.equal((await schedule.get(id))?.state, "ended");
      assert.equal(await schedule.nextWakeAt(), undefined);
    },
  },
  {
    name: "refuses a next instant that is not later, so that none comes twice",
    async run({ schedule }) {
      await schedule.add(recurring());
      const claim = await mustClaim(schedule, 0);
      await schedule.start(claim, lease(0));
      const ending = { state: "done", now: minute(0), next: minute(0) } as const;
      await assert.rejects(schedule.finish(claim, ending), RangeError);
      assert.equal(await schedule.finish(claim, { ...ending, next: minute(1) }), true);
    },
  },
  {
    name: "gives an occurrence that was claimed and never begun to the next worker",
    async run({ schedule }) {
      await schedule.add(sampleTask());
      const lost = await mustClaim(schedule, 0, "a");
      assert.equal(await claimAt(schedule, 0.9, "b"), undefined);
      const taken = await mustClaim(schedule, 1, "b");
      assert.deepEqual([taken.interrupted, taken.occurrence.attempts], [false, 2]);
      assert.equal(await schedule.start(lost, lease(1)), false);
      assert.equal(await schedule.renew(lost, lease(1)), false);
      assert.equal(await schedule.start(taken, lease(1)), true);
    },
  },
  {
    name:
      "hands over as interrupted what was begun by a worker that was lost, never to be begun again",
    async run({ schedule }) {
      const { id } = await schedule.add(recurring());
      const lost = await mustClaim(schedule, 0, "a");
      await schedule.start(lost, lease(0));
      const taken = await mustClaim(schedule, 1, "b");
      assert.equal(taken.interrupted, true);
      assert.equal(await schedule.start(taken, lease(1)), false, "it is not begun again");
      const again = await mustClaim(schedule, 2, "c");
      assert.equal(again.interrupted, true, "also when the worker that was to tell of it was lost");
      const unknown = { state: "unknown", now: minute(2), next: minute(5) } as const;
      assert.equal(await schedule.finish(again, unknown), true);
      assert.equal(await schedule.finish(lost, { ...unknown, state: "done" }), false);
      assert.equal((await schedule.get(id))?.lastOutcome?.state, "unknown");
      assert.equal(await claimAt(schedule, 4), undefined);
    },
  },
  {
    name: "never gives a worker what it holds itself, however long it took",
    async run({ schedule }) {
      await schedule.add(sampleTask());
      const claim = await mustClaim(schedule, 0, "a");
      await schedule.start(claim, lease(0));
      assert.equal(await claimAt(schedule, 600, "a"), undefined);
      assert.equal(await schedule.renew(claim, lease(600)), true);
      assert.equal(await claimAt(schedule, 600.5, "b"), undefined);
    },
  },
  {
    name: "tries again when it is time, by any worker",
    async run({ schedule }) {
      const { id } = await schedule.add(sampleTask());
      const claim = await mustClaim(schedule, 0, "a");
      await schedule.start(claim, lease(0));
      const retry = { state: "retrying", now: minute(0), detail: "no answer", retryAt: minute(3) };
      assert.equal(await schedule.finish(claim, { ...retry, state: "retrying" }), true);
      const task = await schedule.get(id);
      assert.deepEqual([task?.attempts, task?.retryAt], [1, minute(3)]);
      assert.deepEqual(await schedule.nextWakeAt(), minute(3));
      assert.equal(await claimAt(schedule, 2, "a"), undefined);
      const second = await mustClaim(schedule, 3, "a");
      assert.deepEqual([second.interrupted, second.occurrence.attempts], [false, 2]);
      await schedule.start(second, lease(3));
      await schedule.finish(second, { state: "done", now: minute(3) });
      assert.equal("detail" in (await schedule.occurrences(id))[0]!, false);
    },
  },
  {
    name: "takes an attempt back at which nothing could be tried, and keeps the others",
    async run({ schedule }) {
      const { id } = await schedule.add(sampleTask());
      const putOff = async (at: number, uncounted: boolean) => {
        const claim = await mustClaim(schedule, at);
        await schedule.start(claim, lease(at));
        const retry = { now: minute(at), detail: "busy", retryAt: minute(at + 1), uncounted };
        assert.equal(await schedule.finish(claim, { ...retry, state: "retrying" }), true);
        assert.equal(await schedule.finish(claim, { ...retry, state: "retrying" }), false);
        return (await schedule.get(id))?.attempts;
      };
      assert.equal(await putOff(0, true), 0);
      assert.equal(await putOff(1, false), 1);
      assert.equal(await putOff(2, true), 1);
      assert.deepEqual((await schedule.get(id))?.retryAt, minute(3));
    },
  },
  {
    name: "cancels a task, also one that was claimed; one that has begun goes on",
    async run({ schedule }) {
      const { id } = await schedule.add(recurring());
      const claim = await mustClaim(schedule, 0);
      assert.equal(await schedule.cancel(id), true);
      assert.equal(await schedule.cancel(id), false);
      assert.equal(await schedule.cancel("unknown"), false);
      assert.equal(await schedule.start(claim, lease(0)), false);
      assert.equal(await schedule.nextWakeAt(), undefined);
      assert.equal((await schedule.get(id))?.state, "cancelled");

      const begun = await schedule.add(recurring());
      const going = await mustClaim(schedule, 0);
      await schedule.start(going, lease(0));
      assert.equal(await schedule.cancel(begun.id), true);
      const ending = { state: "done", now: minute(0), next: minute(1) } as const;
      assert.equal(await schedule.finish(going, ending), true);
      assert.equal((await schedule.get(begun.id))?.lastOutcome?.state, "done");
      assert.equal(await claimAt(schedule, 9), undefined);
    },
  },
  {
    name: "does not put off what was cancelled meanwhile",
    async run({ schedule }) {
      const { id } = await schedule.add(recurring());
      const claim = await mustClaim(schedule, 0);
      await schedule.start(claim, lease(0));
      await schedule.cancel(id);
      await schedule.finish(claim, {
        state: "retrying",
        now: minute(0),
        detail: "no answer",
        retryAt: minute(1),
      });
      assert.equal((await schedule.get(id))?.lastOutcome?.state, "failed");
      assert.equal(await schedule.nextWakeAt(), undefined);
    },
  },
  {
    name: "keeps the newest of a task's occurrences",
    async run({ schedule }) {
      const { id } = await schedule.add(recurring());
      for (let n = 0; n < MAX_KEPT_ENDED + 5; n++) await done(schedule, n, minute(n + 1));
      const kept = await schedule.occurrences(id);
      assert.equal(kept.length, MAX_KEPT_ENDED);
      assert.deepEqual(kept[0]!.dueAt, minute(MAX_KEPT_ENDED + 4));
    },
  },
];

/** The cases for two handles on the same storage. */
export const SHARED_SCHEDULE_CASES: readonly ScheduleCase[] = [
  {
    name: "gives each occurrence to one of several workers that ask at once",
    async run(fixture) {
      const another = await anotherHandle(fixture);
      try {
        for (let n = 0; n < 20; n++) await fixture.schedule.add(sampleTask());
        const drain = async (schedule: ScheduleStore, workerId: string) => {
          const ids: string[] = [];
          for (;;) {
            const claim = await claimAt(schedule, 0, workerId);
            if (claim === undefined) return ids;
            ids.push(claim.task.id);
          }
        };
        const [a, b] = await Promise.all([
          drain(fixture.schedule, "a"),
          drain(another.schedule, "b"),
        ]);
        assert.equal(a.length + b.length, 20);
        assert.equal(new Set([...a, ...b]).size, 20);
      } finally {
        await another.close?.();
      }
    },
  },
];
