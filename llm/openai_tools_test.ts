import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import type { Completion, CompletionRequest, ToolDeclaration } from "../contracts/model.ts";
import { hello, recorder, testClient } from "../tests/fixtures/llm/client.ts";
import {
  chunkOf,
  deltaChunk,
  type ServerReply,
  sseEvent,
  startOpenAIServer,
  wireCall,
} from "../tests/fixtures/openai_server.ts";

const PARAMETERS = { type: "object", properties: { path: { type: "string" } } };

function tool(name: string): ToolDeclaration {
  return { name, description: `does ${name}`, parameters: PARAMETERS };
}

function withTools(rest: Partial<CompletionRequest> = {}): CompletionRequest {
  return hello({ tools: [tool("read"), tool("write")], ...rest });
}

/** What one reply gives. */
async function once(reply: ServerReply, request = withTools()): Promise<Completion> {
  await using server = await startOpenAIServer({ replies: [reply] });
  return await testClient(server, { maxRetries: 0 }).client.complete(request);
}

/** What one failure gives. */
async function failureOf(reply: ServerReply, request = withTools()): Promise<AgentLoopError> {
  try {
    await once(reply, request);
  } catch (error) {
    assert.ok(error instanceof AgentLoopError, String(error));
    return error;
  }
  throw new Error("the call succeeded");
}

