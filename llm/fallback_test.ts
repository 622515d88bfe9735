import assert from "node:assert/strict";
import { AgentLoopError, type ErrorCode } from "../contracts/errors.ts";
import type { Client, CompletionRequest } from "../contracts/model.ts";
import { createFallbackClient } from "./fallback.ts";
import { scriptedClient } from "./scripted.ts";

const usage = { prompt: 60, completion: 40 };
const REQUEST: CompletionRequest = { messages: [{ role: "user", content: "hi" }], model: "big" };

function failing(code: ErrorCode): Client {
  return { complete: () => Promise.reject(new AgentLoopError(`it is ${code}`, { code })) };
}

Deno.test("fallback: the first model answers while it can", async () => {
  using first = scriptedClient([{ text: "one", usage }]);
  using second = scriptedClient([]);
  const client = createFallbackClient([{ client: first }, { client: second }]);
  assert.equal((await client.complete(REQUEST)).text, "one");
  assert.equal(first.requests[0]!.model, "big");
});

for (
  const code of [
    "model_overloaded",
    "model_rate_limited",
    "model_connection",
    "model_not_found",
  ] as const
) {
  Deno.test(`fallback: ${code} goes on to the next model, and is told`, async () => {
    using second = scriptedClient([{ text: "two", usage }]);
    const notices: string[] = [];
    const client = createFallbackClient([
      { client: failing(code), model: "big" },
      { client: second, model: "small" },
    ]);
    const completion = await client.complete({
      ...REQUEST,
      onNotice: (text) => notices.push(text),
    });
    assert.equal(completion.text, "two");
    assert.equal(second.requests[0]!.model, "small");
    assert.deepEqual(notices, [
      `The model big cannot answer, the next model is asked: it is ${code}`,
    ]);
  });
}

Deno.test("fallback: a second provider is not asked for a model of the first one's name", async () => {
  using second = scriptedClient([{ text: "two", usage }]);
  const client = createFallbackClient([{ client: failing("model_overloaded") }, {
    client: second,
  }]);
  await client.complete(REQUEST);
  assert.equal(second.requests[0]!.model, undefined);
});

for (const code of ["model_auth", "model_rejected", "model_context_overflow", "aborted"] as const) {
  Deno.test(`fallback: ${code} is no reason to ask another model`, async () => {
    using second = scriptedClient([]);
    const client = createFallbackClient([{ client: failing(code) }, { client: second }]);
    await assert.rejects(client.complete(REQUEST), { code });
  });
}

Deno.test("fallback: a model that has spent its share is passed over", async () => {
  using first = scriptedClient([{ text: "one", usage }]);
  using second = scriptedClient([{ text: "two", usage }]);
  const notices: string[] = [];
  const client = createFallbackClient([
    { client: first, model: "big", maxTotalTokens: 100 },
    { client: second, model: "small", maxTotalTokens: 100 },
  ]);
  const ask = () => client.complete({ ...REQUEST, onNotice: (text) => notices.push(text) });
  assert.equal((await ask()).text, "one");
  assert.equal((await ask()).text, "two");
  assert.deepEqual(notices, ["The model big has spent its 100 tokens."]);
  await assert.rejects(ask(), /Every model has spent the tokens that it may/);
});

Deno.test("fallback: the last model's failure is the client's", async () => {
  const client = createFallbackClient([
    { client: failing("model_overloaded") },
    { client: failing("model_rate_limited") },
  ]);
  await assert.rejects(client.complete(REQUEST), { code: "model_rate_limited" });
});

Deno.test("fallback: no model, or a bound that is none, is refused at once", () => {
  assert.throws(() => createFallbackClient([]), TypeError);
  using client = scriptedClient([]);
  assert.throws(() => createFallbackClient([{ client, maxTotalTokens: 0 }]), RangeError);
  assert.throws(() => createFallbackClient([{ client, maxTokens: 9 } as never]), {
    name: "TypeError",
    message:
      "createFallbackClient: models[0]: there is no option maxTokens; there are client, model, maxTotalTokens",
  });
});

Deno.test("fallback: a client in the place of a model is told at once", () => {
  using client = scriptedClient([]);
  assert.throws(() => createFallbackClient([client as never]), {
    name: "TypeError",
    message:
      "createFallbackClient: models[0] must be an object with a client, such as { client: createOpenAIClient(…) }",
  });
  assert.throws(() => createFallbackClient(client as never), {
    name: "TypeError",
    message:
      "createFallbackClient: expected a list of models, such as [{ client: createOpenAIClient(…) }]",
  });
});
