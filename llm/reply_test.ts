import assert from "node:assert/strict";
import type { Completion } from "../contracts/model.ts";
import { ReplyBuilder } from "./reply.ts";
import { addUsage, mergeUsage, NO_USAGE } from "./usage.ts";

function build(...values: readonly unknown[]): { completion: Completion; heard: string[] } {
  const heard: string[] = [];
  const builder = new ReplyBuilder((chunk) => void heard.push(chunk));
  for (const value of values) assert.equal(builder.take(value).kind, "ok", JSON.stringify(value));
  return { completion: builder.finish("asked-for"), heard };
}

function delta(delta: unknown, finishReason: string | null = null): unknown {
  return { choices: [{ index: 0, delta, finish_reason: finishReason }] };
}

Deno.test("content comes as text or as a list of parts", () => {
  const { completion } = build(
    delta({ role: "assistant", content: null }),
    delta({ content: "a" }),
    delta({ content: [{ type: "text", text: "b" }, "c", { type: "image" }] }),
    delta({}, "stop"),
  );
  assert.equal(completion.text, "abc");
});

Deno.test("reasoning is kept apart from the text, under each of its names, once", () => {
  const { completion, heard } = build(
    delta({ reasoning_content: "one " }),
    delta({ reasoning: "two ", reasoning_content: "two " }),
    delta({ reasoning: "three " }),
    delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "four" }] }] }),
    delta({ content: "text" }, "stop"),
  );
  assert.equal(completion.reasoning, "one two three four");
  assert.equal(completion.text, "text");
  assert.deepEqual(heard, ["text"]);
});

Deno.test("a character whose halves come in two chunks is given out whole", () => {
  const { completion, heard } = build(
    delta({ content: "a\ud83d" }),
    delta({ content: "\ude00b" }, "stop"),
  );
  assert.deepEqual(heard, ["a", "😀b"]);
  assert.equal(completion.text, "a😀b");
});

Deno.test("text is well-formed and is what the listener heard, whatever came", () => {
  const { completion, heard } = build(delta({ content: "\ude00a" }), delta({ content: "b\ud83d" }));
  assert.equal(completion.text, "\ufffdab\ufffd");
  assert.equal(heard.join(""), completion.text);
});

Deno.test("a provider's word for the end becomes one of ours", () => {
  const words = {
    stop: "stop",
    STOP: "stop",
    eos: "stop",
    length: "length",
    MAX_TOKENS: "length",
    tool_calls: "tool_calls",
    content_filter: "content_filter",
    whatever: "unknown",
  };
  for (const [word, expected] of Object.entries(words)) {
    assert.equal(build(delta({ content: "x" }, word)).completion.finishReason, expected, word);
  }
  for (const none of ["", "null"]) {
    const builder = new ReplyBuilder();
    builder.take(delta({ content: "x" }, none));
    assert.equal(builder.finished, false, none);
  }
  const builder = new ReplyBuilder();
  assert.equal(builder.take(delta({}, "insufficient_system_resource")).kind, "broken_off");
});

Deno.test("only the first of several choices is read", () => {
  const choices = [
    { index: 1, delta: { content: "other" }, finish_reason: "stop" },
    { index: 0, delta: { content: "mine" }, finish_reason: null },
  ];
  const builder = new ReplyBuilder();
  builder.take({ choices });
  assert.equal(builder.finished, false);
  assert.equal(builder.finish("m").text, "mine");
});

Deno.test("a whole message, a legacy text and a refusal are text", () => {
  const whole = {
    choices: [{ message: { content: "whole" }, finish_reason: "stop" }],
    model: "m-1",
  };
  assert.deepEqual(build(whole).completion, {
    text: "whole",
    finishReason: "stop",
    usage: NO_USAGE,
    model: "m-1",
  });
  assert.equal(build({ choices: [{ text: "legacy" }] }).completion.text, "legacy");
  assert.equal(build(delta({ content: null, refusal: "no" })).completion.text, "no");
  const repeated = { choices: [{ message: { content: "ab" }, finish_reason: "stop" }] };
  assert.equal(build(delta({ content: "ab" }), repeated).completion.text, "ab");
});

Deno.test("the model is the provider's word for it, else the one that was asked for", () => {
  assert.equal(build(delta({ content: "x" })).completion.model, "asked-for");
  assert.equal(build({ model: "told", choices: [] }).completion.model, "told");
});

Deno.test("what is no object of the protocol is told apart, and errors from everything else", () => {
  const builder = new ReplyBuilder();
  for (const value of [null, 1, "x", [], {}, { type: "ping" }, { choices: null }]) {
    assert.equal(builder.take(value).kind, "foreign", JSON.stringify(value));
  }
  for (
    const value of [{ error: {} }, { error: "x" }, { choices: [], error: 1 }, { object: "error" }]
  ) {
    assert.equal(builder.take(value).kind, "error", JSON.stringify(value));
  }
  for (const error of [null, "", false]) {
    assert.equal(builder.take({ error, choices: [] }).kind, "ok");
  }
});

Deno.test("SSE-10 figures that no call can have are a server's mistake and left out: they would spoil every sum", () => {
  const known = { prompt: 3, completion: 2 };
  for (const huge of [1e308, 2 ** 53, 1e10]) {
    const told = {
      prompt_tokens: huge,
      completion_tokens: huge,
      cost: huge,
      prompt_tokens_details: { cached_tokens: huge },
    };
    assert.deepEqual(mergeUsage(known, told), known);
  }
  const large = { prompt: 1_000_000_000, completion: 0, cost: 1_000_000 };
  const told = { prompt_tokens: 1_000_000_000, cost: 1_000_000 };
  assert.deepEqual(mergeUsage(NO_USAGE, told), large);
});

Deno.test("SSE-10 usage is merged by the larger number and read under each of its names", () => {
  let usage = NO_USAGE;
  for (const completion of [1, 5, 12, 12]) {
    usage = mergeUsage(usage, { prompt_tokens: 100, completion_tokens: completion });
  }
  assert.deepEqual(usage, { prompt: 100, completion: 12 });
  const other = { prompt_tokens: 9, prompt_cache_hit_tokens: 4, reasoning_tokens: 0 };
  assert.deepEqual(mergeUsage(NO_USAGE, other), {
    prompt: 9,
    completion: 0,
    cached: 4,
    reasoning: 0,
  });
  for (
    const nonsense of [null, "x", [], { prompt_tokens: -1, completion_tokens: "5" }, {
      prompt_tokens: NaN,
    }]
  ) {
    assert.deepEqual(mergeUsage(usage, nonsense), usage);
  }
  assert.deepEqual(
    addUsage({ prompt: 1, completion: 2, cached: 3 }, { prompt: 4, completion: 5, reasoning: 6 }),
    {
      prompt: 5,
      completion: 7,
      cached: 3,
      reasoning: 6,
    },
  );
});
