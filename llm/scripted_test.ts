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
