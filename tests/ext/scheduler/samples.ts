/** What the tests of the scheduler share: tasks, and a channel that remembers. */
import type {
  Channel,
  ChannelMessage,
  Delivery,
  NewTask,
  ScheduleStore,
} from "../../../ext/scheduler/mod.ts";

/** A one-off message to the channel `test`. */
export function message(dueAt: string, more: Partial<NewTask> = {}): NewTask {
  return {
    sessionId: "s",
    kind: "once",
    rule: "",
    zone: "UTC",
    mode: "message",
    text: "tea",
    channel: "test",
    dueAt: new Date(dueAt),
    ...more,
  };
}

/** A message by a cron expression. */
export function recurring(rule: string, dueAt: string, more: Partial<NewTask> = {}): NewTask {
  return message(dueAt, { kind: "cron", rule, ...more });
}

/** A channel that keeps what it delivers, and fails as it is told. */
export function memoryChannel(
  answer: (message: ChannelMessage) => Delivery | Promise<Delivery> = () => ({ ok: true }),
): Channel & { readonly messages: ChannelMessage[] } {
  const messages: ChannelMessage[] = [];
  return {
    name: "test",
    messages,
    async deliver(message) {
      messages.push(message);
      return await answer(message);
    },
  };
}

/** A store that fails at the first end of an occurrence, as one does whose disk is full or whose program is killed there. */
export function failingOnce(schedule: ScheduleStore, error: Error): ScheduleStore {
  let isBroken = true;
  return {
    add: (task) => schedule.add(task),
    get: (id) => schedule.get(id),
    list: (options) => schedule.list(options),
    cancel: (id) => schedule.cancel(id),
    occurrences: (id) => schedule.occurrences(id),
    nextWakeAt: () => schedule.nextWakeAt(),
    claim: (request) => schedule.claim(request),
    start: (claim, lease) => schedule.start(claim, lease),
    renew: (claim, lease) => schedule.renew(claim, lease),
    keepResult: (claim, result) => schedule.keepResult(claim, result),
    finish(claim, ending) {
      if (!isBroken) return schedule.finish(claim, ending);
      isBroken = false;
      return Promise.reject(error);
    },
  };
}
