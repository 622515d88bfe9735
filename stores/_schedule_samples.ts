/** What the suite of schedule stores feeds to them: tasks, instants, and whole occurrences. */
import assert from "node:assert/strict";
import type { ClaimedOccurrence, NewTask, ScheduleStore } from "../contracts/schedule.ts";

/** How long a claim holds. */
export const LEASE_MS = 60_000;

/** Minutes after some full hour. */
export function minute(n: number): Date {
  return new Date(1_767_225_600_000 + n * 60_000);
}

/** A task with everything that a case does not care about. */
export function sampleTask(more: Partial<NewTask> = {}): NewTask {
  return {
    sessionId: "s",
    kind: "once",
    rule: "",
    zone: "UTC",
    mode: "message",
    text: "tea",
    channel: "session",
    dueAt: minute(0),
    ...more,
  };
}

/** One that comes again each minute. */
export function recurring(more: Partial<NewTask> = {}): NewTask {
  return sampleTask({ kind: "cron", rule: "* * * * *", ...more });
}

/** Claims what is due at a minute. */
export function claimAt(
  schedule: ScheduleStore,
  at: number,
  workerId: string = "a",
): Promise<ClaimedOccurrence | undefined> {
  return schedule.claim({ workerId, now: minute(at), leaseMs: LEASE_MS });
}

/** The same, where something must be due. */
export async function mustClaim(
  schedule: ScheduleStore,
  at: number,
  workerId: string = "a",
): Promise<ClaimedOccurrence> {
  const claim = await claimAt(schedule, at, workerId);
  assert.ok(claim, `something is due at minute ${at}`);
  return claim;
}

/** A lease from a minute on. */
export function lease(at: number): { now: Date; leaseMs: number } {
  return { now: minute(at), leaseMs: LEASE_MS };
}

/** Goes through an occurrence that is due at a minute, to its end. */
export async function done(
  schedule: ScheduleStore,
  at: number,
  next?: Date,
): Promise<ClaimedOccurrence> {
  const claim = await mustClaim(schedule, at);
  assert.equal(await schedule.start(claim, lease(at)), true);
  const ending = {
    state: "done",
    now: minute(at),
    ...(next === undefined ? {} : { next }),
  } as const;
  assert.equal(await schedule.finish(claim, ending), true);
  return claim;
}

/** Deletes one of two sessions that have tasks, one of them claimed, and demands that the other's are left. */
export async function assertTasksGoWithSession(
  store: { readonly schedule: ScheduleStore; delete(sessionId: string): Promise<boolean> },
): Promise<void> {
  await store.schedule.add(sampleTask());
  const other = await store.schedule.add(sampleTask({ sessionId: "other" }));
  await mustClaim(store.schedule, 0);
  await store.delete("s");
  assert.deepEqual((await store.schedule.list()).map(({ id }) => id), [other.id]);
}
