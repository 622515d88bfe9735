import { deepEqual, equal, ok, throws } from "node:assert/strict";
import type { RunEvent } from "../contracts/event.ts";
import { fixture, returning } from "./_run_fixture.ts";

const REQUEST = { sessionId: "s", message: "x" };

Deno.test("stream: gives every event in order, then ends, and onEvent hears the same", async () => {
  using made = fixture([returning(1), "4"]);
  const heard: RunEvent[] = [];
  const stream = made.loop.stream({ ...REQUEST, onEvent: (event) => heard.push(event) });
  const events: RunEvent[] = [];
  for await (const event of stream) events.push(event);
  deepEqual(events, heard);
  deepEqual([events[0]?.type, events.at(-1)?.type], ["user", "done"]);
  equal((await stream.result).finalText, "4");
});

Deno.test("stream: the result comes whether or not the events are read, and they wait", async () => {
  using made = fixture(["4"]);
  const stream = made.loop.stream(REQUEST);
  equal((await stream.result).finalText, "4");
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  deepEqual(types, ["user", "turn_start", "response_chunk", "response", "done"]);
});

Deno.test("stream: events are there while the run goes on", async () => {
  const go = Promise.withResolvers<void>();
  using made = fixture([{ text: "4", until: go.promise }]);
  const reader = made.loop.stream(REQUEST)[Symbol.asyncIterator]();
  equal((await reader.next()).value.type, "user");
  equal((await reader.next()).value.type, "turn_start");
  const waiting = reader.next();
  go.resolve();
  equal((await waiting).value.type, "response_chunk");
  for (let end = await reader.next(); !end.done; end = await reader.next());
});

Deno.test("stream: leaving early aborts the run, and waits for its end", async () => {
  using made = fixture([{ until: new Promise(() => {}) }]);
  const stream = made.loop.stream(REQUEST);
  for await (const event of stream) if (event.type === "turn_start") break;
  equal(made.sandboxBuilder.disposed, 1);
  const result = await stream.result;
  deepEqual([result.status, result.reason], ["error", "aborted"]);
  const rest: RunEvent[] = [];
  for await (const event of stream) rest.push(event);
  deepEqual(rest, []);
});

Deno.test("stream: the caller's signal ends it too", async () => {
  const controller = new AbortController();
  using made = fixture([{ until: new Promise(() => {}) }]);
  const stream = made.loop.stream({ ...REQUEST, signal: controller.signal });
  const types: string[] = [];
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === "turn_start") controller.abort();
  }
  deepEqual(types, ["user", "turn_start", "error", "done"]);
  equal((await stream.result).reason, "aborted");
});

Deno.test("stream: a listener that throws takes no event from the stream", async () => {
  using made = fixture(["4"]);
  const stream = made.loop.stream({
    ...REQUEST,
    onEvent: () => {
      throw new Error("listener");
    },
  });
  let count = 0;
  for await (const _event of stream) count++;
  equal(count, 5);
});

Deno.test("stream: a wrong request throws at once", () => {
  using made = fixture([]);
  throws(() => made.loop.stream({ sessionId: "", message: "x" }), TypeError);
});

Deno.test("stream: runs of several sessions go on at once", async () => {
  using made = fixture([], {
    model: { otherwise: (request) => request.messages.at(-1)?.content ?? "" },
  });
  const runs = Array.from(
    { length: 20 },
    (_, at) => made.loop.stream({ sessionId: `s${at}`, message: `m${at}` }).result,
  );
  const results = await Promise.all(runs);
  ok(results.every(({ finalText }, at) => finalText === `m${at}`));
});
