import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import { hello, recorder, testClient } from "../tests/fixtures/llm/client.ts";
import {
  chunkOf,
  type ServerReply,
  sseEvent,
  startOpenAIServer,
} from "../tests/fixtures/openai_server.ts";

const NOW = new Date("2026-01-05T10:00:00Z");
const BUSY = { error: { message: "slow down" } };

function refusal(
  status: number,
  headers: Record<string, string> = {},
  json: unknown = BUSY,
): ServerReply {
  return { status, headers, json };
}

async function waitsAfter(
  headers: Record<string, string>,
  status = 429,
): Promise<readonly number[]> {
  await using server = await startOpenAIServer({ replies: [refusal(status, headers), "fine"] });
  const { client, waits } = testClient(server, { now: () => NOW });
  assert.equal((await client.complete(hello())).text, "fine");
  return waits;
}

Deno.test("429, 5xx and lost connections are tried again, each wait twice the one before", async () => {
  await using server = await startOpenAIServer({
    // The lost connection is the first: on a connection that was used before, fetch itself sends again.
    replies: [{ drop: true }, refusal(429), refusal(503), "fine"],
  });
  const { client, waits } = testClient(server);
  assert.equal((await client.complete(hello())).text, "fine");
  assert.deepEqual(waits, [500, 1000, 2000]);
});

Deno.test("after the last try the error says how many there were", async () => {
  await using server = await startOpenAIServer({ otherwise: refusal(503) });
  const { client, waits } = testClient(server);
  await assert.rejects(client.complete(hello()), (error) => {
    assert.ok(error instanceof AgentLoopError);
    assert.equal(error.code, "model_overloaded");
    assert.equal(error.status, 503);
    assert.match(error.message, /failed after 4 tries: the server failed \(503: slow down\)/);
    return true;
  });
  assert.equal(server.requests.length, 4);
  assert.equal(waits.length, 3);
});

Deno.test("maxRetries 0 means one try, which the package does not repeat on its own", async () => {
  await using server = await startOpenAIServer({ otherwise: refusal(500) });
  const { client, waits } = testClient(server, { maxRetries: 0 });
  await assert.rejects(client.complete(hello()));
  assert.equal(server.requests.length, 1);
  assert.deepEqual(waits, []);
});

Deno.test("4xx that will not pass are not tried again", async () => {
  for (const status of [400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 451]) {
    await using server = await startOpenAIServer({ otherwise: refusal(status) });
    const { client, waits } = testClient(server);
    await assert.rejects(client.complete(hello()), AgentLoopError);
    assert.equal(server.requests.length, 1, String(status));
    assert.deepEqual(waits, []);
  }
});

Deno.test("an account without credit is not asked again, though its status is 429", async () => {
  const json = {
    error: { code: "insufficient_quota", message: "You exceeded your current quota" },
  };
  await using server = await startOpenAIServer({ otherwise: refusal(429, {}, json) });
  await assert.rejects(testClient(server).client.complete(hello()), /no credit left.*billing/);
  assert.equal(server.requests.length, 1);
});

Deno.test("the server's own word on trying again beats ours", async () => {
  await using no = await startOpenAIServer({
    otherwise: refusal(503, { "x-should-retry": "false" }),
  });
  await assert.rejects(testClient(no).client.complete(hello()));
  assert.equal(no.requests.length, 1);
  await using yes = await startOpenAIServer({
    replies: [refusal(409, { "x-should-retry": "true" }), "fine"],
  });
  assert.equal((await testClient(yes).client.complete(hello())).text, "fine");
});

Deno.test("RTY-01 Retry-After is honoured in each of its forms", async () => {
  const waits: Record<string, number[]> = {
    "2": [2000],
    "Mon, 05 Jan 2026 10:00:03 GMT": [3000],
    "Mon, 05 Jan 2026 09:00:00 GMT": [0],
    "-5": [0],
    "1.5": [1500],
    "soon": [500],
    "": [500],
  };
  for (const [value, expected] of Object.entries(waits)) {
    assert.deepEqual(await waitsAfter({ "retry-after": value }), expected, value);
  }
  assert.deepEqual(await waitsAfter({ "retry-after-ms": "250", "retry-after": "9" }), [250]);
});

Deno.test("RTY-02 an absurd Retry-After leaves the ordinary wait", async () => {
  for (const value of ["Fri, 31 Dec 99999 23:59:59 GMT", "99999999999999999999"]) {
    assert.deepEqual(await waitsAfter({ "retry-after": value }, 503), [500], value);
  }
});

