/** The functions of the scheduler through the whole engine: scripts in real guests, calls by name, the default policy. */
import { deepEqual, equal, match, throws } from "node:assert/strict";
import type { ApprovalRequest } from "../../../contracts/approval.ts";
import type { LoopConfig } from "../../../contracts/loop.ts";
import {
  runDue,
  schedulerCapability,
  type SchedulerOptions,
  schedulerTools,
  sessionChannel,
} from "../../../ext/scheduler/mod.ts";
import { scriptedClient } from "../../../llm/scripted.ts";
import { createLoop } from "../../../loop/create_loop.ts";
import { DefaultPolicy } from "../../../loop/policy.ts";
import { Redactor } from "../../../redact/redactor.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { ToolRegistry } from "../../../tools/mod.ts";
import { callsOf } from "../../packs/script_loop.ts";
import { message } from "./samples.ts";

const NOW = () => new Date("2026-03-01T12:00:00Z");

function options(store: MemoryStore, more: Partial<SchedulerOptions> = {}): SchedulerOptions {
  return { schedule: store.schedule, timezone: "Europe/Berlin", now: NOW, ...more };
}

/** What the calls of one script give. */
function calls(
  store: MemoryStore,
  script: readonly string[],
  { config = {}, sessionId = "s", more = {} }: {
    readonly config?: Partial<LoopConfig>;
    readonly sessionId?: string;
    readonly more?: Partial<SchedulerOptions>;
  } = {},
): ReturnType<typeof callsOf> {
  const capability = schedulerCapability(options(store, more));
  return callsOf(capability, script, { config, request: { sessionId } });
}

Deno.test("scheduler: a script makes tasks, lists and cancels them, and sees no other session's", async () => {
  const store = new MemoryStore();
  const [made, broken, list] = await calls(store, [
    'proactive_create({ title: "Tea", text: "drink it", execution_mode: "message", cron: "0 9 * * 1-5" })',
    'proactive_create({ text: "x", execution_mode: "message", at: "2026-02-30T09:00" })',
    "proactive_list()",
  ]);
  deepEqual({ ...made, id: "" }, {
    id: "",
    due: [
      "Monday, 2026-03-02 09:00:00 +0100",
      "Tuesday, 2026-03-03 09:00:00 +0100",
      "Wednesday, 2026-03-04 09:00:00 +0100",
    ],
    timezone: "Europe/Berlin",
    recurring: true,
  });
  match(broken, /threw at: "2026-02-30T09:00" is no date and time that exists/);
  deepEqual(list, [{
    id: made.id,
    title: "Tea",
    text: "drink it",
    execution_mode: "message",
    cron: "0 9 * * 1-5",
    timezone: "Europe/Berlin",
    channel: "session",
    state: "waiting",
    due: "Monday, 2026-03-02 09:00:00 +0100",
  }]);
  const cancel = `proactive_cancel({ id: "${made.id}" })`;
  deepEqual(await calls(store, [cancel, "proactive_list()"], { sessionId: "other" }), [false, []]);
  deepEqual(await calls(store, [cancel, cancel]), [true, false]);
});

Deno.test("scheduler: arguments that do not fit are told with each fault", async () => {
  const told = await calls(new MemoryStore(), [
    "proactive_create()",
    'proactive_create({ text: 5, execution_mode: "shout", delay_ms: 0, when: "soon" })',
    "proactive_cancel({})",
  ]);
  deepEqual(told, [
    "threw proactive_create: $.text: is missing; $.execution_mode: is missing",
    "threw proactive_create: $.text: expected string, got number; $.execution_mode: expected one of message, agent; $.delay_ms: expected a whole number of at least 1; $.when: is no argument of this function",
    "threw proactive_cancel: $.id: is missing",
  ]);
});

