import assert from "node:assert/strict";
import { AgentLoopError, EmptyResponseError, type ErrorCode } from "../contracts/errors.ts";
import { hello, testClient } from "../tests/fixtures/llm/client.ts";
import { type ServerReply, startOpenAIServer } from "../tests/fixtures/openai_server.ts";
import { createFallbackClient } from "./fallback.ts";
import { friendlyError } from "./friendly_error.ts";
import { createOpenAIClient, type OpenAIConfig } from "./openai.ts";

const KEY = "plain-secret-0123456789";

function told(error: unknown): string {
  return friendlyError("Answering the question", "Acme AI", error).message;
}

const BEGINNING = "Answering the question with Acme AI failed: ";

// A code without a line does not compile.
const SENTENCES: Readonly<Record<ErrorCode, string>> = {
  aborted: "it was stopped; start it again to go on.",
  timeout: "it took too long; try again, or allow more time.",
  config:
    "the program is not set up for it; check its settings: the API key, the base URL and the model's name.",
  internal:
    "something went wrong in the program; try again; if it stays like this, tell whoever runs the program.",
  model_auth: "the API key was refused; check the key, and that it belongs to this endpoint.",
  model_connection: "the connection failed; check the network and the base URL.",
  model_context_overflow:
    "the conversation does not fit into the model's context window; shorten the history or the message, or choose a model with a larger window.",
  model_empty:
    "the reply was empty: it ended without any content; try again, or choose another model.",
  model_incomplete:
    "the reply broke off; try again; if it stays like this, look at the server's log, and at what stands between.",
  model_not_found:
    "the endpoint or the model does not exist; check the base URL, which most often ends in /v1, and the model's name.",
  model_overloaded:
    "the server failed; try again later; if it stays like this, look at the server's log or status page.",
  model_rate_limited:
    "the rate limit was reached; try again later, or raise the limit with the provider.",
  model_rejected:
    "the request was rejected; look at what the server says about it, and at the model and the options.",
  model_tools_unsupported:
    "the model, or its server as it is set up, takes no tools; choose a model that can call tools, or a protocol that needs none.",
  not_waiting: "nothing waits for an answer any more; look at what has become of it, and ask anew.",
  sandbox_busy: "too many scripts run at once; try again later.",
  sandbox_lost:
    "the program could not run the script; try again; if it stays like this, tell whoever runs the program.",
  sandbox_permission:
    "the program could not run the script; let it start its own runtime (--allow-run).",
  sandbox_start:
    "the program could not run the script; try again; if it stays like this, tell whoever runs the program.",
  store_corrupt:
    "the program could not use its store; restore it from a copy, or name another file.",
  store_failed: "the program could not use its store; check the disk, and the rights to its file.",
  store_foreign:
    "the program could not use its store; name another file: this one is of another program.",
  store_locked: "the store is in use by another program; try again later.",
  store_missing: "the program could not use its store; check the name of its file: there is none.",
  store_conflict: "another program wrote to the same place at the same time; try again.",
  store_newer:
    "the program could not use its store; update the program: the file is of a newer version.",
};

Deno.test("friendly error: every code has its sentence, and is kept with the original as the cause", () => {
  for (const [code, sentence] of Object.entries(SENTENCES) as [ErrorCode, string][]) {
    const original = new AgentLoopError(`Bearer ${KEY} at /home/x.ts:1`, { code });
    const error = friendlyError("Answering the question", "Acme AI", original);
    assert.equal(error.message, BEGINNING + sentence);
    assert.equal(error.code, code);
    assert.equal(error.cause, original);
  }
});

Deno.test("friendly error: what an error knows beside its code is kept", () => {
  const details = { status: 400, contextWindow: 8192, tokens: { prompt: 3, completion: 1 } };
  const original = new AgentLoopError("x", { code: "model_context_overflow", ...details });
  const { status, contextWindow, tokens } = friendlyError("a", "b", original);
  assert.deepEqual({ status, contextWindow, tokens }, details);
});

async function failureOf(config: OpenAIConfig, tools = false): Promise<AgentLoopError> {
  const { client } = testClient({ baseUrl: "" }, { maxRetries: 0, apiKey: KEY, ...config });
  const request = tools ? { tools: [{ name: "f", description: "", parameters: {} }] } : {};
  try {
    await client.complete(hello(request));
  } catch (error) {
    assert.ok(error instanceof AgentLoopError, String(error));
    return error;
  }
  throw new Error("the call succeeded");
}