Deno.test("a Retry-After beyond the cap fails at once and says how long the server asks for", async () => {
  await using server = await startOpenAIServer({
    otherwise: refusal(429, { "retry-after": "3600" }),
  });
  const { client, waits } = testClient(server);
  await assert.rejects(client.complete(hello()), (error) => {
    assert.ok(error instanceof AgentLoopError);
    assert.equal(error.code, "model_rate_limited");
    assert.match(error.message, /The server asks to wait 3600 s, .* Try again after that\.$/);
    return true;
  });
  assert.deepEqual(waits, []);
  const patient = testClient(server, { maxRetries: 1, maxRetryAfterMs: 3_600_000 });
  await assert.rejects(patient.client.complete(hello()));
  assert.deepEqual(patient.waits, [3_600_000]);
});

Deno.test("RTY-05 a reply that starts anew after shown text takes that text back first", async () => {
  await using server = await startOpenAIServer({
    replies: [
      { pieces: [sseEvent(chunkOf("Hel")), sseEvent(chunkOf("lo"))], end: "reset" },
      { chunks: ["Hello ", "world"] },
    ],
  });
  const { heard, listener } = recorder();
  const reply = await testClient(server).client.complete(hello(listener));
  assert.equal(reply.text, "Hello world");
  assert.deepEqual(heard, ["Hel", "lo", "<restart>", "Hello ", "world"]);
});

Deno.test("RTY-05 shown text that cannot be taken back ends the call", async () => {
  await using server = await startOpenAIServer({
    replies: [{ pieces: [sseEvent(chunkOf("Hel"))], end: "reset" }],
  });
  const { heard, listener } = recorder();
  const { client, waits } = testClient(server);
  await assert.rejects(client.complete(hello({ onText: listener.onText! })), (error) => {
    assert.ok(error instanceof AgentLoopError);
    assert.equal(error.code, "model_incomplete");
    assert.match(error.message, /connection was lost in the middle/);
    return true;
  });
  assert.deepEqual(heard, ["Hel"]);
  assert.deepEqual(waits, []);
});

Deno.test("RTY-05 a connection lost before any text is tried again without a word", async () => {
  const role = sseEvent({ choices: [{ index: 0, delta: { role: "assistant", content: "" } }] });
  for (
    const first of [{ drop: true }, { pieces: [], end: "reset" }, {
      pieces: [role],
      end: "reset",
    }] as const
  ) {
    await using server = await startOpenAIServer({ replies: [first, "Hello"] });
    const { heard, listener } = recorder();
    assert.equal((await testClient(server).client.complete(hello(listener))).text, "Hello");
    assert.deepEqual(heard, ["Hello"]);
  }
});

Deno.test("RTY-05 without a listener a broken stream is tried again, and its text counts once", async () => {
  await using server = await startOpenAIServer({
    replies: [{ pieces: [sseEvent(chunkOf("Hel"))], end: "reset" }, "Hello world"],
  });
  assert.equal((await testClient(server).client.complete(hello())).text, "Hello world");
});

Deno.test("tokens that a broken try was billed for are part of what the call cost", async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 7 };
  const broken = {
    pieces: [sseEvent({ ...chunkOf("x") as object, usage })],
    end: "reset",
  } as const;
  await using server = await startOpenAIServer({ replies: [broken, { text: "y", usage }, broken] });
  const reply = await testClient(server).client.complete(hello());
  assert.deepEqual(reply.usage, { prompt: 200, completion: 14 });
  await assert.rejects(testClient(server, { maxRetries: 0 }).client.complete(hello()), (error) => {
    assert.ok(error instanceof AgentLoopError);
    assert.deepEqual(error.tokens, { prompt: 100, completion: 7 });
    return true;
  });
});

Deno.test("an abort during the wait before a retry rejects with its reason", async () => {
  await using server = await startOpenAIServer({ replies: [refusal(503)] });
  const controller = new AbortController();
  const reason = new Error("enough");
  const { client } = testClient(server, {
    random: () => {
      queueMicrotask(() => controller.abort(reason));
      return 0;
    },
    // The client's own timer: the abort must not wait for it.
    sleep: undefined,
  });
  await assert.rejects(client.complete(hello({ signal: controller.signal })), (e) => e === reason);
});

Deno.test("the client waits by itself where no other way to wait is given", async () => {
  await using server = await startOpenAIServer({
    replies: [refusal(503, { "retry-after-ms": "20" }), "fine"],
  });
  const { client } = testClient(server, { sleep: undefined });
  assert.equal((await client.complete(hello())).text, "fine");
});
