import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Compactor, CompactResult } from "../contracts/compaction.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import type { Message } from "../contracts/model.ts";
import { scriptedClient } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { keepFacts } from "./_fact_keeper.ts";
import { block, type Fixture, fixture, type FixtureOptions } from "./_run_fixture.ts";
import { AllowAll } from "./policy.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";

/** Replies forever: one script that logs a fact, then the answer. */
function chatter(request: { readonly messages: readonly Message[] }, call: number): string {
  const last = request.messages.at(-1)?.content ?? "";
  return last.startsWith("log:")
    ? `Answer ${call}`
    : block(`function run() { log("FACT ${call}."); }`);
}

function chat(compactor: Compactor, options: FixtureOptions = {}): Fixture {
  return fixture([], {
    ...options,
    model: { otherwise: chatter, usage: { prompt: 1, completion: 1 } },
    config: { ...options.config, compactor },
  });
}

async function say(made: Fixture, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await made.loop.run({ sessionId: "s", message: `Message ${n}`, onEvent: made.onEvent });
  }
}

function texts(made: Fixture, at: number): string[] {
  return (made.llm.requests.at(at)?.messages ?? []).map(({ role, content }) =>
    `${role}: ${content}`
  );
}

function told(made: Fixture, type: string): unknown[] {
  return made.events.filter((event) => event.type === type).map((event) =>
    event.args ?? event.content
  );
}

Deno.test("run compaction: past the trigger the history is folded before the first turn, and stored as a step", async () => {
  const summarizer = scriptedClient([], {
    otherwise: keepFacts,
    usage: { prompt: 1000, completion: 50 },
  });
  const compactor = new SummarizingCompactor({ llm: summarizer, trigger: 8, keep: 4 });
  using made = chat(compactor);
  await say(made, 2);
  equal(summarizer.requests.length, 0);
  const result = await made.loop.run({ sessionId: "s", message: "More", onEvent: made.onEvent });
  equal(summarizer.requests.length, 0, "eight messages are not more than eight");
  await say(made, 1);
  deepEqual(told(made, "compacted"), [{ messages_before: 12, messages_after: 5 }]);
  const steps = await made.store.lastN("s", Infinity);
  const summary = steps.find((step) => step.stepType === "summary");
  deepEqual([summary?.content, summary?.toolArgs, summary?.promptTokens, summary?.stepIndex], [
    "FACT 0.\nFACT 2.",
    '{"retain_from_step":8}',
    1000,
    13,
  ]);
  match(
    texts(made, -1)[1] ?? "",
    /^user: \[Summary of the conversation so far\]\nFACT 0\.\nFACT 2\.\n\nMore$/,
  );
  deepEqual(result.tokens, { prompt: 2, completion: 2 });
});

Deno.test("run compaction: the next run goes on from the summary, byte for byte, and does not pay again", async () => {
  const summarizer = scriptedClient([], { otherwise: keepFacts });
  const compactor = new SummarizingCompactor({ llm: summarizer, trigger: 8, keep: 4 });
  using made = chat(compactor);
  await say(made, 4);
  equal(summarizer.requests.length, 1);
  const before = texts(made, -1);
  await say(made, 1);
  equal(summarizer.requests.length, 1);
  deepEqual(texts(made, -2).slice(0, before.length), before);
});

Deno.test("run compaction: its tokens count into the run, also when it fails; then the run goes on uncompacted", async () => {
  const failing = scriptedClient([], {
    otherwise: () => {
      throw new AgentLoopError("The summarizer is overloaded.", {
        code: "model_overloaded",
        tokens: { prompt: 70, completion: 3 },
      });
    },
  });
  using made = chat(new SummarizingCompactor({ llm: failing, trigger: 4, keep: 2 }));
  await say(made, 2);
  const { tokens, status } = await made.loop.run({
    sessionId: "s",
    message: "x",
    onEvent: made.onEvent,
  });
  deepEqual([status, tokens], ["completed", { prompt: 72, completion: 5 }]);
  match(String(told(made, "warning")[0]), /could not be summarized, .*overloaded/);
  equal(texts(made, -1).length, 12);
  equal((await made.store.lastN("s", Infinity)).some((step) => step.stepType === "summary"), false);
});

/** A compactor that answers with what a test says. */
function compactorOf(
  compact: (
    history: readonly Message[],
  ) => Partial<CompactResult> | Promise<Partial<CompactResult>>,
): Compactor & { asked: number } {
  const compactor = {
    asked: 0,
    compact: async (history: readonly Message[]) => {
      compactor.asked++;
      const tokens = { prompt: 0, completion: 0 };
      return { messages: history, tokens, ...await compact(history) };
    },
  };
  return compactor;
}

const HEAD: Message = { role: "user", content: "In short: they talked." };

Deno.test("run compaction: a compactor may return its input; then nothing is told or stored", async () => {
  const compactor = compactorOf(() => ({}));
  using made = chat(compactor);
  await say(made, 3);
  deepEqual([told(made, "compacted"), compactor.asked], [[], 2]);
});

Deno.test("run compaction: without a summary, or kept from nowhere in the history, it is for this run only", async () => {
  const kinds: Partial<CompactResult>[] = [
    {},
    { summary: "" },
    { summary: "They talked." },
    { summary: "They talked.", retainedFrom: 0 },
    { summary: "They talked.", retainedFrom: 99 },
    { summary: "", retainedFrom: 4 },
  ];
  for (const kind of kinds) {
    const compactor = compactorOf((history) => ({
      messages: [HEAD, ...history.slice(4)],
      ...kind,
    }));
    using made = chat(compactor);
    await say(made, 3);
    const types = (await made.store.lastN("s", Infinity)).map((step) => step.stepType);
    equal(types.includes("summary"), false, JSON.stringify(kind));
    deepEqual(told(made, "compacted").length, 2);
    match(texts(made, -1)[1] ?? "", /^user: In short: they talked\./);
  }
});

