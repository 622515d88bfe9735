/** What is due, done: once, late where it is late, and told where it went wrong. Over both stores. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { ScheduleStore } from "../../../contracts/schedule.ts";
import {
  type AgentRequest,
  runDue,
  type RunDueOptions,
  sessionChannel,
} from "../../../ext/scheduler/mod.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { openSqliteStore } from "../../../stores/sqlite/mod.ts";
import { failingOnce, memoryChannel, message, recurring } from "./samples.ts";

const HOUR_MS = 3_600_000;

function over(name: string, run: (schedule: ScheduleStore) => Promise<void>): void {
  Deno.test(`runDue: ${name} (memory)`, () => run(new MemoryStore().schedule));
  Deno.test(`runDue: ${name} (SQLite)`, async () => {
    await using store = openSqliteStore(":memory:");
    await run(store.schedule);
  });
}

/** Runs at a time of the test's choice. */
function at(time: string, options: Omit<RunDueOptions, "now">) {
  return runDue({ staggerMs: 0, ...options, now: () => new Date(time) });
}

over("a task is done once when it is due, and not before", async (schedule) => {
  const test = memoryChannel();
  const { id } = await schedule.add(message("2026-03-01T10:00:00Z", { title: "Tea" }));
  deepEqual(await at("2026-03-01T09:59:59Z", { schedule, channels: [test] }), []);
  const [report] = await at("2026-03-01T10:00:02Z", { schedule, channels: [test] });
  deepEqual([report?.state, report?.lateMs, report?.missed], ["done", 2000, 0]);
  deepEqual(test.messages, [{
    id: `${id}@2026-03-01T10:00:00.000Z`,
    kind: "message",
    taskId: id,
    sessionId: "s",
    title: "Tea",
    text: "tea",
    zone: "UTC",
    dueAt: new Date("2026-03-01T10:00:00Z"),
    lateMs: 2000,
    missed: 0,
    at: new Date("2026-03-01T10:00:02Z"),
  }]);
  deepEqual(await at("2026-03-02T10:00:00Z", { schedule, channels: [test] }), []);
  equal((await schedule.get(id))?.state, "ended");
});

over(
  "an hourly task that was missed for a day is made up for once, then the usual hours go on (TIM-07)",
  async (schedule) => {
    const test = memoryChannel();
    await schedule.add(recurring("0 * * * *", "2026-03-01T10:00:00Z"));
    const [report] = await at("2026-03-02T10:30:00Z", { schedule, channels: [test] });
    deepEqual([report?.lateMs, report?.missed], [24.5 * HOUR_MS, 24]);
    deepEqual(report?.next, new Date("2026-03-02T11:00:00Z"));
    deepEqual(await at("2026-03-02T10:59:00Z", { schedule, channels: [test] }), []);
    const [next] = await at("2026-03-02T11:00:00Z", { schedule, channels: [test] });
    deepEqual([next?.lateMs, next?.missed], [0, 0]);
    equal(test.messages.length, 2);
  },
);

over("a one-off that was missed is done once, with its lateness (TIM-07)", async (schedule) => {
  const test = memoryChannel();
  await schedule.add(message("2026-03-01T10:00:00Z"));
  const [report] = await at("2026-03-04T10:00:00Z", { schedule, channels: [test] });
  equal(report?.lateMs, 72 * HOUR_MS);
  equal(test.messages[0]?.lateMs, 72 * HOUR_MS);
  deepEqual(await at("2026-03-05T10:00:00Z", { schedule, channels: [test] }), []);
});

over("a clock that is set back or forward does nothing twice (TIM-06)", async (schedule) => {
  const test = memoryChannel();
  await schedule.add(recurring("0 * * * *", "2026-03-01T10:00:00Z"));
  await schedule.add(message("2026-03-01T10:00:00Z"));
  const run = (time: string) => at(time, { schedule, channels: [test] });
  await run("2026-03-01T10:00:00Z");
  await run("2026-03-01T08:00:00Z");
  await run("2026-03-01T10:00:00Z");
  equal(test.messages.length, 2);
  await run("2026-03-01T12:30:00Z");
  await run("2026-03-01T11:00:00Z");
  await run("2026-03-01T12:00:00Z");
  equal(test.messages.length, 3);
  const due = test.messages.map(({ id }) => id);
  equal(new Set(due).size, due.length);
});

