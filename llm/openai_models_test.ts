import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import { hello, testClient } from "../tests/fixtures/llm/client.ts";
import { type OpenAIServerOptions, startOpenAIServer } from "../tests/fixtures/openai_server.ts";
import { createOpenAIClient, DEFAULT_OPENAI_MODEL } from "./openai.ts";

async function failureWith(models: OpenAIServerOptions["models"]): Promise<AgentLoopError> {
  await using server = await startOpenAIServer(models === undefined ? {} : { models });
  const { client } = testClient(server, { model: "", maxRetries: 0 });
  try {
    await client.complete(hello());
  } catch (error) {
    assert.ok(error instanceof AgentLoopError, String(error));
    return error;
  }
  throw new Error("the call succeeded");
}

Deno.test("with no model named the only one of the server's list is asked, and remembered", async () => {
  await using server = await startOpenAIServer({ models: ["qwen"], otherwise: "fine" });
  const { client } = testClient(server, { model: "" });
  await client.complete(hello());
  await client.complete(hello());
  assert.deepEqual(server.requests.map((r) => r.body.model), ["qwen", "qwen"]);
  assert.equal(server.modelRequests.length, 1);
});

Deno.test("a model that the request or the options name needs no list", async () => {
  await using server = await startOpenAIServer({ models: ["a", "b"], otherwise: "fine" });
  await testClient(server, { model: "" }).client.complete(hello({ model: "a" }));
  await testClient(server, { model: "b" }).client.complete(hello());
  assert.deepEqual(server.requests.map((r) => r.body.model), ["a", "b"]);
  assert.equal(server.modelRequests.length, 0);
});

Deno.test("with several models in the list the error names them, twenty at most", async () => {
  const few = await failureWith(["a", "b"]);
  assert.equal(few.code, "config");
  assert.match(
    few.message,
    /No model is named, and http:\S+\/v1\/models lists 2\. Name one \(OPENAI_CHAT_MODEL\)\. It has: a, b\.$/,
  );
  const many = await failureWith(Array.from({ length: 25 }, (_, i) => `m${i}`));
  assert.match(many.message, /lists 25.* m19, and 5 more\.$/);
  assert.doesNotMatch(many.message, /m20/);
});

Deno.test("with no model in the list the error says so", async () => {
  const error = await failureWith([]);
  assert.equal(error.code, "config");
  assert.match(error.message, /lists none\. Name one/);
});

Deno.test("a list of other shapes is read too", async () => {
  for (
    const json of [{ models: [{ name: "qwen" }] }, ["qwen"], {
      data: [{ id: "qwen" }, { id: "qwen" }, {}],
    }]
  ) {
    await using server = await startOpenAIServer({ models: { json }, replies: ["fine"] });
    const reply = await testClient(server, { model: "" }).client.complete(hello());
    assert.equal(reply.text, "fine");
    assert.equal(server.requests[0]?.body.model, "qwen");
  }
});

Deno.test("a list that cannot be read says that naming the model helps", async () => {
  const cases = [
    [{ status: 404, body: "not found" }, "model_not_found"],
    [{ status: 401, json: { error: "no" } }, "model_auth"],
    [{ body: "<html>" }, "model_rejected"],
    [{ json: { hello: 1 } }, "model_rejected"],
  ] as const;
  for (const [models, code] of cases) {
    const error = await failureWith(models);
    assert.equal(error.code, code);
    assert.match(
      error.message,
      /^Reading the list of models at http:\S+\/v1\/models failed.*Or name the model/,
    );
  }
});

Deno.test("where the server cannot be reached, naming the model is no way out", async () => {
  const fetch = () => Promise.reject(new TypeError("connection refused"));
  await using server = await startOpenAIServer({ models: ["qwen"] });
  const { client } = testClient(server, { model: "", fetch, maxRetries: 0 });
  await assert.rejects(client.complete(hello()), (error: Error) => {
    assert.match(error.message, /^Reading the list of models at /);
    assert.doesNotMatch(error.message, /name the model/);
    return true;
  });
});

Deno.test("reading the list is tried again like any call, and a failure is not remembered", async () => {
  let calls = 0;
  const fetch = (input: string | URL | Request, init?: RequestInit) =>
    calls++ < 2
      ? Promise.reject(new TypeError("connection refused"))
      : globalThis.fetch(input, init);
  await using server = await startOpenAIServer({ models: ["qwen"], otherwise: "fine" });
  const { client, waits } = testClient(server, { model: "", fetch, maxRetries: 1 });
  await assert.rejects(client.complete(hello()));
  assert.deepEqual(waits, [500]);
  assert.equal((await client.complete(hello())).text, "fine");
});

Deno.test("at OpenAI itself the documented model is asked when none is named", async () => {
  let asked: unknown;
  const fetch = (_input: string | URL | Request, init?: RequestInit) => {
    asked = JSON.parse(String(init?.body)).model;
    return Promise.resolve(Response.json({ choices: [{ message: { content: "hi" } }] }));
  };
  await createOpenAIClient({ apiKey: "sk-test-0123456789", fetch }).complete(hello());
  assert.equal(asked, DEFAULT_OPENAI_MODEL);
});