/** What a real server's reply is told as. */
const REPLIES: readonly [what: string, ServerReply, ErrorCode, RegExp][] = [
  [
    "wrong key",
    {
      status: 401,
      json: { error: { message: `Incorrect API key provided: ${KEY}` } },
    },
    "model_auth",
    /the API key was refused; check the key, and/,
  ],
  [
    "no access",
    {
      status: 403,
      json: { error: { message: "Country not supported" } },
    },
    "model_auth",
    /access was denied; check that the API key may use this model/,
  ],
  [
    "no credit",
    {
      status: 429,
      json: { error: { message: "You exceeded your quota", code: "insufficient_quota" } },
    },
    "model_rate_limited",
    /the account has no credit left; check the plan and the billing/,
  ],
  [
    "rate limit",
    {
      status: 429,
      json: { error: { message: "Slow down" } },
    },
    "model_rate_limited",
    /the rate limit was reached; try again later/,
  ],
  ["overloaded", { status: 503, body: "busy" }, "model_overloaded", /the server failed; try again/],
  [
    "model not found",
    {
      status: 404,
      json: { error: { message: "The model `x` does not exist", code: "model_not_found" } },
    },
    "model_not_found",
    /does not exist; check the model's name\.$/,
  ],
  [
    "context too long",
    {
      status: 400,
      json: { error: { message: "This model's maximum context length is 8192 tokens" } },
    },
    "model_context_overflow",
    /does not fit into the model's context window; shorten/,
  ],
  [
    "content filter",
    {
      status: 400,
      json: { error: { message: "The response was filtered", code: "content_filter" } },
    },
    "model_rejected",
    /the provider's content filter stopped the request; rephrase the message/,
  ],
  [
    "bad request",
    {
      status: 400,
      json: { error: { message: "`top_q` is odd" } },
    },
    "model_rejected",
    /the request was rejected; look at/,
  ],
  [
    "empty reply",
    { pieces: ["data: [DONE]\n\n"] },
    "model_empty",
    /the reply was empty.*; try again, or choose/,
  ],
  ["broken off", { chunks: ["a"], end: "reset", pieces: ["data: {"] }, "model_incomplete", /; try/],
  ["no connection", { drop: true }, "model_connection", /failed: the connection .*; check the/],
  [
    "a web page",
    { body: "<html>hi</html>" },
    "model_rejected",
    /sent a web page; check the base URL/,
  ],
];

for (const [what, reply, code, sentence] of REPLIES) {
  Deno.test(`friendly error: ${what}, as a server on loopback tells it`, async () => {
    await using server = await startOpenAIServer({ replies: [reply] });
    const original = await failureOf({ baseUrl: `${server.baseUrl}?key=${KEY}` });
    const error = friendlyError("Answering the question", "Acme AI", original);
    assert.match(error.message, sentence);
    assert.equal(error.code, code);
    assert.equal(error.code, original.code);
    assertFriendly(error.message);
  });
}

/** One line and one sentence, with nothing in it that users cannot read or must not see. */
function assertFriendly(message: string): void {
  assert.ok(message.startsWith(BEGINNING), message);
  assert.doesNotMatch(message, /http|OPENAI_|127\.0\.0\.1|\n|\{|\bat \S+:\d/);
  assert.doesNotMatch(message, /[.?!] /);
  assert.ok(!message.includes(KEY), message);
}

Deno.test("friendly error: a rate limit whose wait is too long to be held back for", async () => {
  const reply = { status: 429, headers: { "retry-after": "600" }, body: "Slow down" };
  await using server = await startOpenAIServer({ replies: [reply] });
  const error = await failureOf({ baseUrl: server.baseUrl, maxRetries: 1 });
  assert.match(told(error), /reached; the server asks to wait 600 s, .*; try again after that\.$/);
  assertFriendly(told(error));
});

Deno.test("friendly error: a server that takes no tools", async () => {
  const json = { error: { message: "m does not support tools" } };
  await using server = await startOpenAIServer({ replies: [{ status: 400, json }] });
  const error = await failureOf({ baseUrl: server.baseUrl }, true);
  assert.equal(told(error), BEGINNING + SENTENCES.model_tools_unsupported);
});

Deno.test("friendly error: a reply that does not come in time", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using server = await startOpenAIServer({ replies: [{ until: promise, drop: true }] });
  const error = await failureOf({ baseUrl: server.baseUrl, requestTimeoutMs: 30 });
  resolve();
  assert.equal(error.code, "timeout");
  assert.match(told(error), /the reply did not begin within 30 ms; try again later/);
  assertFriendly(told(error));
});

