import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import { hello, testClient } from "../tests/fixtures/llm/client.ts";
import { startOpenAIServer } from "../tests/fixtures/openai_server.ts";
import { createOpenAIClient } from "./openai.ts";

function tools(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    name: `tool_${n}`,
    description: "d",
    parameters: { type: "object" },
  }));
}

Deno.test("more than 128 tools are not sent to OpenAI, and the error names the way out", async () => {
  let asked = 0;
  const client = createOpenAIClient({
    apiKey: "k",
    maxRetries: 0,
    fetch: () => {
      asked++;
      return Promise.resolve(new Response('{"error":{"message":"no"}}', { status: 400 }));
    },
  });
  const failure = async (count: number) => {
    const error: unknown = await client.complete(hello({ tools: tools(count) })).catch((e) => e);
    assert.ok(error instanceof AgentLoopError);
    return error;
  };
  const error = await failure(129);
  assert.equal(asked, 0);
  assert.equal(error.code, "model_rejected");
  assert.match(
    error.message,
    /^Asking "gpt-\S+" at \S+ failed: the request offers 129 tools, and OpenAI takes 128 at most\. Let the model look for tools \(toolExpander\)/,
  );
  await failure(128);
  assert.equal(asked, 1);
});

Deno.test("other servers get as many as there are; what they say of too many is told with the way out", async () => {
  await using fine = await startOpenAIServer({ otherwise: "fine" });
  await testClient(fine).client.complete(hello({ tools: tools(200) }));
  assert.equal((fine.requests[0]?.body.tools as unknown[]).length, 200);
  const refusals = [
    {
      message:
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 217 instead.",
      param: "tools",
      code: "array_above_max_length",
    },
    { message: "Too many tools: 200" },
    { message: "at most 64 function declarations are supported" },
    { message: "maximum number of tools is 128" },
  ];
  for (const error of refusals) {
    await using server = await startOpenAIServer({ replies: [{ status: 400, json: { error } }] });
    const told: unknown = await testClient(server).client
      .complete(hello({ tools: tools(3) })).catch((e) => e);
    assert.ok(told instanceof AgentLoopError);
    assert.equal(told.code, "model_rejected");
    assert.match(told.message, /more tools than the server takes \(400: .*toolExpander/);
  }
});

Deno.test("an overflow that counts the functions' tokens stays an overflow", async () => {
  const error = {
    message:
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the functions).",
    code: "context_length_exceeded",
  };
  await using server = await startOpenAIServer({ replies: [{ status: 400, json: { error } }] });
  const told: unknown = await testClient(server).client
    .complete(hello({ tools: tools(3) })).catch((e) => e);
  assert.ok(told instanceof AgentLoopError);
  assert.deepEqual([told.code, told.contextWindow], ["model_context_overflow", 8192]);
});
