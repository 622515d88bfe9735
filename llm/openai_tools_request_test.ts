import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import type { CompletionRequest, Message, ToolDeclaration } from "../contracts/model.ts";
import { hello, testClient } from "../tests/fixtures/llm/client.ts";
import { type ServerStep, startOpenAIServer, wireCall } from "../tests/fixtures/openai_server.ts";
import { createFallbackClient } from "./fallback.ts";

const PARAMETERS = {
  type: "object",
  properties: { seed: { type: ["integer", "null"] } },
  required: ["seed"],
  additionalProperties: false,
} as const;
const READ: ToolDeclaration = { name: "read", description: "reads \ud83d", parameters: PARAMETERS };
const WIRE_READ = {
  type: "function",
  function: { name: "read", description: "reads \ufffd", parameters: PARAMETERS },
};

function withRead(rest: Partial<CompletionRequest> = {}): CompletionRequest {
  return hello({ tools: [READ], ...rest });
}

/** A conversation with one call. */
function conversation(
  call: { name?: string; argumentsJson?: string; content?: string },
): Message[] {
  const { name = "read", argumentsJson = "{}", content = "" } = call;
  return [
    { role: "user", content: "go" },
    { role: "assistant", content, toolCalls: [{ id: "a", name, argumentsJson }] },
    { role: "tool", content: "42", toolCallId: "a" },
  ];
}

async function bodiesOf(
  requests: readonly CompletionRequest[],
  otherwise: ServerStep = "fine",
): Promise<Record<string, unknown>[]> {
  await using server = await startOpenAIServer({ otherwise });
  const { client } = testClient(server);
  for (const request of requests) await client.complete(request);
  return server.requests.map(({ body: { model: _, stream, stream_options, ...rest } }) => {
    assert.deepEqual([stream, stream_options], [true, { include_usage: true }]);
    return rest;
  });
}

Deno.test("tools are sent as functions, with what is wished for them and nothing else", async () => {
  const [first, second, third, fourth] = await bodiesOf([
    withRead(),
    withRead({ toolChoice: "auto", parallelToolCalls: true }),
    withRead({ toolChoice: "required", parallelToolCalls: false }),
    withRead({ toolChoice: { name: "read" } }),
  ]);
  const { messages } = hello();
  const tools = [WIRE_READ];
  assert.deepEqual(first, { messages, tools });
  assert.deepEqual(second, { messages, tools, parallel_tool_calls: true });
  assert.deepEqual(third, {
    messages,
    tools,
    tool_choice: "required",
    parallel_tool_calls: false,
  });
  const tool_choice = { type: "function", function: { name: "read" } };
  assert.deepEqual(fourth, { messages, tools, tool_choice });
});

Deno.test("without tools nothing is sent of them, and a request is what it was", async () => {
  const bodies = await bodiesOf([
    hello({ tools: [] }),
    hello({ tools: [], toolChoice: "none", parallelToolCalls: true }),
    hello({ toolChoice: "auto" }),
  ]);
  for (const body of bodies) assert.deepEqual(body, { messages: hello().messages });
});

Deno.test("calls and their results are sent in the provider's form", async () => {
  const [silent, spoken] = await bodiesOf([
    withRead({ messages: conversation({ argumentsJson: '{"p": 1}' }) }),
    withRead({ messages: conversation({ content: "Let me see." }) }),
  ]);
  assert.deepEqual(silent?.["messages"], [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{
        id: "a",
        type: "function",
        function: { name: "read", arguments: '{"p": 1}' },
      }],
    },
    { role: "tool", tool_call_id: "a", content: "42" },
  ]);
  const [, assistant] = spoken?.["messages"] as { content: string }[];
  assert.equal(assistant?.content, "Let me see.");
});

Deno.test("TOL-06 a call that was cut is sent back in a form that servers can read", async () => {
  const cut = '{"path":"report.md","content":"line 1';
  const [body] = await bodiesOf([
    withRead({ messages: conversation({ name: "write", argumentsJson: cut }) }),
  ]);
  const [, { tool_calls: [call] }] = body?.["messages"] as [unknown, { tool_calls: object[] }];
  assert.deepEqual(call, wireCall({ id: "a", name: "write", args: {} }));
});

