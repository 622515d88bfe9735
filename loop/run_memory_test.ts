import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import type { FinishedRun, MemoryMessage, RunMemory } from "../contracts/memory.ts";
import { ASIDE_ARGS, type NewRunStep } from "../contracts/step.ts";
import type { CallableTool } from "../contracts/tool.ts";
import { Redactor } from "../redact/redactor.ts";
import { scriptedClient } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { block, fixture, type FixtureOptions } from "./_run_fixture.ts";
import { Waiting, YES } from "./_waiting_fixture.ts";
import { rebuildResult } from "./rebuild_result.ts";
import { createLoop } from "./create_loop.ts";

const ANSWERING = block("function run() { answer('It is Oslo.'); }");
const ASK = { sessionId: "s", message: "Where is Ada?", memory: true } as const;

/** A loop with a memory. */
function made(memory: RunMemory, replies: readonly string[], options: FixtureOptions = {}) {
  return fixture(replies, { ...options, config: { memory, ...options.config } });
}

function warnings(events: readonly Record<string, unknown>[]): string[] {
  return events.filter(({ type }) => type === "warning").map(({ content }) => String(content));
}

Deno.test("run memory: a sink gets what was said and answered, in order, where the request asks for it", async () => {
  const told: unknown[] = [];
  const sink = {
    addMessage: (...message: unknown[]) => {
      told.push(message);
      return Promise.resolve();
    },
  };
  using run = made({ sink }, ["Nobody knows.", ANSWERING]);
  const { memory: _, ...plain } = ASK;
  const without = await run.loop.run(plain);
  equal("memoryUsed" in without, false);
  deepEqual(told, []);
  const result = await run.loop.run(ASK);
  equal(result.memoryUsed, true);
  deepEqual(told, [["s", "user", "Where is Ada?"], ["s", "assistant", "It is Oslo."]]);
});

Deno.test("run memory: a structured sink gets named calls and their results, whichever way the store keeps them", async () => {
  for (const together of [true, false]) {
    const told: MemoryMessage[] = [];
    const sink = {
      addMessage: () => Promise.resolve(),
      addStructuredMessage: (message: MemoryMessage) => {
        told.push(message);
        return Promise.resolve();
      },
    };
    const store = new MemoryStore();
    const oneByOne = {
      append: (step: NewRunStep) => store.append(step),
      lastN: (id: string, n: number) => store.lastN(id, n),
    };
    const tool: CallableTool = {
      declaration: { name: "look", description: "looks", parameters: { type: "object" } },
      hostFunction: { name: "look", execute: () => "Oslo" },
      safe: false,
    };
    using run = fixture([{ text: "I look.", toolCalls: [{ name: "look" }] }, "It is Oslo."], {
      store,
      config: {
        protocol: "tools",
        tools: { callable: () => [tool] },
        memory: { sink },
        steps: together ? store : oneByOne,
      },
    });
    await run.loop.run(ASK);
    deepEqual(told.map(({ stepType, content }) => `${stepType}: ${content}`), [
      "user: Where is Ada?",
      "llm_call: I look.",
      "tool_result: Oslo",
      "response: It is Oslo.",
    ]);
  }
});

Deno.test("run memory: a structured sink gets every message, without secrets, one at a time", async () => {
  const told: MemoryMessage[] = [];
  let inside = 0;
  const sink = {
    addMessage: () => Promise.reject(new Error("not this one")),
    addStructuredMessage: async (message: MemoryMessage) => {
      equal(++inside, 1);
      await Promise.resolve();
      inside--;
      told.push(message);
    },
  };
  using run = made({ sink }, [ANSWERING], {
    config: { redactor: Redactor.fromSecrets({ KEY: "key-0123456789" }) },
  });
  const request = { ...ASK, message: "key-0123456789?", userId: "ada" };
  const { runId } = await run.loop.run({ ...request, scope: { workspaceId: "w" } });
  deepEqual(told.map(({ role, stepType }) => `${role} ${stepType}`), [
    "user user",
    "assistant execute_js",
    "tool execute_js_result",
    "assistant response",
  ]);
  const [first] = told;
  deepEqual(first, {
    sessionId: "s",
    runId,
    scope: { workspaceId: "w" },
    userId: "ada",
    role: "user",
    stepType: "user",
    content: "[redacted]?",
    createdAt: new Date("2026-01-02T03:04:05.678Z"),
  });
});

