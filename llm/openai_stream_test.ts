import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import { hello, recorder, testClient } from "../tests/fixtures/llm/client.ts";
import {
  chunkOf,
  type ServerReply,
  sseEvent,
  startOpenAIServer,
} from "../tests/fixtures/openai_server.ts";

const X = sseEvent(chunkOf("x"));
const STOP = sseEvent(chunkOf(null, "stop"));
const DONE = sseEvent("[DONE]");

/** What one reply gives when nothing is tried again: the text, or the error's code. */
async function once(
  reply: ServerReply,
): Promise<{ text?: string; error?: AgentLoopError; heard: string[] }> {
  await using server = await startOpenAIServer({ replies: [reply] });
  const { client } = testClient(server, { maxRetries: 0 });
  const { heard, listener } = recorder();
  try {
    const { text } = await client.complete(hello(listener));
    return { text, heard };
  } catch (error) {
    assert.ok(error instanceof AgentLoopError, String(error));
    return { error, heard };
  }
}

Deno.test("SSE-04 comments, pings and empty data between the chunks are ignored", async () => {
  const pings = ": ping\n\n: OPENROUTER PROCESSING\n\nevent: keepalive\n\ndata:\n\n";
  const { text } = await once({ pieces: [`id: 1\n${X}${pings}${DONE}`] });
  assert.equal(text, "x");
});

Deno.test("SSE-05 an error object in place of a stream is an error that carries its message, and is tried again", async (t) => {
  const cases = {
    a: [{ error: { code: 502, message: "upstream is full" } }, "model_overloaded", 502],
    b: [
      { id: "g", choices: [], error: { code: 429, message: "slow down" } },
      "model_rate_limited",
      429,
    ],
  } as const;
  for (const [name, [object, code, status]] of Object.entries(cases)) {
    await t.step(name, async () => {
      const pieces = [sseEvent(object), ...(name === "a" ? [DONE] : [])];
      const { error } = await once({ pieces });
      assert.equal(error?.code, code);
      assert.equal(error.status, status);
      assert.match(error.message, name === "a" ? /upstream is full/ : /slow down/);
      await using server = await startOpenAIServer({ replies: [{ pieces }, "fine"] });
      const { client, waits } = testClient(server);
      assert.equal((await client.complete(hello())).text, "fine");
      assert.deepEqual(waits, [500]);
    });
  }
});

Deno.test("SSE-05 an error after text is never a finished answer", async () => {
  const pieces = [X, X, sseEvent({ error: "boom" })];
  const { error, heard } = await once({ pieces });
  assert.equal(error?.code, "model_incomplete");
  assert.match(error.message, /boom/);
  assert.equal(heard.join(""), "xx");
});

Deno.test("SSE-05 errors in other shapes are errors too", async () => {
  const shapes: string[] = [
    `event: error\n${sseEvent({ message: "boom" })}`,
    "event: error\ndata: boom\n\n",
    sseEvent({ object: "error", message: "boom" }),
    sseEvent({
      choices: [{ index: 0, delta: {}, finish_reason: "error", error: { message: "boom" } }],
    }),
  ];
  for (const shape of shapes) {
    const { error } = await once({ pieces: [X, shape, DONE] });
    assert.match(error?.message ?? "", /boom/, shape);
  }
  const { error } = await once({
    pieces: [X, sseEvent(chunkOf(null, "insufficient_system_resource")), DONE],
  });
  assert.equal(error?.code, "model_incomplete");
});

Deno.test("SSE-07 an empty stream is an error and is tried again", async () => {
  const role = sseEvent({
    choices: [{ index: 0, delta: { role: "assistant" }, finish_reason: null }],
  });
  for (const pieces of [[], [": only\n\n: comments\n\n"], [DONE], ["\n\n"], [role], [role, DONE]]) {
    const { error } = await once({ pieces });
    assert.equal(error?.code, "model_empty", JSON.stringify(pieces));
    assert.match(error.message, /empty/);
  }
  await using server = await startOpenAIServer({ replies: [{ pieces: [] }, "fine"] });
  assert.equal((await testClient(server).client.complete(hello())).text, "fine");
});

Deno.test("a reply that the model ended without text is a reply", async () => {
  assert.equal((await once({ pieces: [STOP, DONE] })).text, "");
});

