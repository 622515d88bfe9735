import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import { hello, testClient } from "../tests/fixtures/llm/client.ts";
import {
  type RecordedRequest,
  type ServerReply,
  startOpenAIServer,
} from "../tests/fixtures/openai_server.ts";

function rejection(error: unknown, status = 400): ServerReply {
  return { status, json: { error } };
}

/** A server with a provider's rule: it rejects the first parameter of the request that it does not know. */
function refusing(names: readonly string[]): (request: RecordedRequest) => ServerReply {
  return ({ body }) => {
    const name = names.find((name) => body[name] !== undefined);
    if (name === undefined) return { text: "fine" };
    return rejection({ message: `Unrecognized request argument supplied: ${name}` });
  };
}

Deno.test("a request holds what was asked for, and nothing else", async () => {
  await using server = await startOpenAIServer({ otherwise: "fine" });
  const { client } = testClient(server, {
    temperature: 0.3,
    seed: 7,
    headers: { "X-Title": "mine" },
  });
  const messages = [
    { role: "system" as const, content: "be brief" },
    { role: "user" as const, content: "hi" },
  ];
  await client.complete({ messages });
  await client.complete({ messages, model: "other", temperature: 0, seed: 1, maxTokens: 50 });
  const stream = { stream: true, stream_options: { include_usage: true } };
  assert.deepEqual(server.requests.map((r) => r.body), [
    { model: "test-model", messages, temperature: 0.3, seed: 7, ...stream },
    { model: "other", messages, temperature: 0, seed: 1, max_tokens: 50, ...stream },
  ]);
  assert.equal(server.requests[0]?.headers["x-title"], "mine");
  assert.equal(server.requests[0]?.path, "/v1/chat/completions");
});

Deno.test("a key is sent as a bearer, and without one no authorization is sent", async () => {
  await using server = await startOpenAIServer({ otherwise: "fine" });
  await testClient(server, { apiKey: "sk-test-0123456789" }).client.complete(hello());
  await testClient(server).client.complete(hello());
  const baseUrl = server.baseUrl.replace("://", "://ann:pa%C3%9F@");
  await testClient({ baseUrl }).client.complete(hello());
  const headers = { Authorization: "Custom abc" };
  await testClient(server, { apiKey: "sk-test-0123456789", headers }).client.complete(hello());
  assert.deepEqual(server.requests.map((r) => r.headers["authorization"]), [
    "Bearer sk-test-0123456789",
    undefined,
    "Basic YW5uOnBhw58=",
    "Custom abc",
  ]);
});

Deno.test("headers of the environment do not reach a server that was not meant", async () => {
  await using server = await startOpenAIServer({ replies: ["fine"] });
  const ambient = "Authorization: Bearer ambient-0123456789\nX-Ambient: yes";
  Deno.env.set("OPENAI_CUSTOM_HEADERS", ambient);
  try {
    const { client } = testClient(server, {
      apiKey: "sk-test-0123456789",
      headers: { "X-Own": "1" },
    });
    await client.complete(hello());
  } finally {
    Deno.env.delete("OPENAI_CUSTOM_HEADERS");
  }
  const { headers } = server.requests[0]!;
  assert.equal(headers["authorization"], "Bearer sk-test-0123456789");
  assert.equal(headers["x-own"], "1");
  assert.deepEqual(Object.keys(headers).filter((name) => /^x-(?!own$)/.test(name)), []);
});

Deno.test("the base URL may end in slashes or in the whole path, and keeps its query", async () => {
  await using server = await startOpenAIServer({ otherwise: "fine" });
  for (const end of ["/", "//", "/chat/completions", "/chat/completions/", "?version=2"]) {
    await testClient({ baseUrl: server.baseUrl + end }).client.complete(hello());
  }
  const paths = server.requests.map((r) => r.path);
  const plain = "/v1/chat/completions";
  assert.deepEqual(paths, [plain, plain, plain, plain, `${plain}?version=2`]);
});

Deno.test("PRV-03 parameters that a provider rejects by name are renamed or left out, without waits", async () => {
  await using server = await startOpenAIServer({
    replies: [
      rejection({
        code: "unsupported_parameter",
        param: "max_tokens",
        message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
      }),
      rejection({ code: "unsupported_value", param: "temperature" }),
      "fine",
      "again",
    ],
  });
  const { client, waits } = testClient(server, { maxRetries: 0 });
  const request = hello({ maxTokens: 9, temperature: 0.3 });
  assert.equal((await client.complete(request)).text, "fine");
  assert.equal((await client.complete(request)).text, "again");
  const sent = server.requests.map((
    { body },
  ) => [body.max_tokens, body.max_completion_tokens, body.temperature]);
  assert.deepEqual(sent, [
    [9, undefined, 0.3],
    [undefined, 9, 0.3],
    [undefined, 9, undefined],
    [undefined, 9, undefined],
  ]);
  assert.deepEqual(waits, []);
});