Deno.test("scheduler: by default a message to the session passes; runs and other channels are asked about, each by itself", async () => {
  const store = new MemoryStore();
  const asked: ApprovalRequest[] = [];
  const config: Partial<LoopConfig> = {
    policy: new DefaultPolicy(),
    approve: (request) => {
      asked.push(request);
      return { decision: "deny", reason: "not now" };
    },
  };
  const more = { channels: ["session", "webhook"] };
  const task = (text: string, rest: string) =>
    `proactive_create({ text: "${text}", delay: "1h", ${rest} }).recurring`;
  const told = await calls(store, [
    task("tea", 'execution_mode: "message"'),
    task("tea", 'execution_mode: "message", channel: "session"'),
    task("post it", 'execution_mode: "message", channel: "webhook"'),
    task("buy tea", 'execution_mode: "agent"'),
    task("buy more tea", 'execution_mode: "agent"'),
  ], { config, more });
  deepEqual(told.slice(0, 2), [false, false]);
  for (const refused of told.slice(2)) match(refused, /threw .*not now/);
  const targets = asked.map(({ target }) => target ?? "");
  match(targets[0] ?? "", /^message to webhook: post it \([0-9a-f]{16}\)$/);
  match(targets[1] ?? "", /^agent run: buy tea \(/);
  equal(new Set(targets).size, 3);
  match(asked[1]?.preview ?? "", /text: buy tea\ndelay: 1h\nexecution_mode: agent/);
  equal((await store.schedule.list()).length, 2);
});

Deno.test("scheduler: secrets that the run knows are not kept in a task", async () => {
  const store = new MemoryStore();
  const redactor = Redactor.fromSecrets({ KEY: "hunter22hunter22" });
  await calls(store, [
    'proactive_create({ title: "hunter22hunter22", text: "log in with hunter22hunter22", execution_mode: "message", delay: "1h" })',
  ], { config: { redactor } });
  const [task] = await store.schedule.list();
  equal(`${task?.title} ${task?.text}`.includes("hunter22"), false);
});

Deno.test("scheduler: a model that calls by name makes a task, and the next run sees what it delivered", async () => {
  const store = new MemoryStore();
  const tools = new ToolRegistry(schedulerTools(options(store)));
  const schedule = {
    title: null,
    text: "The tea is ready.",
    execution_mode: "message",
    delay_ms: 120_000,
  };
  using llm = scriptedClient([
    { toolCalls: [{ id: "a", name: "proactive_create", arguments: schedule }] },
    "In two minutes.",
    ({ messages }) => JSON.stringify(messages),
  ]);
  const loop = createLoop({ llm, sessions: store, steps: store, protocol: "tools", tools });
  equal((await loop.run({ sessionId: "s", message: "Tea in two minutes?" })).status, "completed");
  await runDue({
    schedule: store.schedule,
    channels: [sessionChannel({ steps: store })],
    now: () => new Date("2026-03-01T12:02:05Z"),
  });
  const { finalText } = await loop.run({ sessionId: "s", message: "Is it ready?" });
  match(finalText, /\[Scheduled task [0-9a-f]{12}, due Sunday, 2026-03-01 13:02:00 \+0100\]/);
  match(finalText, /"role":"assistant","content":"The tea is ready\."/);
});

Deno.test("scheduler: a run that waits for a word can still be resumed after a message was delivered to its session", async () => {
  const store = new MemoryStore();
  const tools = new ToolRegistry(schedulerTools(options(store)));
  const task = { text: "buy tea", execution_mode: "agent", delay: "2h" };
  using llm = scriptedClient([
    { toolCalls: [{ id: "a", name: "proactive_create", arguments: task }] },
    "It is planned.",
    ({ messages }) => JSON.stringify(messages),
  ]);
  const loop = createLoop({
    llm,
    sessions: store,
    steps: store,
    protocol: "tools",
    tools,
    approve: () => ({ decision: "wait" }),
  });
  equal((await loop.run({ sessionId: "s", message: "Tea, later." })).status, "waiting");
  await store.schedule.add(message("2026-03-01T12:00:00Z", { channel: "session", text: "Hello." }));
  await runDue({
    schedule: store.schedule,
    channels: [sessionChannel({ steps: store })],
    now: NOW,
  });
  const resumed = await loop.resume({ sessionId: "s", decision: { decision: "approve" } });
  deepEqual([resumed.status, resumed.finalText], ["completed", "It is planned."]);
  equal((await store.schedule.list({ waitingOnly: true }))[0]?.text, "buy tea");
  const { finalText } = await loop.run({ sessionId: "s", message: "And?" });
  const said = [...finalText.matchAll(/"content":"([^"]*)/g)].map(([, text]) => text);
  equal(
    said.indexOf("Hello.") > said.indexOf("It is planned."),
    true,
    "the run stays in one piece",
  );
});

Deno.test("scheduler: the tools can be declared for each provider", () => {
  const registry = new ToolRegistry(schedulerTools(options(new MemoryStore())));
  for (const form of ["openai", "anthropic", "gemini", "gemini-openapi"] as const) {
    equal(registry.declarations(form).tools.length, 3, form);
  }
});

Deno.test("scheduler: what is no store, zone or list of channels is refused at once", () => {
  const store = new MemoryStore();
  throws(() => schedulerTools({ schedule: {} as never }), /lacks add/);
  throws(() => schedulerCapability(options(store, { timezone: "Mars/Olympus" })), /no time zone/);
  throws(() => schedulerCapability(options(store, { channels: [] })), /not empty/);
  throws(() => schedulerCapability(options(store, { minAgentIntervalMs: -1 })), RangeError);
});
