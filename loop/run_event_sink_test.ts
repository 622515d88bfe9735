import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import type { EventRecord, EventSink } from "../contracts/event_log.ts";
import type { RunResult } from "../contracts/loop.ts";
import { Redactor } from "../redact/redactor.ts";
import { MemoryStore } from "../stores/memory.ts";
import { block, fixture, type FixtureOptions, returning } from "./_run_fixture.ts";
import { createLoop } from "./create_loop.ts";
import { rebuildResult } from "./rebuild_result.ts";

const ASK = { sessionId: "s", message: "key-0123456789?" } as const;
const ANSWERING = block("function run() { answer('42'); }");

/** A loop whose events go to a sink. */
function made(events: EventSink, replies: readonly string[], options: FixtureOptions = {}) {
  const redactor = Redactor.fromSecrets({ KEY: "key-0123456789" });
  return fixture(replies, { ...options, config: { events, redactor, ...options.config } });
}

/** What a result has in common with one that is rebuilt. */
function comparable({ error, ...result }: RunResult) {
  const { spent: _spent, systemPrompt: _prompt, ...rest } = result;
  return {
    ...rest,
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  };
}

function warnings(events: readonly Record<string, unknown>[]): string[] {
  return events.filter(({ type }) => type === "warning").map(({ content }) => String(content));
}

Deno.test("event sink: keeps what a run tells, in order and without secrets, but for what streams and what is carried", async () => {
  const { events } = new MemoryStore();
  using run = made(events, [returning([1, 2]), ANSWERING], { model: { usage: { prompt: 7 } } });
  await run.loop.run({ ...ASK, onEvent: run.onEvent });
  const kept = await events.read("s");
  const told = run.events.filter(({ type }) =>
    !["response_chunk", "response_discarded", "data_update"].includes(String(type))
  );
  deepEqual(
    kept.map(({ event: { runId: _run, sessionId: _session, ...event } }) => event),
    told,
  );
  deepEqual(kept.map(({ sequence }) => sequence), Array.from(kept.keys()));
  deepEqual(kept[0]?.at, new Date("2026-01-02T03:04:05.678Z"));
  ok(!JSON.stringify(kept).includes("0123456789"));
  ok(run.events.some(({ type }) => type === "data_update"), "there was something to leave out");
});

Deno.test("event sink: the stream of a session rebuilds the result of each of its runs, whether anybody listens or not", async () => {
  const { events } = new MemoryStore();
  const usage = { prompt: 100, completion: 10, cached: 60 };
  // Each run needs an id of its own.
  let last = 0;
  const random = () => (last = (last + 0.137) % 1);
  using run = made(events, [returning([1, 2]), ANSWERING, block("function run() {}"), "Prose."], {
    model: { usage },
    config: { random },
  });
  const results = [
    await run.loop.run(ASK),
    await run.loop.run({ ...ASK, maxIterations: 1 }),
    await run.loop.run({ ...ASK, limits: { totalTokens: 1 } }),
    await run.loop.run({ ...ASK, signal: AbortSignal.abort() }),
    await run.loop.run(ASK),
  ];
  deepEqual(results.map(({ status }) => status), [
    "completed",
    "max_iterations",
    "limit",
    "error",
    "completed",
  ]);
  const stream = await events.read("s");
  for (const result of results) {
    const rebuilt = rebuildResult(stream, result.runId);
    deepEqual({ ...rebuilt, tokens: result.tokens }, comparable(result));
    equal(rebuilt?.tokens.prompt, result.tokens.prompt);
  }
  deepEqual(rebuildResult(stream), rebuildResult(stream, results.at(-1)?.runId));
  equal(rebuildResult([...stream, ...stream], results[0]?.runId)?.finalText, "42");
  equal(rebuildResult(stream.slice(0, 2)), undefined);
  equal(rebuildResult(stream, "another"), undefined);
  equal(rebuildResult([]), undefined);
});

