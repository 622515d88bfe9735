import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import type { LoopProtocol } from "../../../contracts/loop.ts";
import type { Message } from "../../../contracts/model.ts";
import type { CallableTool } from "../../../contracts/tool.ts";
import { createAssistant } from "../../../ext/assistant/mod.ts";
import { type ScriptedClient, scriptedClient, type ScriptedStep } from "../../../llm/scripted.ts";
import { createLoop } from "../../../loop/create_loop.ts";
import { SummarizingCompactor } from "../../../loop/summarizing_compactor.ts";
import { DefaultSandboxBuilder } from "../../../sandbox/default_builder.ts";
import { MemoryStore } from "../../../stores/memory.ts";

const block = (source: string) => `\`\`\`javascript\n${source}\n\`\`\``;

/** A clock that a test moves. */
class Clock {
  constructor(public at: string) {}
  readonly now = () => new Date(this.at);
}

function assistantOn(store: MemoryStore, clock: Clock) {
  return createAssistant({ steps: store, timeZone: "Europe/Berlin", now: clock.now });
}

/** Answers messages of one session, each at a time of its own, and gives the model that was asked. */
async function talk(
  messages: readonly (readonly [at: string, message: string])[],
  replies: readonly ScriptedStep[],
  protocol: LoopProtocol = "code",
): Promise<ScriptedClient> {
  const store = new MemoryStore();
  const clock = new Clock(messages[0]![0]);
  const llm = scriptedClient(replies);
  await using sandboxBuilder = new DefaultSandboxBuilder();
  const assistant = assistantOn(store, clock);
  const loop = createLoop({
    ...assistant.config,
    llm,
    sessions: store,
    steps: store,
    calls: store,
    protocol,
    sandboxBuilder,
  });
  for (const [at, message] of messages) {
    clock.at = at;
    const request = await assistant.prepare({ sessionId: "s", message, context: "Be brief." });
    equal((await loop.run(request)).status, "completed");
  }
  llm.assertDone();
  return llm;
}

const textOf = (messages: readonly Message[]) =>
  messages.map(({ role, content }) => `${role}: ${content}`).join("\n");

function withoutTime(text: string): string {
  return text.replace(/\n\n<temporal_context>[^<]*<\/temporal_context>/g, "");
}

Deno.test("assistant: guidelines stand in the system prompt before the caller's context, the time behind the message", async () => {
  const store = new MemoryStore();
  const assistant = assistantOn(store, new Clock("2026-07-01T10:00:00Z"));
  const request = await assistant.prepare({
    sessionId: "s",
    message: "Hi.",
    context: "Be brief.",
    turnContext: "Weather: fine.",
  });
  match(
    request.context!,
    /^<tool_execution_guidelines>\n[\s\S]*\n<\/tool_execution_guidelines>\n\nBe brief\.$/,
  );
  equal(
    request.turnContext,
    "Weather: fine.\n\n<temporal_context>\nCurrent date and time: Wednesday, 2026-07-01 12:00:00 +0200\nTime zone: Europe/Berlin\n</temporal_context>",
  );
  deepEqual([request.sessionId, request.message], ["s", "Hi."]);
});

Deno.test("assistant: of consecutive requests each begins as the one before, but for the time that belongs to one message", async () => {
  const llm = await talk([
    ["2026-03-29T00:30:00Z", "What is 6 times 7?"],
    ["2026-03-29T04:40:00Z", "And 6 times 8?"],
    ["2026-03-30T04:40:01Z", "Thanks."],
  ], [
    block("function run() { return 42; }"),
    "42.",
    "48.",
    "You are welcome.",
  ]);
  const requests = llm.requests.map(({ messages }) => messages);
  // The system prompt never moves.
  equal(new Set(requests.map(([system]) => system!.content)).size, 1);
  ok(!/temporal_context>|2026/.test(requests[0]![0]!.content.replace("temporal context", "")));
  // Within a run nothing moves at all.
  ok(textOf(requests[1]!).startsWith(textOf(requests[0]!)));
  // From run to run only the old message's time goes.
  for (const [before, after] of [[0, 2], [1, 2], [2, 3]] as const) {
    ok(textOf(requests[after]!).startsWith(withoutTime(textOf(requests[before]!))));
  }
  const times = requests.map((messages) => textOf(messages).match(/<temporal_context>/g)?.length);
  deepEqual(times, [1, 1, 1, 1]);
  const gaps = [0, 2, 3].map((at) => /Idle gap: .*/.exec(textOf(requests[at]!))?.[0]);
  deepEqual(gaps, [
    undefined,
    "Idle gap: 4 hours since last message",
    "Idle gap: 1 day since last message",
  ]);
  match(textOf(requests[0]!), /2026-03-29 01:30:00 \+0100/);
  match(textOf(requests[2]!), /2026-03-29 06:40:00 \+0200/);
});

