import assert from "node:assert/strict";
import { extractJson } from "./json_reply.ts";

const value = (text: string): unknown => extractJson(text)?.value;

Deno.test("extractJson takes a text that is JSON as it is", () => {
  assert.deepEqual(value(' {"a": [1, 2]} \n'), { a: [1, 2] });
  assert.equal(value("7"), 7);
  assert.equal(value("null"), null);
});

Deno.test("extractJson takes a value out of a fence (EVA-01)", () => {
  const text = 'Sure! Here is my verdict:\n```json\n{"score": 0.8, "reason": "ok"}\n```\nBye.';
  assert.deepEqual(value(text), { score: 0.8, reason: "ok" });
});

Deno.test("extractJson is not misled by braces and quotes in strings (EVA-02)", () => {
  assert.deepEqual(
    value(
      'The verdict: {"score": 0.9, "reason": "the snippet {foo: 1} and \\"}\\" look right"} done',
    ),
    { score: 0.9, reason: 'the snippet {foo: 1} and "}" look right' },
  );
  const inner = '{"reason":"earlier I thought {\\"score\\": 0.1}", "score": 1}';
  assert.equal((value(inner) as { score: number }).score, 1);
});

Deno.test("extractJson prefers the largest value and skips braces that are none", () => {
  assert.deepEqual(value('Given {x} and {"a":1}, I say {"answer": [1, 2, 3]}.'), {
    answer: [1, 2, 3],
  });
});

Deno.test("extractJson finds nothing where nothing is, in bounded time", () => {
  assert.equal(extractJson("no value here"), undefined);
  assert.equal(extractJson("{".repeat(200_000)), undefined);
  assert.equal(extractJson('{"cut": [1, 2'), undefined);
});

Deno.test("extractJson takes a long fence that does not end for what it is, in time that grows with the text alone", () => {
  for (const mark of ["`", "~"]) assert.equal(extractJson(`${mark.repeat(300_000)}\n`), undefined);
  assert.deepEqual(value('`````json\n{"a": 1}\n`````'), { a: 1 });
});