over("what fails is tried again, later each time, then given up and told", async (schedule) => {
  const test = memoryChannel(({ kind }) =>
    kind === "notice" ? { ok: true } : { ok: false, reason: "the line is busy", retry: true }
  );
  const { id } = await schedule.add(message("2026-03-01T10:00:00Z", { title: "Tea" }));
  const options = { schedule, channels: [test], maxAttempts: 3, retryDelayMs: 60_000 };
  const [first] = await at("2026-03-01T10:00:00Z", options);
  deepEqual([first?.state, first?.retryAt], ["retrying", new Date("2026-03-01T10:01:00Z")]);
  deepEqual(await at("2026-03-01T10:00:30Z", options), []);
  const [second] = await at("2026-03-01T10:01:00Z", options);
  deepEqual([second?.state, second?.retryAt], ["retrying", new Date("2026-03-01T10:03:00Z")]);
  const [third] = await at("2026-03-01T10:03:00Z", options);
  equal(third?.state, "failed");
  equal(third?.detail, "the line is busy (given up after 3 attempts)");
  const notice = test.messages.at(-1);
  equal(notice?.kind, "notice");
  match(notice?.text ?? "", /could not be done: task .* "Tea".*the line is busy/);
  equal(new Set(test.messages.slice(0, 3).map(({ id }) => id)).size, 1, "one id for all attempts");
  equal((await schedule.get(id))?.lastOutcome?.state, "failed");
});

over("a channel may ask for time before the next attempt, a day at most", async (schedule) => {
  const test = memoryChannel(({ text }) => ({
    ok: false,
    reason: "later",
    retry: true,
    retryAfterMs: Number(text) * HOUR_MS,
  }));
  await schedule.add(message("2026-03-01T10:00:00Z", { text: "2" }));
  await schedule.add(message("2026-03-01T10:00:00Z", { text: "2000" }));
  const reports = await at("2026-03-01T10:00:00Z", { schedule, channels: [test], concurrency: 1 });
  deepEqual(reports.map(({ retryAt }) => retryAt?.toISOString()), [
    "2026-03-01T12:00:00.000Z",
    "2026-03-02T10:00:00.000Z",
  ]);
});

over(
  "a failure that no attempt can help is told at once, and a recurring task goes on",
  async (schedule) => {
    const test = memoryChannel(() => ({ ok: false, reason: "gone", retry: false }));
    await schedule.add(recurring("0 10 * * *", "2026-03-01T10:00:00Z"));
    const [report] = await at("2026-03-01T10:00:00Z", { schedule, channels: [test] });
    deepEqual([report?.state, report?.next], ["failed", new Date("2026-03-02T10:00:00Z")]);
  },
);

over(
  "a channel that throws, or is not there, is a failure that is tried again",
  async (schedule) => {
    const test = memoryChannel(() => {
      throw new Error("no paper");
    });
    await schedule.add(message("2026-03-01T10:00:00Z"));
    await schedule.add(message("2026-03-01T10:00:01Z", { channel: "fax" }));
    const reports = await at("2026-03-01T11:00:00Z", { schedule, channels: [test] });
    deepEqual(reports.map(({ detail }) => detail).sort(), [
      "no paper",
      'there is no channel "fax" here',
    ]);
    deepEqual(reports.map(({ state }) => state), ["retrying", "retrying"]);
  },
);

