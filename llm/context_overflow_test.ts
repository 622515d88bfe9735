import assert from "node:assert/strict";
import type { AgentLoopError } from "../contracts/errors.ts";
import { failureOfReply, toError } from "./failure.ts";

function errorOf(body: unknown, status = 400): AgentLoopError {
  return toError(failureOfReply(body, { status }), { task: "Asking m", scrub: (text) => text });
}

// Body, and the window that it names.
const OVERFLOWS: readonly [unknown, number | undefined][] = [
  [{
    error: {
      code: 400,
      type: "exceed_context_size_error",
      message: "request (33056 tokens) exceeds the available context size (32768 tokens)",
      n_ctx: 32_768,
    },
  }, 32_768],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 0 output tokens and your prompt contains at least 8193 input tokens",
    8192,
  ],
  ["The decoder prompt (length 40000) is longer than the maximum model length of 32768.", 32_768],
  [{ error: { code: "context_length_exceeded" } }, undefined],
];

for (const [at, [body, window]] of OVERFLOWS.entries()) {
  Deno.test(`HIS-08: body ${"abcd"[at]} is an overflow, its window learnt`, () => {
    const error = errorOf(body);
    assert.deepEqual([error.code, error.contextWindow], ["model_context_overflow", window]);
  });
}

Deno.test("HIS-08: words about a context alone are an ordinary error", () => {
  const others = [
    "model 'qwen' not found; available context: default",
    "Unsupported parameter: 'context_length'",
    "context_window must be a positive integer",
    "Invalid value for max_tokens: must be at most 4096",
    "the request is missing its context",
    "This file is too long",
    "messages[3].content: field required (context: body)",
  ];
  for (const message of others) {
    assert.equal(errorOf({ error: { message } }).code, "model_rejected", message);
  }
});

Deno.test("HIS-08: other servers' wordings", () => {
  const others: [string, number | undefined][] = [
    ["prompt is too long: 208310 tokens > 200000 maximum", 200_000],
    ["Input is too long for requested model.", undefined],
    [
      "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
      200_000,
    ],
    [
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
      1_048_576,
    ],
    [
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      131_072,
    ],
    [
      "This endpoint's maximum context length is 131,072 tokens. However, you requested about 140,210 tokens",
      131_072,
    ],
    [
      "Prompt contains 40213 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      32_768,
    ],
    [
      "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`",
      4096,
    ],
    ["too many tokens: total number of tokens in the prompt cannot exceed 4081", 4081],
    ["prompt token count of 9210 exceeds the limit of 8192", 8192],
    [
      "Trying to keep the first 4235 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
      4096,
    ],
    ["Please reduce the length of the messages or completion.", undefined],
    ["the request exceeds the available context size. try increasing the context size", undefined],
    ["your input exceeds the context window of this model", undefined],
    ["the input length exceeds the context length", undefined],
    ["invalid params, context window exceeds limit (2013)", undefined],
  ];
  for (const [message, window] of others) {
    const error = errorOf({ error: { message } });
    assert.deepEqual(
      [error.code, error.contextWindow],
      ["model_context_overflow", window],
      message,
    );
  }
});

Deno.test("HIS-08: a rate limit that counts tokens is no overflow", () => {
  assert.equal(errorOf("too many tokens per minute", 429).code, "model_rate_limited");
});