Deno.test("event sink: a conflict is told once, and the run's events follow behind those of the other writer", async () => {
  const { events } = new MemoryStore();
  let others = 0;
  const sink: EventSink = {
    version: (id) => events.version(id),
    append: async (id, batch, version) => {
      if (others < 3) {
        const event = {
          type: "user",
          content: `other ${others++}`,
          runId: "o",
          sessionId: id,
        } as const;
        await events.append(id, [{ event, sequence: others - 1, at: new Date(0) }], version);
      }
      return await events.append(id, batch, version);
    },
  };
  using run = made(sink, [ANSWERING]);
  const result = await run.loop.run({ ...ASK, onEvent: run.onEvent });
  const stream = await events.read("s");
  deepEqual({ ...rebuildResult(stream, result.runId), tokens: result.tokens }, comparable(result));
  const own = stream.filter(({ event }) => event.runId === result.runId);
  deepEqual(own.map(({ sequence }) => sequence), Array.from(own.keys()));
  equal(stream.filter(({ event }) => event.runId === "o").length, 3);
  deepEqual(warnings(run.events), [
    "The event stream s is at version 1, not 0: another writer has appended to it. Nothing was appended. The events of this run follow behind; further conflicts are not told.",
  ]);
  ok(own.some(({ event }) => event.type === "warning"));
});

Deno.test("event sink: what a failing sink did not take is tried again, and kept whole when it can", async () => {
  const { events } = new MemoryStore();
  let fails = 3;
  const sink: EventSink = {
    version: (id) => events.version(id),
    append: (id, batch, version) => {
      if (fails-- > 0) throw new Error("disk full");
      return events.append(id, batch, version);
    },
  };
  using run = made(sink, [returning(1), ANSWERING]);
  const result = await run.loop.run({ ...ASK, onEvent: run.onEvent });
  equal(result.status, "completed");
  const stream = await events.read("s");
  deepEqual(stream.map(({ sequence }) => sequence), Array.from(stream.keys()));
  deepEqual({ ...rebuildResult(stream), tokens: result.tokens }, comparable(result));
  deepEqual(warnings(run.events), [
    "The events of the run are not kept for now, the run goes on: disk full",
  ]);
});

Deno.test("event sink: the last event is tried once more when its append fails", async () => {
  const { events } = new MemoryStore();
  let failed = 0;
  const sink: EventSink = {
    version: (id) => events.version(id),
    append: (id, batch, version) => {
      const isLast = batch.some(({ event }) => event.type === "done");
      if (isLast && failed++ === 0) throw new Error("busy");
      return events.append(id, batch, version);
    },
  };
  using run = made(sink, [ANSWERING]);
  await run.loop.run({ ...ASK, onEvent: run.onEvent });
  equal(failed, 2);
  equal(rebuildResult(await events.read("s"))?.finalText, "42");
  ok(!warnings(run.events).some((warning) => warning.includes("could not be kept")));
});

Deno.test("event sink: one that always fails costs warnings, never the run; the number of lost events is told", async () => {
  const conflicting = () =>
    Promise.reject(new AgentLoopError("at another version", { code: "store_conflict" }));
  const sinks: EventSink[] = [
    { version: () => Promise.reject(new Error("gone")), append: () => Promise.resolve(0) },
    { version: () => Promise.resolve(0), append: conflicting },
  ];
  for (const sink of sinks) {
    using run = made(sink, [ANSWERING]);
    const result = await run.loop.run({ ...ASK, onEvent: run.onEvent });
    deepEqual([result.status, result.finalText], ["completed", "42"]);
    match(warnings(run.events).at(-1) ?? "", /^\d+ events of the run could not be kept\.$/);
    equal(run.events.at(-1)?.type, "done");
  }
});

Deno.test("event sink: a listener that changes what it gets, or an event that is no JSON, harms nothing", async () => {
  const { events } = new MemoryStore();
  using run = made(events, [block("async function run() { await f(); answer(1); }")], {
    sandbox: {
      functions: [{
        name: "f",
        execute: (_args, { emit }) => {
          emit({ type: "sandbox_event", args: { odd: 1n as never } });
          return 1;
        },
      }],
    },
  });
  const result = await run.loop.run({
    ...ASK,
    onEvent: (event) => void Object.assign(event, { type: "changed" }),
  });
  equal(result.status, "completed");
  const kept: readonly EventRecord[] = await events.read("s");
  ok(kept.every(({ event }) => (event.type as string) !== "changed"));
  equal(rebuildResult(kept)?.finalText, "1");
});

Deno.test("event sink: what is none is refused at once", () => {
  using none = fixture([]);
  const { llm, store, sandboxBuilder } = none;
  const config = { llm, sessions: store, steps: store, sandboxBuilder };
  throws(
    () => createLoop({ ...config, events: {} as never }),
    /events lacks the methods append and version$/,
  );
  throws(
    () => createLoop({ ...config, events: store as never }),
    /events lacks the method version; its own events may be meant$/,
  );
});
