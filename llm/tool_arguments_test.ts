import assert from "node:assert/strict";
import { joinArguments, judgeArguments, sendableArguments } from "./tool_arguments.ts";

Deno.test("arguments are whole, cut or malformed, and stay as they were written", () => {
  const texts = {
    '{"a":1}': undefined,
    ' {"a" : [1, {"b": "}"}]}\n': undefined,
    "{": "cut",
    '{"a': "cut",
    '{"a":"x\\': "cut",
    '{"a":"x\\"}': "cut",
    '{"a":[1,2': "cut",
    '{"a":{"b":"]"}': "cut",
    '{"a":1}{"b":2}': "malformed",
    '{"a":1}}': "malformed",
    "{a:1}": "malformed",
    "[1]": "malformed",
    "7": "malformed",
    '"{}"': "malformed",
    "path=x": "malformed",
  };
  for (const [text, fault] of Object.entries(texts)) {
    const expected = fault === undefined ? {} : { argumentsFault: fault };
    assert.deepEqual(judgeArguments(text, { replyWasCut: false }), {
      argumentsJson: text,
      ...expected,
    });
  }
});

Deno.test("PRV-04 halves of characters do not leave with arguments, as text or as escapes", () => {
  assert.equal(
    judgeArguments('{"a":"\ud83d"}', { replyWasCut: false }).argumentsJson,
    '{"a":"\ufffd"}',
  );
  const sent = {
    '{"a":"\\ud83d"}': '{"a":"\\ufffd"}',
    '{"a":"\\uDE00 \\ud83d\\ude00"}': '{"a":"\\ufffd \\ud83d\\ude00"}',
    '{"a":"\\\\ud83d"}': '{"a":"\\\\ud83d"}',
    '{"a":"\\\\\\ud83d\\n"}': '{"a":"\\\\\\ufffd\\n"}',
    '{"a":"\ud83d"}': '{"a":"\ufffd"}',
    '{"a": 1}': '{"a": 1}',
  };
  for (const [written, expected] of Object.entries(sent)) {
    assert.equal(sendableArguments(written), expected);
    assert.ok(JSON.parse(sendableArguments(written)).a.toString().isWellFormed());
  }
});

Deno.test("TOL-06 what is no whole object is sent back as an empty one", () => {
  for (const text of ['{"a":1', "", "x", "[1]", "null"]) {
    assert.equal(sendableArguments(text), "{}", text);
  }
});

Deno.test("TOL-06 pieces that break off are joined and never completed", () => {
  assert.equal(joinArguments(['{"a"', ":1"]), '{"a":1');
  assert.equal(joinArguments(["{", '{"a"', '{"a":1']), '{{"a"{"a":1');
  assert.equal(joinArguments(['{"a":1', '{"b":2}']), '{"a":1{"b":2}');
  assert.equal(joinArguments([]), "");
});