Deno.test("run memory: a sink that throws or rejects costs one warning, never the run", async () => {
  const sinks = [
    () => Promise.reject(new Error("disk full")),
    () => {
      throw new Error("disk full");
    },
  ];
  for (const addMessage of sinks) {
    using run = made({ sink: { addMessage } }, [ANSWERING]);
    const result = await run.loop.run({ ...ASK, onEvent: run.onEvent });
    deepEqual([result.status, result.finalText, result.memoryUsed], [
      "completed",
      "It is Oslo.",
      false,
    ]);
    deepEqual(warnings(run.events), [
      "The memory did not take a message (user), the run goes on: disk full",
    ]);
    equal(run.events.at(-1)?.type, "done");
  }
});

Deno.test("run memory: facts are made of a completed run, without secrets, for its user; what it cost counts", async () => {
  const { facts } = new MemoryStore();
  const runs: FinishedRun[] = [];
  const distill = (run: FinishedRun) => {
    runs.push(run);
    return Promise.resolve({
      facts: [{ text: "Ada lives in Oslo; key-0123456789", tags: ["place"] }, { text: "" }],
      tokens: { prompt: 30, completion: 5 },
    });
  };
  using run = made({ distill, facts }, [ANSWERING], {
    config: { redactor: Redactor.fromSecrets({ KEY: "key-0123456789" }) },
  });
  const result = await run.loop.run({ ...ASK, userId: "ada", onEvent: run.onEvent });
  equal(result.memoryUsed, true);
  deepEqual([result.tokens.prompt, result.tokens.completion], [30, 5]);
  deepEqual(await facts.recall({}, ""), []);
  const [fact, ...more] = await facts.recall({ userId: "ada" }, "");
  deepEqual([fact?.text, fact?.tags, more.length], [
    "Ada lives in Oslo; [redacted]",
    ["place"],
    0,
  ]);
  deepEqual(
    runs.map(({ message, finalText, userId, messages }) => ({
      message,
      finalText,
      userId,
      messages: messages.length,
    })),
    [{ message: "Where is Ada?", finalText: "It is Oslo.", userId: "ada", messages: 4 }],
  );
  match(warnings(run.events).join("\n"), /^Could not remember a fact of the run: .*empty/);
  deepEqual(run.events.slice(-2, -1), [
    { type: "sandbox_event", args: { kind: "facts_distilled", facts: 1 } },
  ]);
});

Deno.test("run memory: a distiller that fails costs a warning and its tokens; of a run that did not complete no facts are made", async () => {
  const { facts } = new MemoryStore();
  let asked = 0;
  const distill = () => {
    asked++;
    return Promise.reject(
      new AgentLoopError("no model", {
        code: "model_connection",
        tokens: { prompt: 3, completion: 0 },
      }),
    );
  };
  using run = made({ distill, facts }, [ANSWERING, block("function run() {}")]);
  const result = await run.loop.run({ ...ASK, onEvent: run.onEvent });
  deepEqual([result.status, result.memoryUsed, result.tokens.prompt], ["completed", false, 3]);
  deepEqual(warnings(run.events), ["Could not make facts of the run: no model"]);
  equal((await run.loop.run({ ...ASK, maxIterations: 1 })).status, "max_iterations");
  equal(asked, 1);
});

