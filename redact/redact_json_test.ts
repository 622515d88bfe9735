import assert from "node:assert/strict";
import type { JsonValue } from "../contracts/json.ts";
import { redactJson, redactJsonText } from "./redact_json.ts";
import { Redactor } from "./redactor.ts";

const redactor = Redactor.fromSecrets({ KEY: "sk-test-ABCDEFGH12345678", PIN: "849302" });

Deno.test("redactJson replaces secrets in texts, keys and numbers, and leaves the rest", () => {
  const value = {
    "sk-test-ABCDEFGH12345678": ["x sk-test-ABCDEFGH12345678", 1, null, true, 1.5],
    pin: 849302,
    longer: 18493027,
    nested: { deep: { list: [[], {}, "849302"] } },
  };
  assert.deepEqual(redactJson(value, redactor), {
    "[redacted]": ["x [redacted]", 1, null, true, 1.5],
    pin: "[redacted]",
    longer: "1[redacted]7",
    nested: { deep: { list: [[], {}, "[redacted]"] } },
  });
});

Deno.test("redactJson changes nothing in what it is given, and shares nothing with it", () => {
  const value = { list: [{ key: "849302" }] };
  const copy = redactJson(value, redactor) as typeof value;
  copy.list[0]!.key = "other";
  assert.deepEqual(value, { list: [{ key: "849302" }] });
});

Deno.test("redactJson keeps entries whose keys become the same", () => {
  assert.deepEqual(redactJson({ "849302": 1, "sk-test-ABCDEFGH12345678": 2 }, redactor), {
    "[redacted]": 1,
    "[redacted] 2": 2,
  });
});

Deno.test("redactJson takes a key for a key, whatever its name", () => {
  const value = JSON.parse('{"__proto__":{"a":"849302"},"constructor":"849302"}') as JsonValue;
  assert.equal(
    JSON.stringify(redactJson(value, redactor)),
    '{"__proto__":{"a":"[redacted]"},"constructor":"[redacted]"}',
  );
});

Deno.test("redactJson takes any depth of nesting", () => {
  const depth = 100_000;
  let value: JsonValue = "849302";
  for (let n = 0; n < depth; n++) value = [value];
  let copy = redactJson(value, redactor);
  for (let n = 0; n < depth; n++) copy = (copy as readonly JsonValue[])[0]!;
  assert.equal(copy, "[redacted]");
});

Deno.test("redactJsonText leaves text without secrets as it is, byte for byte", () => {
  for (const json of ['{ "b" : 1.0 ,\n"a": [ ] }', '{"n":12345678901234567890}', "no json {"]) {
    assert.equal(redactJsonText(json, redactor), json);
  }
});

Deno.test("redactJsonText leaves everything beside a secret as it is", () => {
  assert.equal(
    redactJsonText('{ "n": 12345678901234567890, "k" : "849302" }', redactor),
    '{ "n": 12345678901234567890, "k" : "[redacted]" }',
  );
});

Deno.test("redactJsonText gives JSON where a secret stands outside of texts, or in the middle of an escape", () => {
  assert.deepEqual(JSON.parse(redactJsonText('{"pin":849302}', redactor)), { pin: "[redacted]" });
  const odd = Redactor.fromSecrets({ odd: "nothing-to-see" });
  assert.deepEqual(JSON.parse(redactJsonText('{"a":"\\nothing-to-see"}', odd)), {
    a: "\nothing-to-see",
  });
});

Deno.test("redactJsonText treats text that is no JSON as text", () => {
  assert.equal(redactJsonText('{"a": 849302', redactor), '{"a": [redacted]');
});