Deno.test("PRV-03 a provider that knows next to nothing is met within a few tries, never with the same body twice", async () => {
  await using server = await startOpenAIServer({
    otherwise: refusing(["stream_options", "stream", "seed", "temperature", "max_tokens"]),
  });
  const { client } = testClient(server);
  const reply = await client.complete(hello({ maxTokens: 9, temperature: 1, seed: 4 }));
  assert.equal(reply.text, "fine");
  const bodies = server.requests.map((request) => request.text);
  assert.equal(new Set(bodies).size, bodies.length);
  assert.equal(bodies.length, 6);
  const { messages: _, ...last } = server.requests.at(-1)?.body;
  assert.deepEqual(last, { model: "test-model", max_completion_tokens: 9 });
});

Deno.test("PRV-03 a limit that is rejected under both of its names is an error and not dropped", async () => {
  await using server = await startOpenAIServer({
    otherwise: refusing(["max_tokens", "max_completion_tokens"]),
  });
  await assert.rejects(testClient(server).client.complete(hello({ maxTokens: 9 })), (error) => {
    assert.ok(error instanceof AgentLoopError);
    assert.equal(error.code, "model_rejected");
    assert.match(
      error.message,
      /400: Unrecognized request argument supplied: max_completion_tokens/,
    );
    return true;
  });
  assert.equal(server.requests.length, 2);
});

Deno.test("PRV-03 what is adapted for one model is not for another", async () => {
  await using server = await startOpenAIServer({
    otherwise: (request) =>
      request.body.model === "old" ? refusing(["seed"])(request) : { text: "fine" },
  });
  const { client } = testClient(server);
  for (const model of ["old", "new", "old"]) await client.complete(hello({ model, seed: 1 }));
  const sent = server.requests.map(({ body }) => [body.model, body.seed]);
  assert.deepEqual(sent, [["old", 1], ["old", undefined], ["new", 1], ["old", undefined]]);
});

Deno.test("PRV-03 a complaint about a value, or about nothing that can be left out, fails at once with the server's words", async () => {
  const complaints = [
    {
      param: "max_tokens",
      code: "invalid_value",
      message: "max_tokens is too large: 9. The model takes 5.",
    },
    { param: "temperature", code: "decimal_above_max_value", message: "Expected a value <= 2" },
    { param: "messages[0].role", message: "Unsupported value: 'system' with temperature" },
    { param: "model", code: "unsupported", message: "no stream" },
    { message: "I do not like it" },
  ];
  for (const complaint of complaints) {
    await using server = await startOpenAIServer({ otherwise: rejection(complaint) });
    const { client, waits } = testClient(server);
    await assert.rejects(client.complete(hello({ maxTokens: 9, temperature: 3 })), (error) => {
      assert.ok(error instanceof AgentLoopError);
      assert.ok(error.message.includes(complaint.message), error.message);
      return true;
    });
    assert.equal(server.requests.length, 1);
    assert.deepEqual(waits, []);
  }
});

Deno.test("PRV-04 messages with lone surrogates are sent as well-formed text", async () => {
  await using server = await startOpenAIServer({ replies: ["fine"] });
  const { client } = testClient(server);
  await client.complete({
    messages: [
      { role: "user", content: "ok \uD83D end" },
      { role: "assistant", content: "\uDE00 and 😀" },
    ],
  });
  const sent = server.requests[0]?.text ?? "";
  assert.ok(!/\\u[dD][89a-fA-F]/.test(sent), sent);
  assert.deepEqual(server.requests[0]?.body.messages.map((m: { content: string }) => m.content), [
    "ok \uFFFD end",
    "\uFFFD and 😀",
  ]);
});

Deno.test("the later requests of a client have the head of the first, and bodies of their own", async () => {
  await using server = await startOpenAIServer({ replies: ["a", "b"] });
  const headers = { "x-team": "blue" };
  const { client } = testClient(server, { apiKey: "plain-secret-0123456789", headers });
  await client.complete(hello());
  await client.complete({ messages: [{ role: "user", content: "again, and longer" }] });
  const [first, second] = server.requests.map(({ method, path, headers, body }) => {
    const { "content-length": _, ...rest } = headers;
    return { method, path, headers: rest, said: body.messages[0].content };
  });
  assert.deepEqual(second, { ...first, said: "again, and longer" });
  assert.equal(first?.headers["x-team"], "blue");
  assert.equal(first?.headers["authorization"], "Bearer plain-secret-0123456789");
});