Deno.test("friendly error: connections refused, without TLS, to no host", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const refused = await failureOf({ baseUrl: `http://u:${KEY}@127.0.0.1:${port}/v1` });
  assert.match(told(refused), /the connection was refused; check whether the server is running/);
  await using server = await startOpenAIServer();
  const plain = await failureOf({ baseUrl: server.baseUrl.replace("http:", "https:") });
  assert.match(told(plain), /the server does not speak TLS; check the base URL/);
  // What the runtime throws, since no test may depend on a resolver.
  const cause = new Error("client error (Connect): dns error: failed to lookup address");
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  const unknown = await failureOf({ baseUrl: "http://no.invalid/v1", fetch });
  assert.match(told(unknown), /the host name could not be resolved; check the base URL and the/);
  for (const error of [refused, unknown]) assertFriendly(told(error));
});

Deno.test("friendly error: no key", () => {
  assert.throws(() => createOpenAIClient({}), (error) => {
    const { code, message } = friendlyError("Answering the question", "Acme AI", error);
    assert.equal(code, "config");
    assert.match(message, /no API key is set; set the API key, or choose a server that needs none/);
    return true;
  });
});

Deno.test("friendly error: a model that keeps silent, and models whose tokens are spent", async () => {
  assert.match(told(new EmptyResponseError(3)), /however often it was asked; try again, or choose/);
  await using server = await startOpenAIServer({ replies: [{ text: "a" }] });
  const { client } = testClient(server);
  const spent = createFallbackClient([{ client, maxTotalTokens: 1 }]);
  await spent.complete(hello());
  await assert.rejects(spent.complete(hello()), (error) => {
    assert.match(told(error), /every model has spent the tokens that it may; raise the bound/);
    return true;
  });
});

Deno.test("friendly error: errors of other clients get the code of what they mean", () => {
  const withStatus = (fields: object) => Object.assign(new Error(`no: ${KEY}`), fields);
  const cases: [unknown, ErrorCode, RegExp][] = [
    [withStatus({ status: 401 }), "model_auth", /the API key was refused/],
    [withStatus({ statusCode: 529 }), "model_overloaded", /the server failed/],
    [
      withStatus({ status: 429, error: { code: "insufficient_quota" } }),
      "model_rate_limited",
      /no credit left/,
    ],
    [
      withStatus({ statusCode: 400, data: { error: { message: "prompt is too long: 9 tokens" } } }),
      "model_context_overflow",
      /context window/,
    ],
    [
      new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") }),
      "model_connection",
      /the connection was refused/,
    ],
    [AbortSignal.abort().reason, "aborted", /it was stopped/],
    [new DOMException("x", "TimeoutError"), "timeout", /it took too long/],
    [new TypeError(`x is not a function ${KEY}`), "internal", /something went wrong/],
    [withStatus({ status: 200 }), "internal", /something went wrong/],
    [`thrown ${KEY}`, "internal", /something went wrong/],
    [undefined, "internal", /something went wrong/],
  ];
  for (const [thrown, code, sentence] of cases) {
    const error = friendlyError("Answering the question", "Acme AI", thrown);
    assert.equal(error.code, code, String(thrown));
    assert.match(error.message, sentence);
    assert.equal(error.cause, thrown);
    assert.ok(!error.message.includes(KEY), error.message);
  }
});

Deno.test("friendly error: an error without words of its own is told by its status", () => {
  const error = new AgentLoopError("quota", { code: "model_auth", status: 403 });
  assert.match(told(error), /access was denied/);
  const other = new AgentLoopError("quota", { code: "model_rejected", status: 403 });
  assert.match(told(other), /the request was rejected/);
});

Deno.test("friendly error: scope and provider cannot steer a terminal, hold a key, or be missing", () => {
  const thrown = new AgentLoopError("x", { code: "aborted" });
  const { message } = friendlyError("\u001b[2JReading\nmail", "sk-abcdefgh12345678", thrown);
  assert.equal(
    message,
    "[2JReading mail with [redacted] failed: it was stopped; start it again to go on.",
  );
  assert.match(friendlyError("", "", thrown).message, /^The request with the model failed: /);
});