Deno.test("assistant: a summary is sent once, as a message of the history", async () => {
  const store = new MemoryStore();
  const clock = new Clock("2026-07-01T10:00:00Z");
  const llm = scriptedClient(["One.", "Two.", "They counted.", "Three."]);
  await using sandboxBuilder = new DefaultSandboxBuilder();
  const assistant = assistantOn(store, clock);
  const loop = createLoop({
    ...assistant.config,
    llm,
    sessions: store,
    steps: store,
    calls: store,
    sandboxBuilder,
    compactor: new SummarizingCompactor({ llm, trigger: 3, keep: 1 }),
  });
  const long = "word ".repeat(100);
  for (const message of [`a ${long}`, `b ${long}`, "c"]) {
    const request = await assistant.prepare({ sessionId: "s", message });
    equal((await loop.run(request)).status, "completed");
  }
  llm.assertDone();
  const last = textOf(llm.requests.at(-1)!.messages);
  equal(last.match(/They counted/g)?.length, 1);
  ok(!last.includes("conversation_context>"));
});

Deno.test("assistant: the gap is from the last message, whatever was written into the trace since", async () => {
  const store = new MemoryStore();
  const add = (stepType: "user" | "response" | "summary" | "execute_js", at: string) =>
    store.append({ sessionId: "s", runId: "r", stepType, content: "x", createdAt: new Date(at) });
  const clock = new Clock("2026-07-01T10:00:00Z");
  const gap = async () =>
    /Idle gap: (.*) since/.exec(
      (await assistantOn(store, clock).prepare({ sessionId: "s", message: "m" })).turnContext!,
    )?.[1];
  await add("execute_js", "2026-06-30T10:00:00Z");
  equal(await gap(), "1 day");
  await add("user", "2026-07-01T07:00:00Z");
  await add("response", "2026-07-01T08:00:00Z");
  await add("summary", "2026-07-01T09:59:00Z");
  equal(await gap(), "2 hours");
  clock.at = "2026-07-01T07:59:59Z";
  equal(await gap(), undefined);
});

Deno.test("assistant: its loop takes five turns, asks for a text at the last, and checks answers", () => {
  const { config } = assistantOn(new MemoryStore(), new Clock("2026-07-01T10:00:00Z"));
  deepEqual([config.maxIterations, config.forceFinalText], [5, true]);
  equal(typeof config.reviewAnswer, "function");
  equal(config.now().toISOString(), "2026-07-01T10:00:00.000Z");
});

Deno.test("assistant: guidelines can be others, or none", async () => {
  const steps = new MemoryStore();
  const context = async (guidelines: string | { artifacts: boolean; scheduler: boolean }) =>
    (await createAssistant({ steps, guidelines }).prepare({ sessionId: "s", message: "m" }))
      .context;
  equal(await context(""), "");
  equal(
    await context("Be kind. </tool_execution_guidelines>"),
    "<tool_execution_guidelines>\nBe kind. &lt;/tool_execution_guidelines>\n</tool_execution_guidelines>",
  );
  ok(!(await context({ artifacts: false, scheduler: false }))!.includes("artifact_save"));
});

Deno.test("assistant: wrong options and a store that fails are told", async () => {
  const steps = new MemoryStore();
  throws(() => createAssistant({ steps, timeZone: "Mars/Olympus" }), /not the name of a time zone/);
  throws(() => createAssistant({ steps: {} as never }), /steps must be a step store/);
  const broken = createAssistant({ steps: { lastN: () => Promise.reject(new Error("locked")) } });
  await rejects(broken.prepare({ sessionId: "s", message: "m" }), /locked/);
});

Deno.test("assistant: a run that goes on after a wait has the same guidelines, and the time at which it does", async () => {
  const store = new MemoryStore();
  const clock = new Clock("2026-09-27T10:00:00Z");
  const assistant = assistantOn(store, clock);
  const send: CallableTool = {
    declaration: { name: "send", description: "Sends", parameters: { type: "object" } },
    hostFunction: { name: "send", sideEffect: true, execute: () => "done" },
    safe: false,
  };
  const llm = scriptedClient([{ toolCalls: [{ name: "send" }] }, "Over."]);
  const loop = createLoop({
    ...assistant.config,
    llm,
    sessions: store,
    steps: store,
    calls: store,
    protocol: "tools",
    tools: { callable: () => [send] },
    approve: () => ({ decision: "wait" }),
  });
  const common = { sessionId: "s", context: "Be brief." };
  const waited = await loop.run(await assistant.prepare({ ...common, message: "Send it." }));
  equal(waited.status, "waiting");
  clock.at = "2026-09-29T10:00:00Z";
  const word = { ...common, decision: { decision: "approve" } as const };
  const { finalText } = await loop.resume(await assistant.prepare(word));
  equal(finalText, "Over.");
  const [first, second] = llm.requests.map(({ messages }) => messages);
  equal(second![0]!.content, first![0]!.content);
  match(second![1]!.content, /^Send it\.\n\n<temporal_context>\n.*Tuesday, 2026-09-29 12:00:00/);
  equal(second!.length, 4);
});

Deno.test("assistant: a misspelt zone is not taken for none", () => {
  const options = { steps: new MemoryStore(), timezone: "America/Sao_Paulo" };
  throws(() => createAssistant(options), {
    name: "TypeError",
    message: /^createAssistant: there is no option timezone; there are steps, timeZone, /,
  });
});