Deno.test("SSE-08 a stream is complete by its finish reason or its end marker, and by nothing else", async () => {
  const answer = sseEvent(chunkOf("The answer is 4"));
  assert.equal((await once({ pieces: [answer, STOP] })).text, "The answer is 4");
  const cut = await once({ pieces: [sseEvent(chunkOf("The answ"))] });
  assert.equal(cut.error?.code, "model_incomplete");
  assert.match(cut.error.message, /ended before the reply was complete/);
  assert.equal((await once({ pieces: [sseEvent(chunkOf("ok")), DONE] })).text, "ok");
});

Deno.test("SSE-08 a connection lost after the finish reason loses nothing", async () => {
  assert.equal((await once({ pieces: [X, STOP], end: "reset" })).text, "x");
});

Deno.test("SSE-08 text behind a finish reason belongs to the reply", async () => {
  const pieces = [sseEvent(chunkOf("a", "stop")), sseEvent(chunkOf("b", "stop")), DONE];
  assert.equal((await once({ pieces })).text, "ab");
});

Deno.test("SSE-08 a server that holds a finished stream open does not hold the reply", async () => {
  await using server = await startOpenAIServer({
    replies: [{ pieces: [X, STOP], end: "stall" }, { pieces: [X, STOP, DONE], end: "stall" }],
  });
  const { client } = testClient(server, { maxRetries: 0, idleTimeoutMs: 100 });
  for (let i = 0; i < 2; i++) {
    assert.equal((await client.complete(hello())).text, "x");
    assert.equal(await server.requests[i]?.closed, "cut");
  }
});

Deno.test("SSE-09 a stream that stalls fails within the idle limit and its socket is closed", async () => {
  await using server = await startOpenAIServer({ replies: [{ pieces: [X], end: "stall" }] });
  const { client } = testClient(server, { maxRetries: 0, idleTimeoutMs: 300 });
  await assert.rejects(client.complete(hello()), (error) => {
    assert.ok(error instanceof AgentLoopError);
    assert.equal(error.code, "timeout");
    assert.match(error.message, /stalled: no byte came for 300 ms.*idleTimeoutMs/);
    return true;
  });
  assert.equal(await server.requests[0]?.closed, "cut");
});

Deno.test("SSE-09 comments are signs of life: a slow stream with them completes", async () => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
  const life = Array.from({ length: 10 }, () => [pause, ": alive\n\n"]).flat();
  const pieces = [X, ...life, STOP, DONE];
  await using server = await startOpenAIServer({ replies: [{ pieces }] });
  const { client } = testClient(server, { maxRetries: 0, idleTimeoutMs: 600 });
  assert.equal((await client.complete(hello())).text, "x");
});

Deno.test("SSE-09 a server that never begins its reply fails within the request limit", async () => {
  const never = new Promise<void>(() => {});
  await using server = await startOpenAIServer({ replies: [{ until: never }] });
  const { client } = testClient(server, { maxRetries: 0, requestTimeoutMs: 100 });
  await assert.rejects(client.complete(hello()), (error) => {
    assert.ok(error instanceof AgentLoopError);
    assert.equal(error.code, "timeout");
    assert.match(error.message, /did not begin within 100 ms.*requestTimeoutMs/);
    return true;
  });
  assert.equal(await server.requests[0]?.closed, "cut");
});

Deno.test("SSE-10 a running total of the usage counts once", async () => {
  const usage = (completion: number) => ({ prompt_tokens: 100, completion_tokens: completion });
  const chunks = [1, 5, 12].map((completion, i) =>
    sseEvent({ ...chunkOf("x", i === 2 ? "stop" : null) as object, usage: usage(completion) })
  );
  const last = sseEvent({ choices: [], usage: usage(12) });
  await using server = await startOpenAIServer({ replies: [{ pieces: [...chunks, last, DONE] }] });
  const reply = await testClient(server).client.complete(hello());
  assert.deepEqual(reply.usage, { prompt: 100, completion: 12 });
});