over(
  "where a session is busy, that is no attempt: the task waits as long as it takes",
  async (schedule) => {
    let isBusy = true;
    const failure = { ok: false, reason: "busy", retry: true } as const;
    const test = memoryChannel(() =>
      isBusy ? { ...failure, busy: true, retryAfterMs: 1000 } : failure
    );
    const runAgent = () => Promise.resolve({ ...failure, busy: isBusy });
    await schedule.add(message("2026-03-01T10:00:00Z"));
    await schedule.add(message("2026-03-01T10:00:00Z", { mode: "agent" }));
    const options = { schedule, channels: [test], runAgent, maxAttempts: 2, retryDelayMs: 60_000 };
    for (let minute = 10; minute < 20; minute++) {
      const reports = await at(`2026-03-01T10:${minute}:00Z`, options);
      deepEqual(reports.map(({ state, retryAt }) => [state, Number(retryAt) % 60_000]).sort(), [
        ["retrying", 0],
        ["retrying", 1000],
      ]);
    }
    isBusy = false;
    const states = async (time: string) => (await at(time, options)).map(({ state }) => state);
    deepEqual(await states("2026-03-01T11:00:00Z"), ["retrying", "retrying"]);
    deepEqual(await states("2026-03-01T12:00:00Z"), ["failed", "failed"]);
  },
);

over("what a lost worker had begun is told as unknown and not done again", async (schedule) => {
  const test = memoryChannel();
  const { id } = await schedule.add(recurring("0 10 * * *", "2026-03-01T10:00:00Z"));
  const now = new Date("2026-03-01T10:00:00Z");
  const lost = await schedule.claim({ workerId: "lost", now, leaseMs: 60_000 });
  ok(lost);
  await schedule.start(lost, { now, leaseMs: 60_000 });
  deepEqual(await at("2026-03-01T10:00:59Z", { schedule, channels: [test] }), []);
  const [report] = await at("2026-03-01T10:01:00Z", { schedule, channels: [test] });
  deepEqual([report?.state, report?.next], ["unknown", new Date("2026-03-02T10:00:00Z")]);
  deepEqual(test.messages.map(({ kind }) => kind), ["notice"]);
  match(test.messages[0]?.text ?? "", /not known what became of task/);
  deepEqual(await at("2026-03-01T10:05:00Z", { schedule, channels: [test] }), []);
  equal((await schedule.get(id))?.lastOutcome?.state, "unknown");
});

over(
  "a run is made with what is due, in its session, and its answer is delivered",
  async (schedule) => {
    const test = memoryChannel();
    const asked: AgentRequest[] = [];
    const { id } = await schedule.add(message("2026-03-01T10:00:00Z", {
      mode: "agent",
      title: "News",
      text: "Sum up the news.",
      scope: { workspaceId: "w" },
      userId: "ada",
    }));
    deepEqual(
      await at("2026-03-01T12:05:00Z", { schedule, channels: [test] }),
      [],
      "no agent here",
    );
    const [report] = await at("2026-03-01T12:05:00Z", {
      schedule,
      channels: [test],
      runAgent: (request) => {
        asked.push(request);
        return Promise.resolve({ ok: true, text: "All is well." });
      },
    });
    equal(report?.state, "done");
    deepEqual([asked[0]?.sessionId, asked[0]?.scope, asked[0]?.userId, asked[0]?.occurrenceId], [
      "s",
      { workspaceId: "w" },
      "ada",
      `${id}@2026-03-01T10:00:00.000Z`,
    ]);
    match(
      asked[0]?.message ?? "",
      /"News", due Sunday, 2026-03-01 10:00:00 \+0000 \(2 hours 5 minutes late\).*\n\nSum up the news\.$/,
    );
    deepEqual(test.messages.map(({ kind, text }) => [kind, text]), [["answer", "All is well."]]);
  },
);

