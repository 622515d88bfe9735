import { deepEqual } from "node:assert/strict";
import { AnswerStream } from "./answer_stream.ts";

/** What is told of a reply that comes in these pieces: texts, and "X" where they are taken back. */
function told(pieces: readonly string[], finish: (stream: AnswerStream) => void): string[] {
  const events: string[] = [];
  const stream = new AnswerStream({
    onChunk: (text) => events.push(text),
    onDiscard: () => events.push("X"),
  });
  for (const piece of pieces) stream.feed(piece);
  finish(stream);
  return events;
}

function answered(answer?: string): (stream: AnswerStream) => void {
  return (stream) => stream.finish(answer);
}

Deno.test("answer stream: prose goes through as it comes", () => {
  deepEqual(told(["The ", "total", " is 4."], answered("The total is 4.")), [
    "The",
    " total",
    " is 4.",
  ]);
});

Deno.test("answer stream: white space at the ends is not part of the answer", () => {
  deepEqual(told(["\n  a", "\n\n", "b\n", "\n"], answered("a\n\nb")), ["a", "\n\nb"]);
});

Deno.test("answer stream: nothing is shown from what may open a fence on", () => {
  const pieces = ["Let me see.\n", "`", "`", "`js\nfunction run() {}\n```\n"];
  deepEqual(told(pieces, answered()), ["Let me see.", "X"]);
  deepEqual(told(["  ~~~js\ncode\n~~~"], answered()), []);
});

Deno.test("answer stream: what could have been a fence and is not follows", () => {
  deepEqual(told(["``", "a`` b"], answered("``a`` b")), ["``a`` b"]);
  deepEqual(told(["x\n  ", "y"], answered("x\n  y")), ["x", "\n  y"]);
});

Deno.test("answer stream: a fence that turns out to be part of the answer is told at the end", () => {
  const answer = "Use:\n```python\nprint(1)\n```\nDone.";
  deepEqual(told([answer], answered(answer)), ["Use:", answer.slice(4)]);
});

Deno.test("answer stream: reasoning is not shown, in whatever pieces its tags come", () => {
  const text = "<think>hm < ``` </th >\n</think>\nThe total is 4.";
  deepEqual(told([text], answered("The total is 4.")), ["The total is 4."]);
  deepEqual(told([...text], answered("The total is 4.")).join(""), "The total is 4.");
});

Deno.test("answer stream: a fence right behind reasoning is held back", () => {
  deepEqual(told(["<think>x</think>```js\nfunction run() {}\n```"], answered()), []);
});

Deno.test("answer stream: what came before a lone closing tag is taken back", () => {
  deepEqual(told(["let me see", "</think>", "4"], answered("4")), ["let me see", "X", "4"]);
  deepEqual(told(["let me see</think>4"], answered("4")), ["4"]);
});

Deno.test("answer stream: a tag that is spoken of costs nothing but time", () => {
  const answer = "Use `<think>` first.";
  deepEqual(told([answer], answered(answer)), ["Use `", "<think>` first."]);
});

Deno.test("answer stream: a reply that begins anew takes back what was shown", () => {
  const pieces = (stream: AnswerStream) => {
    stream.restart();
    stream.feed("Hello world");
    stream.finish("Hello world");
  };
  deepEqual(told(["Hel", "lo"], pieces), ["Hel", "lo", "X", "Hello world"]);
  deepEqual(told(["```js\n"], pieces), ["Hello world"]);
});

Deno.test("answer stream: shown text that is not the beginning of the answer is taken back", () => {
  deepEqual(told(["checking\nDONE\n4"], answered("4")), ["checking\nDONE\n4", "X"]);
  deepEqual(told(["function run() {}"], answered()), ["function run() {}", "X"]);
});
