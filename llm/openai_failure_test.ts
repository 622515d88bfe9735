import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import { hello, testClient } from "../tests/fixtures/llm/client.ts";
import { type ServerReply, startOpenAIServer } from "../tests/fixtures/openai_server.ts";
import { friendlyError } from "./friendly_error.ts";
import { createOpenAIClient, type OpenAIConfig } from "./openai.ts";

async function failureOf(config: OpenAIConfig): Promise<AgentLoopError> {
  const client = createOpenAIClient({ model: "test-model", maxRetries: 0, ...config });
  try {
    await client.complete(hello());
  } catch (error) {
    assert.ok(error instanceof AgentLoopError, String(error));
    return error;
  }
  throw new Error("the call succeeded");
}

async function failureAfter(
  reply: ServerReply,
  config: OpenAIConfig = {},
): Promise<AgentLoopError> {
  await using server = await startOpenAIServer({ replies: [reply] });
  return await failureOf({ baseUrl: server.baseUrl, ...config });
}

/** A port of loopback where nothing listens. */
function closedPort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

Deno.test("a failure says which endpoint and model, why, and what to do", async () => {
  const cases: [ServerReply, Partial<AgentLoopError>, RegExp][] = [
    [
      { status: 401, json: { error: { message: "Incorrect API key provided" } } },
      { code: "model_auth", status: 401 },
      /the API key was refused \(401: Incorrect API key provided\)\. Check the key \(OPENAI_API_KEY/,
    ],
    [
      { status: 403, json: { error: { message: "Country not supported" } } },
      { code: "model_auth", status: 403 },
      /access was denied \(403: Country not supported\)\. Check that the API key may use this model/,
    ],
    [
      {
        status: 404,
        json: { error: { message: "The model `x` does not exist", code: "model_not_found" } },
      },
      { code: "model_not_found", status: 404 },
      /does not exist \(404: The model `x` does not exist\)\. Check the model's name \(OPENAI_CHAT_MODEL/,
    ],
    [
      { status: 404, body: "404 page not found" },
      { code: "model_not_found", status: 404 },
      /\(404: 404 page not found\)\. Check the base URL \(OPENAI_BASE_URL.*\/v1/,
    ],
    [
      { status: 404, body: "" },
      { code: "model_not_found", status: 404 },
      /does not exist \(404\)\. Check the base URL/,
    ],
    [
      { status: 502, body: "<html><style>b{}</style><h1>Bad gateway</h1></html>" },
      { code: "model_overloaded", status: 502 },
      /the server failed \(502: Bad gateway\)\. Try again later/,
    ],
    [
      {
        status: 400,
        json: { error: { message: "This model's maximum context length is 8192 tokens" } },
      },
      { code: "model_context_overflow", status: 400 },
      /does not fit into the model's context window.*Shorten the history/,
    ],
    [
      {
        status: 422,
        json: { detail: [{ loc: ["body", "messages", 0], msg: "too short", type: "value_error" }] },
      },
      { code: "model_rejected", status: 422 },
      /the request was rejected \(422: messages\.0: too short\)/,
    ],
  ];
  for (const [reply, expected, text] of cases) {
    const error = await failureAfter(reply);
    assert.equal(error.code, expected.code);
    assert.equal(error.status, expected.status);
    assert.match(error.message, text);
    assert.match(
      error.message,
      /^Asking "test-model" at http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions failed: /,
    );
  }
});

Deno.test("what a server wrote is bounded and cannot steer a terminal", async () => {
  const message = `\u001b[31mred\n${"long ".repeat(1000)}`;
  const error = await failureAfter({ status: 400, json: { error: { message } } });
  // deno-lint-ignore no-control-regex -- that is what must not be there
  assert.doesNotMatch(error.message, /[\u0000-\u001f]/);
  assert.ok(error.message.length < 1000, String(error.message.length));
});

Deno.test("a refused connection asks whether the server is running", async () => {
  const error = await failureOf({ baseUrl: `http://127.0.0.1:${closedPort()}/v1` });
  assert.equal(error.code, "model_connection");
  assert.match(error.message, /the connection was refused\. Is the server running there\?/);
});

Deno.test("a host name that cannot be resolved is told as that", async () => {
  // What the runtime throws, since no test may depend on a resolver.
  const cause = new Error(
    "error sending request for url (http://no.invalid/v1/chat/completions?key=AIzaTEST123456789): client error (Connect): " +
      "dns error: failed to lookup address information: Name or service not known",
  );
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  const error = await failureOf({ baseUrl: "http://no.invalid/v1", fetch });
  assert.equal(error.code, "model_connection");
  assert.match(
    error.message,
    /http:\/\/no\.invalid\/v1.*the host name could not be resolved\. Check the base URL/,
  );
});

Deno.test("https where the server speaks http is told as that and not tried again", async () => {
  await using server = await startOpenAIServer();
  const baseUrl = server.baseUrl.replace("http:", "https:");
  const { client, waits } = testClient({ baseUrl });
  await assert.rejects(client.complete(hello()), /does not speak TLS.*http:\/\//);
  assert.deepEqual(waits, []);
});

Deno.test("redirects without end are an error", async () => {
  const fetch: OpenAIConfig["fetch"] = (_input, init) =>
    globalThis.fetch(`${origin}/loop?key=AIzaTEST123456789`, init);
  await using loop = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => new Response(null, { status: 307, headers: { location: request.url } }),
  );
  const origin = `http://127.0.0.1:${loop.addr.port}`;
  const error = await failureOf({ baseUrl: `${origin}/v1`, fetch });
  assert.match(error.message, /redirects without end/);
  assertNoSecret(error, ["AIzaTEST123456789"]);
});

Deno.test({
  name: "a connection that this program may not make names the permission",
  permissions: { net: false },
  async fn() {
    const error = await failureOf({ baseUrl: "http://127.0.0.1:4711/v1" });
    assert.equal(error.code, "model_connection");
    assert.match(error.message, /may not connect there\. Grant it: --allow-net/);
  },
});

function assertNoSecret(error: Error, secrets: readonly string[]): void {
  const shown = [
    Deno.inspect(error, { depth: 10, showHidden: true }),
    error.stack,
    JSON.stringify(error),
  ];
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    shown.push(e.message, e.stack ?? "");
  }
  for (const secret of secrets) {
    for (const text of shown) assert.ok(!text?.includes(secret), text);
  }
}

Deno.test("RED-03 a key in the base URL is in no message, cause or stack", async () => {
  const key = "AIzaTEST123456789";
  const query = `?key=${key}`;
  const refused = await failureOf({ baseUrl: `http://127.0.0.1:${closedPort()}/v1${query}` });
  assert.match(refused.message, /the connection was refused/);
  assert.ok(refused.cause instanceof Error, "the cause is kept, without the key");
  const blocked = await failureOf({ baseUrl: `http://127.0.0.1:1/v1${query}` });
  assert.match(blocked.message, /refuses to connect to that port/);
  for (const error of [refused, blocked]) assertNoSecret(error, [key, "key="]);
});

Deno.test("RED-03 a key that a server echoes is in no message, cause or stack", async () => {
  const apiKey = "plain-secret-0123456789";
  const password = "pa55word!";
  const encoded = btoa(`ann:${password}`);
  const echo =
    `you sent ${apiKey}, Bearer ${apiKey}, Basic ${encoded}, ${password}, /v1?k=${apiKey}`;
  const replies: ServerReply[] = [
    { status: 401, json: { error: { message: echo } } },
    { status: 400, body: echo },
    { status: 500, body: `<p>${echo}</p>` },
    { pieces: [`data: ${JSON.stringify({ error: echo })}\n\n`] },
    { json: { message: echo } },
  ];
  for (const reply of replies) {
    await using server = await startOpenAIServer({ replies: [reply] });
    const baseUrl = server.baseUrl.replace("://", `://ann:${encodeURIComponent(password)}@`);
    const error = await failureOf({ baseUrl, apiKey });
    assert.match(error.message, /you sent \[redacted\]/);
    assertNoSecret(error, [apiKey, encoded, password]);
  }
});

Deno.test("RED-03 an error that a custom fetch throws keeps no key", async () => {
  const apiKey = "plain-secret-0123456789";
  const fetch: OpenAIConfig["fetch"] = (_input, init) => {
    const sent = new Headers(init?.headers).get("authorization");
    return Promise.reject(
      new Error(`no route; headers were ${sent}`, { cause: new Error(`${sent}`) }),
    );
  };
  const error = await failureOf({ baseUrl: "http://127.0.0.1:4711/v1", apiKey, fetch });
  assert.match(error.message, /the connection failed/);
  assertNoSecret(error, [apiKey]);
});

Deno.test("an error is told by its status where its text stalls, breaks off or has no end", async () => {
  const begun = '{"error":{"message":"out of order, ';
  const headers = { "content-type": "application/json" };
  const long = "x".repeat(1024 * 1024);
  const endless = Array.from({ length: 4096 }, () => long);
  for (
    const reply of [
      { status: 503, headers, pieces: [begun], end: "stall" },
      { status: 503, headers, pieces: [begun], end: "reset" },
      { status: 503, headers, pieces: [begun, ...endless] },
      { status: 503, headers, pieces: ["<script ".repeat(200_000)] },
    ] satisfies ServerReply[]
  ) {
    const error = await failureAfter(reply, { requestTimeoutMs: 60_000 });
    assert.equal(error.status, 503);
    assert.equal(error.code, "model_overloaded");
    if (reply.pieces[0] === begun) assert.match(error.message, /503: .*out of order/);
  }
});

/** What a caller's own `fetch` may do to a response before it gives it. */
const SPOILT: Readonly<Record<string, (response: Response) => Response | Promise<Response>>> = {
  "is being read": (response) => {
    response.body!.getReader();
    return response;
  },
  "was read": async (response) => {
    await response.text();
    return response;
  },
  "was read in part": async (response) => {
    const reader = response.body!.getReader();
    await reader.read();
    reader.releaseLock();
    return response;
  },
  "was cancelled": async (response) => {
    await response.body!.cancel();
    return response;
  },
};
const REPLY = 'data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\n';

for (const [name, spoil] of Object.entries(SPOILT)) {
  Deno.test(`a body that ${name} by the caller's fetch is told as that, and not asked for again`, async () => {
    let asked = 0;
    const fetch = async () => {
      asked++;
      return await spoil(new Response(REPLY));
    };
    const config = { baseUrl: "http://127.0.0.1:9/v1", fetch, maxRetries: 2 };
    const error = await failureOf(config);
    assert.equal(error.code, "config");
    assert.match(
      error.message,
      /^Asking "test-model" at \S+ failed: the fetch function gave a response whose body somebody has begun to read\. Let it /,
    );
    assert.match(friendlyError("It", "x", error).message, /begun to read; tell whoever runs the p/);
    assert.equal(asked, 1);
    const list = await failureOf({ ...config, model: "" });
    assert.match(
      list.message,
      /^Reading the list of models .* somebody has begun to read\. Let it /,
    );
  });

  Deno.test(`an error whose body ${name} by the caller's fetch is told by its status`, async () => {
    const fetch = async () => await spoil(new Response("slow down", { status: 429 }));
    const error = await failureOf({ baseUrl: "http://127.0.0.1:9/v1", fetch });
    assert.deepEqual([error.code, error.status], ["model_rate_limited", 429]);
    assert.match(
      error.message,
      /the rate limit was reached \(429; what the server says of it is lost: the fetch function gave a response whose body somebody has begun to read\)\. Try again/,
    );
  });
}

Deno.test("a body that is no stream, as some packages' fetch gives one, is told", async () => {
  const odd = { ok: true, status: 200, headers: new Headers(), body: { pipe() {} } };
  const fetch = () => Promise.resolve(odd as unknown as Response);
  const error = await failureOf({ baseUrl: "http://127.0.0.1:9/v1", fetch });
  assert.equal(error.code, "config");
  assert.match(
    error.message,
    /the fetch function gave a response whose body is no ReadableStream\./,
  );
});

Deno.test("a body that the caller's fetch has copied is read", async () => {
  const fetch = () => {
    const response = new Response(REPLY);
    response.clone().body!.cancel();
    return Promise.resolve(response);
  };
  const client = createOpenAIClient({ baseUrl: "http://127.0.0.1:9/v1", model: "m", fetch });
  assert.equal((await client.complete(hello())).text, "hi");
});

Deno.test("a fetch function that heeds no signal is waited for no longer than a reply may take to begin, and what it gives later is given up", async () => {
  const reply = Promise.withResolvers<Response>();
  const error = await failureOf({
    apiKey: "k",
    fetch: () => reply.promise,
    requestTimeoutMs: 20,
  });
  assert.equal(error.code, "timeout");
  const cancelled = Promise.withResolvers<void>();
  reply.resolve(new Response(new ReadableStream({ cancel: () => cancelled.resolve() })));
  await cancelled.promise;
});
