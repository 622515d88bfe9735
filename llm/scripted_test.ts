import assert from "node:assert/strict";
import type { CompletionRequest } from "../contracts/model.ts";
import { scriptedClient } from "./scripted.ts";

function ask(content: string, rest: Partial<CompletionRequest> = {}): CompletionRequest {
  return { messages: [{ role: "user", content }], ...rest };
}

Deno.test("scriptedClient answers in order, from text, replies and functions", async () => {
  using client = scriptedClient([
    "first",
    { text: "second", finishReason: "length", usage: { prompt: 7 }, reasoning: "hm" },
    (request, index) => ({ text: `${index}: ${request.messages[0]?.content}` }),
    () => Promise.resolve("fourth"),
  ], { usage: { prompt: 1, completion: 2 }, model: "double" });
  assert.deepEqual(await client.complete(ask("a")), {
    text: "first",
    finishReason: "stop",
    usage: { prompt: 1, completion: 2 },
    model: "double",
  });
  assert.deepEqual(await client.complete(ask("b", { model: "named" })), {
    text: "second",
    reasoning: "hm",
    finishReason: "length",
    usage: { prompt: 7, completion: 2 },
    model: "named",
  });
  assert.equal((await client.complete(ask("c"))).text, "2: c");
  assert.equal((await client.complete(ask("d"))).text, "fourth");
});

Deno.test("scriptedClient records requests as they were", async () => {
  using client = scriptedClient(["ok"]);
  const messages = [{ role: "user" as const, content: "before" }];
  await client.complete({ messages, maxTokens: 5 });
  messages[0]!.content = "after";
  assert.equal(client.requests[0]?.messages[0]?.content, "before");
  assert.equal(client.requests[0]?.maxTokens, 5);
});

Deno.test("scriptedClient streams its chunks and takes discarded ones back", async () => {
  using client = scriptedClient([
    { chunks: ["Hel", "lo"], discarded: ["He", "x"] },
    "whole",
    "",
  ]);
  const seen: string[] = [];
  const onText = (chunk: string) => void seen.push(chunk);
  const onRestart = () => void seen.push("restart");
  const completion = await client.complete(ask("a", { onText, onRestart }));
  assert.equal(completion.text, "Hello");
  await client.complete(ask("b", { onText }));
  await client.complete(ask("c", { onText }));
  assert.deepEqual(seen, ["He", "x", "restart", "Hel", "lo", "whole"]);
});

Deno.test("scriptedClient rejects an unexpected call and remembers it", async () => {
  const client = scriptedClient([]);
  await assert.rejects(
    client.complete(ask("surprise")),
    /call 1 was not expected.*user: "surprise"/,
  );
  assert.throws(() => client.assertDone(), /call 1 was not expected/);
});

Deno.test("scriptedClient fails on replies left over, also when it is disposed", () => {
  const client = scriptedClient(["never", () => "x"]);
  assert.equal(client.remaining, 2);
  assert.throws(() => client.assertDone(), /2 of 2 scripted replies were never asked for.*"never"/);
  assert.throws(() => client[Symbol.dispose](), /never asked for/);
});

Deno.test("scriptedClient falls back to otherwise after the last reply", async () => {
  using client = scriptedClient(["one"], { otherwise: (_request, index) => `again ${index}` });
  const texts = [];
  for (const content of ["a", "b", "c"]) texts.push((await client.complete(ask(content))).text);
  assert.deepEqual(texts, ["one", "again 1", "again 2"]);
});

Deno.test("scriptedClient throws the scripted error after the chunks", async () => {
  const error = new Error("boom");
  using client = scriptedClient([{ chunks: ["part"], error }, () => {
    throw error;
  }]);
  const seen: string[] = [];
  const request = ask("a", { onText: (chunk) => void seen.push(chunk) });
  await assert.rejects(client.complete(request), (thrown) => thrown === error);
  await assert.rejects(client.complete(request), (thrown) => thrown === error);
  assert.deepEqual(seen, ["part"]);
});

Deno.test("scriptedClient waits for what a test says", async () => {
  const gate = Promise.withResolvers<void>();
  using client = scriptedClient([{ text: "late", until: gate.promise }]);
  let settled = false;
  const pending = client.complete(ask("a")).finally(() => settled = true);
  await Promise.resolve();
  assert.equal(settled, false);
  gate.resolve();
  assert.equal((await pending).text, "late");
});

Deno.test("scriptedClient honours abort before, during a wait and between chunks", async () => {
  using client = scriptedClient([
    { text: "slow", delayMs: 60_000 },
    { text: "never", until: new Promise(() => {}) },
    { chunks: ["a", "b"] },
  ]);
  const reason = new Error("enough");
  await assert.rejects(
    client.complete(ask("x", { signal: AbortSignal.abort(reason) })),
    (e) => e === reason,
  );
  assert.equal(client.requests.length, 0);
  for (let i = 0; i < 2; i++) {
    const controller = new AbortController();
    const pending = client.complete(ask("x", { signal: controller.signal }));
    controller.abort(reason);
    await assert.rejects(pending, (e) => e === reason);
  }
  const controller = new AbortController();
  const seen: string[] = [];
  const onText = (chunk: string) => {
    seen.push(chunk);
    controller.abort(reason);
  };
  await assert.rejects(
    client.complete(ask("x", { signal: controller.signal, onText })),
    (e) => e === reason,
  );
  assert.deepEqual(seen, ["a"]);
});