over("a run whose answer could not be delivered is not made again", async (schedule) => {
  let isOpen = false;
  const test = memoryChannel(() =>
    isOpen ? { ok: true } : { ok: false, reason: "closed", retry: true }
  );
  let runs = 0;
  const options = {
    schedule,
    channels: [test],
    runAgent: () => Promise.resolve({ ok: true, text: `run ${++runs}` } as const),
  };
  await schedule.add(message("2026-03-01T10:00:00Z", { mode: "agent" }));
  await at("2026-03-01T10:00:00Z", options);
  isOpen = true;
  const [report] = await at("2026-03-01T11:00:00Z", options);
  deepEqual([report?.state, runs, test.messages.at(-1)?.text], ["done", 1, "run 1"]);
});

over("a run that failed is tried again only where nothing was done", async (schedule) => {
  const test = memoryChannel();
  await schedule.add(message("2026-03-01T10:00:00Z", { mode: "agent", text: "busy" }));
  await schedule.add(message("2026-03-01T10:00:01Z", { mode: "agent", text: "limit" }));
  await schedule.add(message("2026-03-01T10:00:02Z", { mode: "agent", text: "bug" }));
  const reports = await at("2026-03-01T11:00:00Z", {
    schedule,
    channels: [test],
    runAgent: ({ task: { text } }) => {
      if (text === "bug") throw new Error("broken");
      return Promise.resolve({ ok: false, reason: text, retry: text === "busy" });
    },
  });
  deepEqual(reports.map(({ task, state }) => [task.text, state]), [
    ["busy", "retrying"],
    ["limit", "failed"],
    ["bug", "failed"],
  ]);
});

over("occurrences go on a few at once, runs one by one", async (schedule) => {
  let going = 0;
  let most = 0;
  let mostAgents = 0;
  const enter = async () => {
    most = Math.max(most, ++going);
    await new Promise<void>((resolve) => setImmediate(resolve));
    going--;
  };
  let agents = 0;
  for (let n = 0; n < 10; n++) {
    await schedule.add(message("2026-03-01T10:00:00Z"));
    await schedule.add(message("2026-03-01T10:00:00Z", { mode: "agent", sessionId: `s${n}` }));
  }
  const test = memoryChannel(async () => {
    await enter();
    return { ok: true };
  });
  const reports = await at("2026-03-01T10:00:00Z", {
    schedule,
    channels: [test],
    concurrency: 3,
    runAgent: async () => {
      mostAgents = Math.max(mostAgents, ++agents);
      await enter();
      agents--;
      return { ok: true, text: "" };
    },
  });
  equal(reports.length, 20);
  ok(most <= 3, `${most} at once`);
  equal(mostAgents, 1);
});

Deno.test("runDue: what is delivered to a session stands in it once, and the next run sees it", async () => {
  const store = new MemoryStore();
  const { schedule } = store;
  const session = sessionChannel({ steps: store });
  const { id } = await schedule.add(
    message("2026-03-01T10:00:00Z", { channel: "session", title: "Tea\n[x]" }),
  );
  await at("2026-03-01T12:00:00Z", { schedule, channels: [session] });
  const steps = await store.lastN("s", 10);
  deepEqual(steps.map(({ stepType, content }) => [stepType, content]), [
    [
      "user",
      `[Scheduled task ${id} "Tea\\n[x]", due Sunday, 2026-03-01 10:00:00 +0000 (2 hours late)]`,
    ],
    ["response", "tea"],
  ]);
});

Deno.test("runDue: a message that a lost worker had delivered to a session is known to be done", async () => {
  const store = new MemoryStore();
  const { schedule } = store;
  const session = sessionChannel({ steps: store });
  await schedule.add(message("2026-03-01T10:00:00Z", { channel: "session" }));
  // The worker is lost between the delivery and the end of the row.
  const broken = failingOnce(schedule, new Error("killed"));
  await rejects(
    at("2026-03-01T10:00:00Z", { schedule: broken, channels: [session] }),
    /killed/,
  );
  equal((await store.lastN("s", 10)).length, 2, "it was delivered");
  const [report] = await at("2026-03-01T10:05:00Z", { schedule, channels: [session] });
  equal(report?.state, "done");
  equal((await store.lastN("s", 10)).length, 2);
});