Deno.test("run memory: a distiller is not asked where it could pass a limit, and is given up when the caller aborts", async () => {
  const { facts } = new MemoryStore();
  const abort = new AbortController();
  let asked = 0;
  const distill = () => {
    asked++;
    abort.abort();
    return new Promise<never>(() => {});
  };
  using run = made({ distill, facts }, [ANSWERING, ANSWERING]);
  const limited = await run.loop.run({ ...ASK, limits: { totalTokens: 1_000 } });
  deepEqual([limited.status, asked], ["completed", 0]);
  const result = await run.loop.run({ ...ASK, signal: abort.signal, onEvent: run.onEvent });
  deepEqual([result.status, asked], ["completed", 1]);
  match(warnings(run.events).join("\n"), /make facts of the run: the run was aborted/);
});

Deno.test("run memory: a run that went on after a wait is remembered with what was asked before it, and its events tell both ends", async () => {
  const store = new MemoryStore();
  const runs: FinishedRun[] = [];
  const distill = (run: FinishedRun) => {
    runs.push(run);
    return Promise.resolve({ facts: [{ text: "Mail goes to Ada." }] });
  };
  const hostFunction = { name: "send", sideEffect: true, execute: () => "sent" };
  const declaration = { name: "send", description: "sends", parameters: { type: "object" } };
  let last = 0;
  const llm = scriptedClient([{ toolCalls: [{ id: "a", name: "send" }] }, "It is sent."]);
  const loop = createLoop({
    llm,
    sessions: store,
    steps: store,
    protocol: "tools",
    tools: { callable: () => [{ declaration, hostFunction, safe: false }] },
    approve: () => ({ decision: "wait" }),
    memory: { distill, facts: store.facts },
    events: store.events,
    random: () => (last = (last + 0.137) % 1),
  });
  const first = await loop.run({ sessionId: "s", message: "Mail Ada", memory: true });
  deepEqual([first.status, first.memoryUsed, runs.length], ["waiting", false, 0]);
  const second = await loop.resume({
    sessionId: "s",
    decision: { decision: "approve" },
    memory: true,
  });
  deepEqual([second.status, second.memoryUsed], ["completed", true]);
  deepEqual(runs.map(({ message, finalText }) => [message, finalText]), [
    ["Mail Ada", "It is sent."],
  ]);
  const stream = await store.events.read("s");
  deepEqual(rebuildResult(stream, first.runId)?.pending, first.pending);
  equal(first.pending?.name, "send");
  equal(rebuildResult(stream)?.finalText, "It is sent.");
  llm.assertDone();
});

Deno.test("run memory: what cannot be used is refused at once", async () => {
  using run = made({}, []);
  await rejects(run.loop.run({ ...ASK, memory: 1 as never }), /memory must be true or false/);
  using none = fixture([]);
  await rejects(none.loop.run(ASK), /memory needs the option memory of createLoop/);
  const config = { llm: none.llm, sessions: none.store, steps: none.store };
  const refused = (memory: unknown, message: RegExp) =>
    throws(
      () => createLoop({ ...config, sandboxBuilder: none.sandboxBuilder, memory: memory as never }),
      message,
    );
  refused(1, /memory must be an object/);
  refused({ sink: {} }, /sink lacks the method addMessage/);
  refused({ distill: () => {} }, /facts is required/);
  refused({ distill: 1, facts: {} }, /distill must be a function/);
});

Deno.test("run memory: of a run that went on after a wait the question is what a person said, not what was due meanwhile", async () => {
  const w = new Waiting();
  await w.wait("async function run() { return await send(1); }");
  const aside = { sessionId: "s", runId: "due", toolArgs: ASIDE_ARGS, createdAt: new Date(0) };
  await w.store.append({ ...aside, stepType: "user", content: "[A reminder is due.]" });
  await w.store.append({ ...aside, stepType: "response", content: "Tea!" });
  const asked: string[] = [];
  const distill = ({ message }: FinishedRun) => {
    asked.push(message);
    return Promise.resolve({ facts: [] });
  };
  using run = w.open(["over"], { config: { memory: { facts: w.store.facts, distill } } });
  await run.loop.resume({ ...YES, memory: true });
  deepEqual(asked, ["go"]);
});