Deno.test("TOL-08 names that no provider takes are sent in a form that all do, declared ones as they are", async () => {
  const names = { "": "unnamed", "::": "unnamed", "fs.read file": "fs_read_file", read: "read" };
  const dotted = { ...READ, name: "a.b" };
  const long = "x".repeat(80);
  const requests = [...Object.keys(names), long, "a.b"].map((name) =>
    withRead({ tools: [dotted], messages: conversation({ name }) })
  );
  const sent = (await bodiesOf(requests)).map(({ messages }) => {
    const [, { tool_calls: [call] }] = messages as [
      unknown,
      { tool_calls: { function: { name: string } }[] },
    ];
    return call?.function.name;
  });
  assert.deepEqual(sent, [...Object.values(names), "x".repeat(64), "a.b"]);
});

Deno.test("PRV-04 results of calls with lone surrogates are sent as well-formed text", async () => {
  await using server = await startOpenAIServer({ replies: ["fine"] });
  const messages = conversation({ argumentsJson: '{"a":"\\ud83d"}' });
  messages[2] = { ...messages[2]!, content: "ok \ud83d end" };
  await testClient(server).client.complete(withRead({ messages }));
  const text = server.requests[0]?.text ?? "";
  assert.ok(!/\\u[dD][89a-fA-F]/.test(text), text);
  const [, , result] = server.requests[0]?.body.messages;
  assert.equal(result.content, "ok \ufffd end");
});

Deno.test("PRV-03 wishes about calls that a provider does not know are left out", async () => {
  await using server = await startOpenAIServer({
    otherwise: ({ body }) => {
      for (const name of ["parallel_tool_calls", "tool_choice"]) {
        if (body[name] === undefined) continue;
        const error = { message: `Unsupported parameter: '${name}' with this model` };
        return { status: 400, json: { error } };
      }
      return "fine";
    },
  });
  const { client, waits } = testClient(server);
  const request = withRead({ toolChoice: "none", parallelToolCalls: false });
  assert.equal((await client.complete(request)).text, "fine");
  const sent = server.requests.map(({ body }) => [
    body.tools?.length,
    body.tool_choice,
    body.parallel_tool_calls,
  ]);
  assert.deepEqual(sent, [[1, "none", false], [1, "none", undefined], [
    undefined,
    undefined,
    undefined,
  ]]);
  assert.deepEqual(waits, []);
  const required = withRead({ toolChoice: "required" });
  await assert.rejects(client.complete(required), (error) => {
    assert.ok(error instanceof AgentLoopError);
    assert.equal(error.code, "model_rejected");
    assert.match(error.message, /'tool_choice' with this model/);
    return true;
  });
});

Deno.test("PRV-03 a complaint about a tool's schema is no complaint about the request's own parameters", async () => {
  const error = {
    param: "tools[0].function.parameters",
    message: "Invalid schema: 'seed' is not supported",
  };
  await using server = await startOpenAIServer({ otherwise: { status: 400, json: { error } } });
  const { client } = testClient(server);
  await assert.rejects(client.complete(withRead({ seed: 1 })), AgentLoopError);
  assert.equal(server.requests.length, 1);
});

Deno.test("requests that no provider could answer are refused before they are sent", async () => {
  await using server = await startOpenAIServer();
  const { client } = testClient(server);
  const wrong: [Partial<CompletionRequest>, RegExp][] = [
    [{ messages: conversation({}).slice(0, 2) }, /messages\[2\] must be the result of "a"/],
    [{ tools: [READ, READ] }, /tools\[1\] must have a name of its own; "read" is taken/],
    [{ tools: [{ ...READ, name: "" }] }, /tools\[0\] must have a name/],
    [{ toolChoice: { name: "write" } }, /toolChoice must name one .* got "write"/],
    [{ tools: [], toolChoice: "required" }, /"required" needs tools/],
  ];
  for (const [request, problem] of wrong) {
    await assert.rejects(client.complete(withRead(request)), (error) => {
      assert.ok(error instanceof TypeError, String(error));
      assert.match(error.message, problem);
      return true;
    });
  }
});