Deno.test("usage is asked for in streams, with cached and reasoning tokens where the provider tells them", async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 30,
    prompt_tokens_details: { cached_tokens: 64 },
    completion_tokens_details: { reasoning_tokens: 20 },
  };
  await using server = await startOpenAIServer({ replies: [{ text: "x", usage }] });
  const reply = await testClient(server).client.complete(hello());
  assert.deepEqual(server.requests[0]?.body.stream_options, { include_usage: true });
  assert.deepEqual(reply.usage, { prompt: 100, completion: 30, cached: 64, reasoning: 20 });
});

Deno.test("SSE-11 the last event counts without a line end, and a torn one is a cut stream", async () => {
  const last = sseEvent(chunkOf("B", "stop")).trimEnd();
  const whole = await once({ pieces: [sseEvent(chunkOf("A")), last] });
  assert.equal(whole.text, "AB");
  const torn = await once({ pieces: [sseEvent(chunkOf("A", "stop")), last.slice(0, -9)] });
  assert.equal(torn.error?.code, "model_incomplete");
  assert.match(torn.error.message, /cut in the middle of an event/);
});

Deno.test("characters of several bytes survive any split", async () => {
  const bytes = new TextEncoder().encode(sseEvent(chunkOf("né 😀 日本")) + STOP + DONE);
  const pieces = Array.from(bytes, (_, i) => bytes.slice(i, i + 1));
  const { text, heard } = await once({ pieces });
  assert.equal(text, "né 😀 日本");
  assert.equal(heard.join(""), text);
});

Deno.test("a reply in one piece is taken where a stream was asked for", async () => {
  const json = {
    model: "m",
    choices: [{
      index: 0,
      message: { content: [{ type: "text", text: "whole" }] },
      finish_reason: "stop",
    }],
    usage: { prompt_tokens: 3, completion_tokens: 1 },
  };
  for (const type of ["application/json", "text/event-stream"]) {
    const { text, heard } = await once({ json, headers: { "content-type": type } });
    assert.equal(text, "whole");
    assert.deepEqual(heard, ["whole"]);
  }
  assert.equal(
    (await once({ body: JSON.stringify(json).slice(0, -20) })).error?.code,
    "model_incomplete",
  );
});

Deno.test("a stream under a wrong content type is still a stream", async () => {
  assert.equal((await once({ body: X + STOP + DONE })).text, "x");
});

Deno.test("what is no reply of a model is an error that doubts the base URL", async () => {
  for (
    const reply of [{ body: "<!doctype html><p>hi</p>" }, { json: { hello: 1 } }, { json: [1] }]
  ) {
    const { error } = await once(reply);
    assert.notEqual(error, undefined, JSON.stringify(reply));
  }
  const { error } = await once({ body: "\n<html>" });
  assert.equal(error?.code, "model_rejected");
  assert.match(error.message, /web page.*base URL/);
});

Deno.test("an abort in the middle of a stream rejects at once with its reason and closes the socket", async () => {
  await using server = await startOpenAIServer({ replies: [{ pieces: [X + X], end: "stall" }] });
  const { client } = testClient(server);
  const controller = new AbortController();
  const reason = new Error("enough");
  let heard = 0;
  const onText = () => {
    heard++;
    controller.abort(reason);
  };
  const pending = client.complete(hello({ signal: controller.signal, onText }));
  await assert.rejects(pending, (error) => error === reason);
  assert.equal(await server.requests[0]?.closed, "cut");
  assert.equal(heard, 1, "nothing is heard after the abort");
});

Deno.test("one connection serves one call after the other", async () => {
  await using server = await startOpenAIServer({ otherwise: "fine" });
  const { client } = testClient(server);
  for (let i = 0; i < 3; i++) await client.complete(hello());
  const ports = new Set(server.requests.map((request) => request.clientPort));
  assert.equal(ports.size, 1);
});

Deno.test("an abort before the reply begins, or before the call, rejects with its reason", async () => {
  await using server = await startOpenAIServer({ replies: [{ until: new Promise(() => {}) }] });
  const { client } = testClient(server);
  const reason = { not: "an error" };
  await assert.rejects(
    client.complete(hello({ signal: AbortSignal.abort(reason) })),
    (error) => error === reason,
  );
  const controller = new AbortController();
  const pending = client.complete(hello({ signal: controller.signal }));
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  controller.abort(reason);
  await assert.rejects(pending, (error) => error === reason);
  assert.equal(await server.requests[0]?.closed, "cut");
});