Deno.test("calls are given as they were made, from a stream as from one piece, with the text beside them", async () => {
  const toolCalls = [
    wireCall({ id: "a", name: "write", args: { path: "é😀" } }),
    wireCall({ id: "b", name: "read", args: {} }),
  ];
  const expected = [
    { id: "a", name: "write", argumentsJson: '{"path":"é😀"}' },
    { id: "b", name: "read", argumentsJson: "{}" },
  ];
  const message = { role: "assistant", content: "Let me see.", tool_calls: toolCalls };
  const json = { choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
  const usage = { prompt_tokens: 40, completion_tokens: 9 };
  for (const reply of [{ text: "Let me see.", toolCalls, usage }, { json: { ...json, usage } }]) {
    const { heard, listener } = recorder();
    const completion = await once(reply, withTools(listener));
    assert.deepEqual(completion, {
      text: "Let me see.",
      toolCalls: expected,
      finishReason: "tool_calls",
      usage: { prompt: 40, completion: 9 },
      model: "test-model",
    });
    assert.deepEqual(heard, ["Let me see."]);
  }
});

Deno.test("a reply without calls has none, and calls that nobody offered are given too", async () => {
  assert.equal("toolCalls" in await once({ text: "x" }), false);
  const toolCalls = [wireCall({ id: "a", name: "write", args: "{}" })];
  const completion = await once({ toolCalls }, hello());
  assert.deepEqual(completion.toolCalls?.map(({ name }) => name), ["write"]);
  assert.equal(completion.text, "");
});

Deno.test("TOL-02 calls of one index, over the wire", async () => {
  const { toolCalls } = await once({
    toolCallDeltas: [
      [{ index: 0, ...wireCall({ id: "c1", name: "write", args: { p: "a" } }) }],
      [{ index: 0, ...wireCall({ id: "c2", name: "write", args: { p: "b" } }) }],
    ],
  });
  assert.deepEqual(toolCalls, [
    { id: "c1", name: "write", argumentsJson: '{"p":"a"}' },
    { id: "c2", name: "write", argumentsJson: '{"p":"b"}' },
  ]);
});

Deno.test("TOL-03 calls without an index, and ids that are placeholders, over the wire", async () => {
  const both = [
    wireCall({ id: "k1", name: "read", args: { q: 1 } }),
    wireCall({ id: "k2", name: "read", args: { q: 2 } }),
  ];
  const a = await once({ toolCallDeltas: [both] });
  assert.deepEqual(a.toolCalls?.map(({ id, argumentsJson }) => [id, argumentsJson]), [
    ["k1", '{"q":1}'],
    ["k2", '{"q":2}'],
  ]);
  const b = await once({
    toolCallDeltas: [
      [{ index: 0, ...wireCall({ id: "k9", name: "read", args: '{"q"' }) }],
      [{ index: 0, id: "null", function: { arguments: ":2}" } }],
    ],
  });
  assert.deepEqual(b.toolCalls, [{ id: "k9", name: "read", argumentsJson: '{"q":2}' }]);
});

Deno.test("TOL-04 arguments as an object, as an empty text and as null, over the wire", async () => {
  const toolCalls = [{ city: "Oslo" }, "", null].map((args, at) => ({
    id: `t${at}`,
    type: "function",
    function: { name: "weather", arguments: args },
  }));
  const message = { content: null, tool_calls: toolCalls };
  const json = { choices: [{ message, finish_reason: "stop" }] };
  for (const reply of [{ toolCalls }, { json }]) {
    const completion = await once(reply);
    const texts = completion.toolCalls?.map(({ argumentsJson }) => argumentsJson);
    assert.deepEqual(texts, ['{"city":"Oslo"}', "{}", "{}"]);
  }
});

Deno.test("TOL-06 arguments that were cut are marked, whatever the reason for the end is said to be", async () => {
  const args = '{"path":"report.md","content":"line 1\nline 2';
  const toolCalls = [wireCall({ id: "w", name: "write", args })];
  for (const finishReason of ["length", "tool_calls", "stop"]) {
    const completion = await once({ toolCalls, finishReason });
    assert.deepEqual(completion.toolCalls, [
      { id: "w", name: "write", argumentsJson: args, argumentsFault: "cut" },
    ]);
    assert.equal(completion.finishReason, finishReason === "length" ? "length" : "tool_calls");
  }
});

Deno.test("TOL-06 a stream that breaks off within a call is tried again, and gives nothing of it", async () => {
  const begun = sseEvent(deltaChunk({
    tool_calls: [{ index: 0, ...wireCall({ id: "a", name: "write", args: '{"path":"x"}' }) }],
  }));
  const toolCalls = [wireCall({ id: "b", name: "write", args: { path: "y" } })];
  await using server = await startOpenAIServer({
    replies: [{ pieces: [begun] }, { pieces: [begun], end: "reset" }, { toolCalls }],
  });
  const { client, waits } = testClient(server);
  const completion = await client.complete(withTools());
  assert.deepEqual(completion.toolCalls?.map(({ id }) => id), ["b"]);
  assert.deepEqual(waits, [500, 1000]);
  const { code } = await failureOf({ pieces: [begun] });
  assert.equal(code, "model_incomplete");
});

Deno.test("calls decide on the reason for the end, but for a reply that was cut", async () => {
  const toolCalls = [wireCall({ id: "a", name: "read", args: "{}" })];
  const reasons = {
    stop: "tool_calls",
    eos: "tool_calls",
    whatever: "tool_calls",
    function_call: "tool_calls",
    length: "length",
    content_filter: "content_filter",
  };
  for (const [finishReason, expected] of Object.entries(reasons)) {
    assert.equal((await once({ toolCalls, finishReason })).finishReason, expected, finishReason);
  }
  const call = sseEvent(deltaChunk({ tool_calls: [{ index: 0, ...toolCalls[0] }] }));
  const unsaid = await once({ pieces: [call, sseEvent("[DONE]")] });
  assert.equal(unsaid.finishReason, "tool_calls");
});

Deno.test("a legacy function call is read, from a stream as from one piece", async () => {
  const message = { content: null, function_call: { name: "read", arguments: '{"a":1}' } };
  const json = { choices: [{ index: 0, message, finish_reason: "function_call" }] };
  const deltas = [{ name: "read", arguments: "" }, { arguments: '{"a"' }, { arguments: ":1}" }];
  const pieces = [
    ...deltas.map((function_call) => sseEvent(deltaChunk({ function_call }))),
    sseEvent(chunkOf(null, "function_call")),
  ];
  for (const reply of [{ json }, { pieces }]) {
    const completion = await once(reply);
    assert.deepEqual(completion.toolCalls, [
      { id: "call00001", name: "read", argumentsJson: '{"a":1}' },
    ]);
    assert.equal(completion.finishReason, "tool_calls");
  }
});

Deno.test("a whole message at the end of a stream brings the calls that no delta brought, and no text twice", async () => {
  const tool_calls = [wireCall({ id: "a", name: "read", args: "{}" })];
  const message = { role: "assistant", content: "x", tool_calls };
  const last = sseEvent({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  const delta = sseEvent(deltaChunk({ tool_calls: [{ index: 0, ...tool_calls[0] }] }));
  for (const pieces of [[sseEvent(chunkOf("x")), last], [sseEvent(chunkOf("x")), delta, last]]) {
    const { text, toolCalls } = await once({ pieces });
    assert.equal(text, "x");
    assert.deepEqual(toolCalls?.map(({ id }) => id), ["a"]);
  }
});

Deno.test("a made-up id is none of the conversation's", async () => {
  const toolCalls = [wireCall({ name: "read", args: "{}" }), wireCall({ name: "read", args: {} })];
  await using server = await startOpenAIServer({ otherwise: { toolCalls } });
  const { client } = testClient(server);
  const first = await client.complete(withTools());
  assert.deepEqual(first.toolCalls?.map(({ id }) => id), ["call00001", "call00002"]);
  const messages: CompletionRequest["messages"] = [
    ...withTools().messages,
    { role: "assistant", content: "", toolCalls: first.toolCalls! },
    ...first.toolCalls!.map(({ id }) => ({ role: "tool" as const, content: "x", toolCallId: id })),
  ];
  const second = await client.complete(withTools({ messages }));
  assert.deepEqual(second.toolCalls?.map(({ id }) => id), ["call00003", "call00004"]);
});

Deno.test("SSE-07 a reply of neither text nor calls is empty, with tools as without", async () => {
  const nothing = sseEvent(deltaChunk({ role: "assistant", tool_calls: [] }));
  assert.equal((await failureOf({ pieces: [nothing] })).code, "model_empty");
  const completion = await once({ pieces: [nothing, sseEvent(chunkOf(null, "stop"))] });
  assert.deepEqual([completion.text, completion.toolCalls], ["", undefined]);
});

Deno.test("reasoning beside calls is kept apart, as it is beside text", async () => {
  const toolCalls = [{ index: 0, ...wireCall({ id: "a", name: "read", args: "{}" }) }];
  const pieces = [
    sseEvent(deltaChunk({ reasoning_content: "hm" })),
    sseEvent(deltaChunk({ tool_calls: toolCalls }, "tool_calls")),
  ];
  const completion = await once({ pieces });
  assert.deepEqual([completion.reasoning, completion.text], ["hm", ""]);
  assert.equal(completion.toolCalls?.length, 1);
});

Deno.test("a server that takes no tools is told as that, at once", async () => {
  const refusals: [number, unknown][] = [
    [400, { message: "registry/gemma:2b does not support tools", type: "api_error" }],
    [400, { message: '"auto" tool choice requires --enable-auto-tool-choice to be set' }],
    [404, { message: "No endpoints found that support tool use. Try another", code: 404 }],
    [400, { message: "`tool calling` is not supported with this model" }],
    [400, { message: "Function calling is not enabled for models/small" }],
    [500, { message: "tools param requires --jinja flag", type: "server_error" }],
    [400, { message: "Unrecognized request argument supplied: tools" }],
    [422, { param: "tools", message: "Extra inputs are not permitted" }],
  ];
  for (const [status, error] of refusals) {
    await using server = await startOpenAIServer({
      replies: [{ status, json: { error } }],
      otherwise: "fine",
    });
    const { client, waits } = testClient(server);
    await assert.rejects(client.complete(withTools()), (failure) => {
      assert.ok(failure instanceof AgentLoopError);
      assert.equal(failure.code, "model_tools_unsupported", failure.message);
      assert.equal(failure.status, status);
      assert.match(failure.message, /takes no tools \(.*\)\. Choose a model that can call tools/);
      return true;
    });
    assert.deepEqual([server.requests.length, waits], [1, []]);
  }
});

Deno.test("other failures of requests with tools mean what they mean without", async () => {
  const failures: [number, unknown, string][] = [
    [
      400,
      { message: "Invalid schema for function 'read': type 'null' is not supported" },
      "model_rejected",
    ],
    [400, { message: "tool_choice 'required' is not supported" }, "model_rejected"],
    [400, { message: "The model does not support tool choice required" }, "model_rejected"],
    [400, { message: "The model does not support parallel tool calls" }, "model_rejected"],
    [400, { message: "maximum context length is 8192 tokens" }, "model_context_overflow"],
    [401, { message: "this key may not use tools: not supported" }, "model_auth"],
    [429, { message: "tool calls are not available now" }, "model_rate_limited"],
  ];
  for (const [status, error, code] of failures) {
    const request = withTools({ toolChoice: "required" });
    assert.equal((await failureOf({ status, json: { error } }, request)).code, code);
  }
  const json = { error: { message: "m does not support tools" } };
  assert.equal((await failureOf({ status: 400, json }, hello())).code, "model_rejected");
});

Deno.test("HIS-08 an overflow is told with its window, with tools as without", async () => {
  const error = { type: "exceed_context_size_error", message: "too long", n_ctx: 32768 };
  const failure = await failureOf({ status: 400, json: { error } });
  assert.deepEqual([failure.code, failure.contextWindow], ["model_context_overflow", 32768]);
});

Deno.test("a call that the server could not read is tried again", async () => {
  const error = { code: "tool_use_failed", message: "Failed to call a function.", type: "x" };
  const toolCalls = [wireCall({ id: "a", name: "read", args: "{}" })];
  await using server = await startOpenAIServer({
    replies: [{ status: 400, json: { error } }, { toolCalls }],
  });
  assert.equal((await testClient(server).client.complete(withTools())).toolCalls?.length, 1);
  assert.equal((await failureOf({ status: 400, json: { error } })).code, "model_incomplete");
});

Deno.test("a key in a refusal of tools is not shown", async () => {
  const apiKey = "sk-test-0123456789";
  const error = { message: `${apiKey} at m does not support tools` };
  await using server = await startOpenAIServer({ replies: [{ status: 400, json: { error } }] });
  await assert.rejects(testClient(server, { apiKey }).client.complete(withTools()), (failure) => {
    assert.ok(failure instanceof AgentLoopError);
    assert.equal(failure.code, "model_tools_unsupported");
    assert.ok(!failure.message.includes(apiKey), failure.message);
    return true;
  });
});
