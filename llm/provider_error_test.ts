import assert from "node:assert/strict";
import { failureOfReply } from "./failure.ts";
import { parseProviderError } from "./provider_error.ts";

Deno.test("parseProviderError reads the shapes that providers use", () => {
  const openai = { message: "m", type: "t", param: "p", code: "c" };
  assert.deepEqual(parseProviderError(openai), { message: "m", type: "t", param: "p", code: "c" });
  assert.deepEqual(parseProviderError({ error: openai }), parseProviderError(openai));
  assert.deepEqual(parseProviderError([{ error: openai }]), parseProviderError(openai));
  assert.deepEqual(parseProviderError("boom"), { message: "boom" });
  assert.deepEqual(parseProviderError({ error: "boom" }), { message: "boom" });
  assert.deepEqual(parseProviderError({ detail: "boom" }), { message: "boom" });
  assert.deepEqual(
    parseProviderError({
      detail: [{ loc: ["body", "seed"], msg: "not permitted", type: "extra_forbidden" }],
    }),
    { message: "seed: not permitted", param: "seed", type: "extra_forbidden" },
  );
  assert.deepEqual(
    parseProviderError({
      code: 429,
      message: "Provider returned error",
      metadata: { raw: "busy" },
    }),
    { message: "Provider returned error: busy", code: "429", status: 429 },
  );
});

Deno.test("parseProviderError understands nothing of nonsense, and does not throw", () => {
  for (
    const value of [undefined, null, 5, true, [], {}, { error: null }, { error: [] }, {
      detail: [1],
    }]
  ) {
    assert.deepEqual(parseProviderError(value), { message: "" }, JSON.stringify(value));
  }
  assert.deepEqual(parseProviderError({ code: 200, status: 99 }), { message: "", code: "200" });
});

Deno.test("errors inside a stream are worth a retry by their words", () => {
  const cases: [unknown, string, boolean][] = [
    [{ type: "overloaded_error", message: "busy" }, "model_overloaded", true],
    [{ code: "rate_limit_exceeded", message: "slow" }, "model_rate_limited", true],
    [{ type: "server_error", message: "oops" }, "model_overloaded", true],
    [{ type: "authentication_error", message: "who" }, "model_auth", false],
    [{ message: "the context length was exceeded" }, "model_context_overflow", false],
    [{ type: "exceed_context_size_error", message: "" }, "model_context_overflow", false],
    [{ message: "who knows" }, "model_incomplete", true],
  ];
  for (const [error, code, retryable] of cases) {
    const failure = failureOfReply(error, {});
    assert.deepEqual([failure.code, failure.retryable], [code, retryable], JSON.stringify(error));
  }
});