Deno.test("scriptedClient refuses chunks that are not the text, and counts warm-ups", async () => {
  assert.throws(() => scriptedClient([{ text: "ab", chunks: ["a"] }]), TypeError);
  using client = scriptedClient([]);
  await client.warmUp();
  assert.equal(client.warmUps, 1);
});

const TOOLS = ["read", "write"].map((name) => ({ name, description: "", parameters: {} }));

Deno.test("scriptedClient calls tools as a model would, with ids that the conversation does not hold", async () => {
  using client = scriptedClient([
    { text: "Let me see.", toolCalls: [{ name: "read", arguments: { a: 1 } }, { name: "write" }] },
    {
      toolCalls: [{ name: "", arguments: "", id: "mine", providerMetadata: { a: 1 } }, {
        name: "read",
      }],
    },
  ]);
  const first = await client.complete(ask("a", { tools: TOOLS }));
  assert.deepEqual(first, {
    text: "Let me see.",
    toolCalls: [
      { id: "call00001", name: "read", argumentsJson: '{"a":1}' },
      { id: "call00002", name: "write", argumentsJson: "{}" },
    ],
    finishReason: "tool_calls",
    usage: { prompt: 0, completion: 0 },
    model: "scripted",
  });
  const second = await client.complete({
    messages: [
      { role: "assistant", content: "", toolCalls: first.toolCalls! },
      ...first.toolCalls!.map(({ id }) => ({ role: "tool" as const, content: "", toolCallId: id })),
    ],
  });
  assert.deepEqual(second.toolCalls, [
    { id: "mine", name: "", argumentsJson: "{}", providerMetadata: { a: 1 } },
    { id: "call00003", name: "read", argumentsJson: "{}" },
  ]);
});

Deno.test("scriptedClient marks arguments as the real client does", async () => {
  const call = (text: string) => ({ toolCalls: [{ name: "read", arguments: text }] });
  using client = scriptedClient([call('{"a":'), call("[1]"), {
    ...call(""),
    finishReason: "length",
  }]);
  const faults: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const { toolCalls, finishReason } = await client.complete(ask("a"));
    faults.push([toolCalls?.[0]?.argumentsFault, finishReason]);
  }
  assert.deepEqual(faults, [["cut", "tool_calls"], ["malformed", "tool_calls"], ["cut", "length"]]);
});

Deno.test("scriptedClient records the tools of a request as they were", async () => {
  using client = scriptedClient(["ok", "ok"]);
  const tools = TOOLS.map((tool) => ({ ...tool }));
  await client.complete(ask("a", { tools, toolChoice: "required", parallelToolCalls: false }));
  tools[0]!.name = "changed";
  const [recorded] = client.requests;
  assert.deepEqual(recorded?.tools, TOOLS);
  assert.deepEqual([recorded?.toolChoice, recorded?.parallelToolCalls], ["required", false]);
  await client.complete(ask("b"));
  assert.equal("tools" in client.requests[1]!, false);
});

Deno.test("scriptedClient fails a request that offers other tools than expected, and remembers it", async () => {
  const reply = { text: "ok", expectedTools: ["write", "read"] };
  const client = scriptedClient([reply, reply, { text: "ok", expectedTools: [] }]);
  assert.equal((await client.complete(ask("a", { tools: TOOLS }))).text, "ok");
  await assert.rejects(
    client.complete(ask("b", { tools: TOOLS.slice(1) })),
    /call 2 offered the tools write, not read, write/,
  );
  await assert.rejects(client.complete(ask("c", { tools: TOOLS })), /offered .* not \(none\)/);
  assert.throws(() => client.assertDone(), /call 2 offered .*; call 3 offered/);
});

Deno.test("scriptedClient refuses a conversation that no provider takes, keeps its reply and remembers it", async () => {
  const client = scriptedClient(["ok"]);
  const orphan = { role: "tool" as const, content: "x", toolCallId: "a" };
  await assert.rejects(client.complete({ messages: [orphan] }), TypeError);
  await assert.rejects(client.complete(ask("a", { toolChoice: "required" })), TypeError);
  assert.deepEqual([client.requests.length, client.remaining], [0, 1]);
  await client.complete(ask("a"));
  assert.throws(() => client.assertDone(), /messages\[0\] answers "a".*; toolChoice "required"/);
});

Deno.test("scriptedClient names the calls of a reply that is left over", () => {
  const client = scriptedClient([{ toolCalls: [{ name: "read" }, { name: "write" }] }]);
  assert.throws(() => client.assertDone(), /the next is "a call of read, write"/);
});
