import assert from "node:assert/strict";
import { scriptedClient } from "../../llm/scripted.ts";
import { aiCapability } from "../../sandbox/packs/ai/ai_pack.ts";
import { runScripts } from "./script_loop.ts";

const usage = { prompt: 10, completion: 3 };

Deno.test("ai asks the model, with what it was given and no more, and its tokens count into the run", async () => {
  using sub = scriptedClient([{ text: "blau", usage }]);
  const { result } = await runScripts(
    [`function run() { answer(ai("translate: blue", { system: "be brief" })); }`],
    { capabilities: [aiCapability(sub, "small")] },
  );
  assert.equal(result.finalText, "blau");
  assert.deepEqual(sub.requests[0]!.messages, [
    { role: "system", content: "be brief" },
    { role: "user", content: "translate: blue" },
  ]);
  assert.equal(sub.requests[0]!.model, "small");
  const alone = await runScripts(["function run() { answer('x'); }"]);
  assert.equal(result.tokens.prompt - alone.result.tokens.prompt, 10);
  assert.equal(result.tokens.completion - alone.result.tokens.completion, 3);
});

Deno.test("aiJSON takes the value out of the reply and checks it", async () => {
  using sub = scriptedClient([{ text: 'Here:\n```json\n{"n": 4}\n```', usage }]);
  const { result } = await runScripts([
    `function run() {
      const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
      answer(aiJSON("count", schema).n);
    }`,
  ], { capabilities: [aiCapability(sub)] });
  assert.equal(result.finalText, "4");
});

Deno.test("aiJSON sends a reply that does not fit back once, saying what is wrong", async () => {
  using sub = scriptedClient([{ text: '{"n": "four"}', usage }, { text: '{"n": 4}', usage }]);
  const { result } = await runScripts([
    `function run() {
      answer(aiJSON("count", { type: "object", properties: { n: { type: "number" } } }).n);
    }`,
  ], { capabilities: [aiCapability(sub)] });
  assert.equal(result.finalText, "4");
  const repair = sub.requests[1]!.messages.at(-1)!.content;
  assert.match(repair, /cannot be used: \$\.n: expected number, got "four" \(string\)\. /);
});

Deno.test("aiJSON refuses a schema that it would not hold before it asks, and no reply holds the program up", async () => {
  using sub = scriptedClient([
    { text: JSON.stringify("a".repeat(10_000) + "!"), usage },
    { text: JSON.stringify("a".repeat(40)), usage },
  ]);
  const { result } = await runScripts([
    `function run() {
      const said = [];
      for (const schema of [{ pattern: "^(?=a)" }, { type: "strng" }]) {
        try { aiJSON("x", schema); } catch (error) { said.push(error.message); }
      }
      answer([...said, aiJSON("x", { type: "string", pattern: "^(a+)+$" }).length]);
    }`,
  ], { capabilities: [aiCapability(sub)] });
  const [ahead, type, length] = JSON.parse(result.finalText);
  assert.match(ahead, /^aiJSON: #\/pattern looks ahead or behind/);
  assert.match(type, /^aiJSON: #\/type must be one of array/);
  assert.equal(length, 40);
});

Deno.test("aiJSON gives up after one repair, with an error that the script can catch", async () => {
  using sub = scriptedClient([{ text: "no idea", usage }, { text: "still none", usage }]);
  const { result } = await runScripts([
    `function run() { try { aiJSON("count"); } catch (e) { answer(e.message); } }`,
  ], { capabilities: [aiCapability(sub)] });
  assert.match(result.finalText, /cannot be used, twice: it holds no JSON value/);
});

Deno.test("ai runs in parallel in an async function run", async () => {
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const client = {
    complete: async () => {
      if (++waiting === 2) both.resolve();
      await both.promise;
      return { text: "ok", finishReason: "stop" as const, usage, model: "m" };
    },
  };
  const { result } = await runScripts([
    `async function run() { answer((await Promise.all([ai("a"), ai("b")])).join()); }`,
  ], { capabilities: [aiCapability(client)] });
  assert.equal(result.finalText, "ok,ok");
});

Deno.test("EXT-05: what a sub-call's model thinks before it answers is no answer", async () => {
  using sub = scriptedClient([
    { text: '<think>{"n": 9} is a draft</think>\n{"n": 4}', usage },
    { text: "<think>five?</think>\nfour", usage },
    { text: "<think>five?", usage },
  ]);
  const { result } = await runScripts([
    `function run() {
      const said = [aiJSON("count", { type: "object" }).n, ai("count")];
      try { ai("count"); } catch (error) { said.push(error.message); }
      answer(said);
    }`,
  ], { capabilities: [aiCapability(sub)] });
  assert.deepEqual(JSON.parse(result.finalText), [
    4,
    "four",
    "ai: the reply ended before the model was done thinking; ask for less, or raise maxTokens",
  ]);
});

Deno.test("a sub-call that a filter stopped is an error and no answer", async () => {
  using sub = scriptedClient([{ text: "half", usage, finishReason: "content_filter" }]);
  const { result } = await runScripts(
    [`function run() { try { answer(ai("x")); } catch (error) { answer(error.message); } }`],
    { capabilities: [aiCapability(sub)] },
  );
  assert.match(result.finalText, /^ai: the provider's content filter stopped the reply/);
});

Deno.test("without a client there is no ai", async () => {
  const { result } = await runScripts(
    ["function run() { answer([typeof ai, typeof aiJSON]); }"],
    { capabilities: [aiCapability()] },
  );
  assert.deepEqual(JSON.parse(result.finalText), ["undefined", "undefined"]);
  assert.ok(!result.systemPrompt.includes("aiJSON"));
});

Deno.test("ai refuses options that are none, before it asks", async () => {
  using sub = scriptedClient([]);
  const { observations } = await runScripts(
    [`function run() {
      const wrong = [{ maxTokens: "many" }, { maxTokens: 0 }, { maxTokens: 1.5 }, { temperature: -1 }, { model: "x" }];
      for (const options of wrong) try { ai("x", options); } catch (error) { log(error.message); }
    }`],
    { capabilities: [aiCapability(sub)] },
  );
  assert.match(observations[0]!, /options\.maxTokens must be a number/);
  assert.match(observations[0]!, /options\.maxTokens must be a whole number of at least 1, not 0/);
  assert.match(observations[0]!, /at least 1, not 1\.5/);
  assert.match(observations[0]!, /options\.temperature must be at least 0, not -1/);
  assert.match(
    observations[0]!,
    /there is no option "model"; there is: system, maxTokens, temperature/,
  );
});