Deno.test("run compaction: what a compactor keeps of a script still becomes a line when the next script comes", async () => {
  const compactor = compactorOf((history) => ({
    messages: [HEAD, ...history.slice(-3)],
    summary: "They talked.",
    retainedFrom: history.length - 3,
  }));
  using made = chat(compactor);
  await say(made, 2);
  match(texts(made, -2)[2] ?? "", /^assistant: ```javascript/);
  match(texts(made, -1)[2] ?? "", /^assistant: \[script of 1 line, already run\]/);
});

Deno.test("run compaction: a compactor that breaks its contract costs a warning", async () => {
  const wrong: unknown[] = [undefined, {}, { messages: "x" }, { messages: [{}] }];
  for (const result of wrong) {
    using made = fixture(["1", "2"], {
      config: { compactor: { compact: () => Promise.resolve(result as CompactResult) } },
    });
    await say(made, 2);
    match(String(told(made, "warning")[0]), /no list of messages/);
  }
});

Deno.test("run compaction: an abort during it ends the run", async () => {
  const controller = new AbortController();
  const compactor = compactorOf(() => {
    controller.abort();
    return new Promise(() => {});
  });
  using made = chat(compactor);
  await say(made, 1);
  const { reason } = await made.loop.run({
    sessionId: "s",
    message: "x",
    signal: controller.signal,
  });
  equal(reason, "aborted");
});

Deno.test("run compaction: over many runs no fact is lost, whatever leaves the window", async () => {
  const summarizer = scriptedClient([], { otherwise: keepFacts });
  const compactor = new SummarizingCompactor({ llm: summarizer, trigger: 30, keep: 10 });
  using made = chat(compactor, { config: { historyWindow: 40 } });
  for (let n = 0; n < 30; n++) {
    await made.loop.run({ sessionId: "s", message: `Message ${n}` });
    const sent = texts(made, -1).join("\n");
    for (let call = 0; call <= 2 * n; call += 2) {
      ok(sent.includes(`FACT ${call}.`), `${n}: ${call}`);
    }
  }
});

Deno.test("run compaction: what one loop folded, another without a compactor goes on from", async () => {
  const store = new MemoryStore();
  const summarizer = scriptedClient([], { otherwise: keepFacts });
  const compactor = new SummarizingCompactor({ llm: summarizer, trigger: 4, keep: 2 });
  using one = chat(compactor, { store });
  await say(one, 3);
  using other = fixture(["done"], { store });
  await other.loop.run({ sessionId: "s", message: "x" });
  match(texts(other, 0)[1] ?? "", /^user: \[Summary of the conversation so far\]\nFACT 0\./);
});

/** A loop whose model looks once at each message and then answers. */
function looking(compact: (history: readonly Message[]) => readonly Message[]): Fixture {
  const call = (at: number) => ({
    toolCalls: [{ id: `c${at}`, name: "look", arguments: {} }],
  });
  return fixture([], {
    model: {
      otherwise: ({ messages }, at) => messages.at(-1)?.role === "tool" ? "done" : call(at),
      usage: { prompt: 1, completion: 1 },
    },
    config: {
      protocol: "tools",
      policy: new AllowAll(),
      tools: {
        callable: () => [{
          declaration: { name: "look", description: "looks", parameters: { type: "object" } },
          hostFunction: { name: "look", execute: () => "seen" },
          safe: true,
        }],
      },
      compactor: {
        compact: (history) =>
          Promise.resolve({ messages: compact(history), tokens: { prompt: 0, completion: 0 } }),
      },
    },
  });
}

Deno.test("run compaction: a compactor that keeps a call's result and not the call costs a warning", async () => {
  using made = looking((history) => {
    const at = history.findLastIndex(({ role }) => role === "tool");
    return at < 0 ? history : history.slice(at);
  });
  for (const message of ["one", "two", "three"]) {
    const { status } = await made.loop.run({ sessionId: "s", message, onEvent: made.onEvent });
    equal(status, "completed");
  }
  match(String(told(made, "warning")[0]), /messages\[0\] answers "c0", which is no open call/);
  deepEqual(told(made, "compacted"), []);
});

Deno.test("run compaction: a compactor may say otherwise what stands beside a call, and keep its result", async () => {
  using made = looking((history) =>
    history.map((message) => message.toolCalls ? { ...message, content: "I look." } : message)
  );
  for (const message of ["one", "two", "three"]) {
    const { status } = await made.loop.run({ sessionId: "s", message, onEvent: made.onEvent });
    equal(status, "completed");
  }
  deepEqual(told(made, "warning"), []);
  deepEqual(texts(made, -1).slice(1), [
    "user: one",
    "assistant: I look.",
    "tool: seen",
    "assistant: done",
    "user: two",
    "assistant: I look.",
    "tool: seen",
    "assistant: done",
    "user: three",
    "assistant: ",
    "tool: seen",
  ]);
});

Deno.test("run compaction: a compactor that shortens the list which it is given in place is heard", async () => {
  using made = looking((history) => {
    const messages = history as Message[];
    messages.splice(0, messages.length - 1, { role: "user", content: "Before." });
    return messages;
  });
  for (const message of ["one", "two"]) {
    await made.loop.run({ sessionId: "s", message, onEvent: made.onEvent });
  }
  deepEqual(told(made, "compacted"), [{ messages_before: 4, messages_after: 2 }]);
  deepEqual(texts(made, 2).slice(1), ["user: Before.\n\none", "assistant: done", "user: two"]);
});