Deno.test("a model that takes no tools is passed over for the next, which gets the same tools", async () => {
  const error = { message: "small does not support tools" };
  const toolCalls = [wireCall({ id: "a", name: "read", args: "{}" })];
  await using first = await startOpenAIServer({ replies: [{ status: 400, json: { error } }] });
  await using second = await startOpenAIServer({ replies: [{ toolCalls }] });
  const notices: string[] = [];
  const client = createFallbackClient([
    { client: testClient(first).client, model: "small" },
    { client: testClient(second).client, model: "big" },
  ]);
  const completion = await client.complete(withRead({ onNotice: (text) => notices.push(text) }));
  assert.equal(completion.toolCalls?.[0]?.name, "read");
  assert.deepEqual(second.requests[0]?.body.tools, [WIRE_READ]);
  assert.match(notices[0] ?? "", /The model small cannot answer.*takes no tools/);
});

/** What a request's calls and results have for ids. */
function idsOf(messages: readonly { tool_calls?: { id: string }[]; tool_call_id?: string }[]) {
  return messages.flatMap(({ tool_calls = [], tool_call_id }) =>
    tool_call_id === undefined ? tool_calls.map(({ id }) => id) : [tool_call_id]
  );
}

Deno.test("PRV-03 a provider that takes ids of one form only gets them in that form, and calls stay tied to results", async () => {
  const complaints = [
    { message: "Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9." },
    {
      param: "messages[1].tool_calls[0].id",
      message:
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected maximum length 40",
    },
  ];
  const messages: Message[] = [];
  for (const id of ["call_abc", "x".repeat(80), "call_abc"]) {
    messages.push(
      { role: "assistant", content: "", toolCalls: [{ id, name: "read", argumentsJson: "{}" }] },
      { role: "tool", content: "42", toolCallId: id },
    );
  }
  for (const error of complaints) {
    await using server = await startOpenAIServer({
      replies: [{ status: 400, json: { error } }, "fine", "again", {
        status: 400,
        json: { error },
      }],
    });
    const { client } = testClient(server);
    for (let i = 0; i < 2; i++) await client.complete(withRead({ messages }));
    const [asked, ...adapted] = server.requests.map(({ body }) => idsOf(body.messages));
    assert.deepEqual(asked?.slice(0, 2), ["call_abc", "call_abc"]);
    const short = ["call00001", "call00001", "call00002", "call00002", "call00001", "call00001"];
    assert.deepEqual(adapted, [short, short]);
    // A complaint about what already has that form is an error.
    await assert.rejects(client.complete(withRead({ messages })), AgentLoopError);
  }
});

Deno.test("what a provider attached to a call goes back to it, and is left out for one that does not know it", async () => {
  const extra_content = { google: { thought_signature: "AbC+/=" } };
  const call = { ...wireCall({ id: "a", name: "read", args: "{}" }), extra_content };
  const late = [[wireCall({ id: "a", name: "read", args: "{}" })], [{ id: "a", extra_content }]];
  const error = {
    message: "Additional properties are not allowed ('extra_content' was unexpected)",
  };
  await using server = await startOpenAIServer({
    replies: [
      { toolCalls: [call] },
      { toolCallDeltas: late },
      "fine",
      { status: 400, json: { error } },
      "fine",
    ],
  });
  const { client } = testClient(server);
  const { toolCalls } = await client.complete(withRead());
  const expected = { id: "a", name: "read", argumentsJson: "{}", providerMetadata: extra_content };
  assert.deepEqual(toolCalls, [expected]);
  assert.deepEqual((await client.complete(withRead())).toolCalls, [expected]);
  const messages = conversation({});
  messages[1] = { ...messages[1]!, toolCalls: toolCalls! };
  for (let i = 0; i < 2; i++) await client.complete(withRead({ messages }));
  const sent = server.requests.slice(2).map(({ body }) => body.messages[1].tool_calls[0]);
  const { extra_content: _, ...plain } = call;
  assert.deepEqual(sent, [call, call, plain]);
});
