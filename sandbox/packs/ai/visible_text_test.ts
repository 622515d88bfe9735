import assert from "node:assert/strict";
import { visibleText } from "./visible_text.ts";

Deno.test("EXT-05: thoughts before a reply of a sub-call are no part of it", () => {
  const replies: readonly (readonly [string, string | undefined])[] = [
    ["plain", "plain"],
    [" plain \n", " plain \n"],
    ["", ""],
    ['<think>{"a":9}</think>{"a":3}', '{"a":3}'],
    ["\n<Thinking>\na\n</thinking>\n\nfour\n", "four\n"],
    ["<think>a</think>\n<reasoning>b</reasoning> c", "c"],
    ["<think></think>", ""],
    ["it may be\n4 or 5\n</think>\n\n5", "5"],
    ["it may be 4</think>\n5", "5"],
    ["<think>never ended", undefined],
    ["<think>a</think><think>b", undefined],
    ["the tag `</think>` ends thoughts, and <think> begins them", null],
    ["say <think> first", null],
    ["<b>bold</b>", null],
  ].map(([reply, text]) => [reply as string, text === null ? reply as string : text as string]);
  for (const [reply, text] of replies) assert.equal(visibleText(reply), text, reply);
});

Deno.test("EXT-05: tags without end take no time without end", () => {
  for (
    const part of [
      "<think>",
      "</think>",
      "<think>x</think>",
      "</think> x",
      " ",
      "\r",
      "\u2028 ",
      "<think",
    ]
  ) {
    const text = visibleText(part.repeat(100_000));
    assert.ok(text === undefined || text.length <= part.length * 100_000);
  }
});
