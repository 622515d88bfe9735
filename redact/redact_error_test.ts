import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import { redactError } from "./redact_error.ts";
import { Redactor } from "./redactor.ts";

const KEY = "AIzaTEST123456789";
const redactor = Redactor.fromSecrets({ KEY });

Deno.test("redactError masks a key in a URL in message, stack and the whole chain of causes (RED-03)", () => {
  const url = `http://127.0.0.1:1/v1?key=${KEY}`;
  const refused = new TypeError(`error sending request for url (${url}): connection refused`);
  const redirect = new Error(`redirect of ${url} failed`, { cause: refused });
  const error = new AgentLoopError(`Could not reach ${url}.`, {
    code: "model_connection",
    cause: redirect,
    status: 502,
  });
  const copy = redactError(error, redactor);
  assert.equal(copy.message, "Could not reach http://127.0.0.1:1/v1?key=[redacted].");
  assert.ok(copy instanceof AgentLoopError);
  assert.deepEqual([copy.name, copy.code, copy.status], [
    "AgentLoopError",
    "model_connection",
    502,
  ]);
  const causes = [copy.cause, (copy.cause as Error).cause] as Error[];
  assert.deepEqual(causes.map((cause) => cause.constructor), [Error, TypeError]);
  for (const shown of [copy, ...causes]) {
    assert.match(shown.stack!, /\[redacted\]/);
    assert.match(shown.stack!, /redact_error_test\.ts/);
  }
  const all = [copy, ...causes].map((shown) => `${shown} ${shown.message} ${shown.stack}`);
  for (const text of [...all, Deno.inspect(copy, { depth: 20 })]) assert.ok(!text.includes(KEY));
  assert.ok(error.message.includes(KEY), "the original was changed");
});

Deno.test("redactError masks what an error carries in fields of its own, and leaves out what cannot be seen", () => {
  const error = Object.assign(new Error("refused"), {
    headers: new Headers({ authorization: KEY }),
    body: { error: { message: `bad key ${KEY}`, [KEY]: 1 } },
    retry: () => KEY,
    attempts: 3,
  });
  const copy = redactError(error, redactor);
  assert.deepEqual({ ...copy }, {
    headers: {},
    body: { error: { message: "bad key [redacted]", "[redacted]": 1 } },
    attempts: 3,
  });
});

Deno.test("redactError masks each of several errors", () => {
  const error = new AggregateError([new Error(`one ${KEY}`), `two ${KEY}`], `both ${KEY}`);
  const copy = redactError(error, redactor);
  assert.ok(copy instanceof AggregateError);
  assert.deepEqual(copy.errors.map(String), ["Error: one [redacted]", "two [redacted]"]);
  assert.equal(copy.message, "both [redacted]");
});

Deno.test("redactError keeps the name and code of an abort", () => {
  const copy = redactError(new DOMException(`gave up on ${KEY}`, "AbortError"), redactor);
  assert.ok(copy instanceof DOMException);
  assert.deepEqual([copy.name, copy.code, copy.message], [
    "AbortError",
    DOMException.ABORT_ERR,
    "gave up on [redacted]",
  ]);
  assert.ok(!Deno.inspect(copy).includes(KEY));
});

Deno.test("redactError ends at causes that go round in a circle", () => {
  const error = new Error(`first ${KEY}`);
  error.cause = new Error(`second ${KEY}`, { cause: error });
  assert.ok(!Deno.inspect(redactError(error, redactor), { depth: 50 }).includes(KEY));
});

Deno.test("redactError copies what was thrown without being an error", () => {
  assert.equal(redactError(`no: ${KEY}`, redactor), "no: [redacted]");
  assert.deepEqual(redactError({ why: KEY }, redactor), { why: "[redacted]" });
  assert.equal(redactError(undefined, redactor), undefined);
});
