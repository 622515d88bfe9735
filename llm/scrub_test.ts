import assert from "node:assert/strict";
import { createScrub, scrubError, withoutCredentials } from "./scrub.ts";

Deno.test("RED-03 secrets vanish from text as they are and percent-encoded", () => {
  const scrub = createScrub(["s3cret/value+1", "short"]);
  assert.equal(scrub("key s3cret/value+1!"), "key [redacted]!");
  assert.equal(scrub("key s3cret%2Fvalue%2B1!"), "key [redacted]!");
  assert.equal(scrub("a short word stays"), "a short word stays");
});

Deno.test("RED-03 a secret within another leaves nothing of the longer one", () => {
  assert.equal(createScrub(["abcdefgh", "abcdefghijkl"])("abcdefghijkl"), "[redacted]");
});

Deno.test("RED-03 credentials of any URL vanish, known or not", () => {
  const scrub = createScrub([]);
  assert.equal(
    scrub("for url (http://ann:pw@host.example:1/v1/x?key=abc#d): refused"),
    "for url (http://host.example:1/v1/x): refused",
  );
  assert.equal(
    scrub("Cannot POST /v1/chat?key=abc&b=1"),
    "Cannot POST /v1/chat?key=[redacted]&b=[redacted]",
  );
  assert.equal(withoutCredentials("https://u@h/p?q#f"), "https://h/p");
});

Deno.test("RED-03 what looks like a key or an authorization vanishes", () => {
  const scrub = createScrub([]);
  assert.equal(
    scrub("Incorrect API key provided: sk-proj-****abcd."),
    "Incorrect API key provided: [redacted]",
  );
  assert.equal(scrub('header "Bearer abc.def-123"'), 'header "Bearer [redacted]"');
  assert.equal(scrub("AIzaTEST123456789"), "[redacted]");
});

Deno.test("RED-03 a copied error has no secret in message, stack or causes", () => {
  const secret = "TOPSECRET-1234";
  const inner = new TypeError(`inner ${secret}`);
  const copy = scrubError(new Error(`outer ${secret}`, { cause: inner }), createScrub([secret]));
  assert.ok(copy?.cause instanceof Error);
  assert.equal(copy.cause.name, "TypeError");
  assert.ok(!Deno.inspect(copy).includes(secret), Deno.inspect(copy));
  assert.equal(scrubError("text", createScrub([])), undefined);
});
