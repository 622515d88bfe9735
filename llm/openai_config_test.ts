import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import { configFromEnv } from "./config_from_env.ts";
import { parseEndpoint } from "./endpoint.ts";
import { createOpenAIClient, type OpenAIConfig } from "./openai.ts";

function env(variables: Record<string, string>): (name: string) => string | undefined {
  return (name) => variables[name];
}

Deno.test("configFromEnv reads the four variables, trimmed, and leaves out what is blank", () => {
  assert.deepEqual(
    configFromEnv(env({
      OPENAI_API_KEY: " sk-1 ",
      OPENAI_BASE_URL: "http://127.0.0.1:1234/v1",
      OPENAI_CHAT_MODEL: "m",
      OPENAI_MAX_RETRIES: "0",
    })),
    { apiKey: "sk-1", baseUrl: "http://127.0.0.1:1234/v1", model: "m", maxRetries: 0 },
  );
  assert.deepEqual(configFromEnv(env({ OPENAI_API_KEY: "  ", OPENAI_MAX_RETRIES: "" })), {});
});

Deno.test("configFromEnv refuses a number of retries that is none", () => {
  for (const value of ["-1", "1.5", "three", "101", "1e1", "9999"]) {
    assert.throws(() => configFromEnv(env({ OPENAI_MAX_RETRIES: value })), {
      name: "TypeError",
      message:
        `OPENAI_MAX_RETRIES must be a whole number from 0 (never try again) to 100; got "${value}"`,
    });
  }
});

Deno.test({
  name: "configFromEnv takes a variable that it may not read as one that is not set",
  permissions: { env: false },
  fn: () => assert.deepEqual(configFromEnv(), {}),
});

Deno.test("a base URL is taken apart without its secrets, and forgiven its end", () => {
  const cases: Record<string, [string, string]> = {
    "http://h:1/v1": ["http://h:1/v1", "http://h:1/v1"],
    " https://h/v1/// ": ["https://h/v1", "https://h/v1"],
    "https://h": ["https://h", "https://h"],
    "https://h/": ["https://h", "https://h"],
    "https://h/v1/chat/completions/": ["https://h/v1", "https://h/v1"],
    "https://u:p@h/v1?key=abc#x": ["https://h/v1?key=abc", "https://h/v1"],
  };
  for (const [text, [baseUrl, label]] of Object.entries(cases)) {
    const endpoint = parseEndpoint(text);
    assert.deepEqual([endpoint.baseUrl, endpoint.label], [baseUrl, label], text);
  }
  assert.ok(parseEndpoint("https://api.openai.com/v1/").isOpenAI);
});

Deno.test("RED-03 a bad base URL is refused with an example and without its secrets", () => {
  const cases: Record<string, RegExp> = {
    "localhost:11434/v1":
      /must start with http.*got "localhost:11434\/v1"; did you mean "http:\/\/localhost:11434\/v1"\?/,
    "api.example.com/v1?key=SECRET123": /got "api\.example\.com\/v1"/,
    "ann:SECRET123@h/v1": /must start with http/,
    "ftp://ann:SECRET123@h/v1": /must start with http.*got "ftp:\/\/h\/v1"/,
    "http://ann:SECRET123@h:99999/v1?key=SECRET123":
      /must be a URL such as.*got "http:\/\/h:99999\/v1"/,
    "http://": /must be a URL/,
  };
  for (const [baseUrl, message] of Object.entries(cases)) {
    assert.throws(() => createOpenAIClient({ baseUrl }), (error) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, message);
      assert.ok(!Deno.inspect(error).includes("SECRET123"), error.message);
      return true;
    });
  }
});

Deno.test("options with values that they cannot have are refused by name", () => {
  const baseUrl = "http://127.0.0.1:1/v1";
  const cases: [OpenAIConfig, RegExp][] = [
    [{ maxRetries: -1 }, /^maxRetries must be a whole number from 0 to 100; got -1$/],
    [{ maxRetries: 1.5 }, /^maxRetries/],
    [{ requestTimeoutMs: 0 }, /^requestTimeoutMs must be a number from 1/],
    [{ idleTimeoutMs: Infinity }, /^idleTimeoutMs/],
    [{ temperature: NaN }, /^temperature/],
    [{ seed: 0.5 }, /^seed/],
    [{ headers: { "no good": "x" } }, /^headers: "no good"/],
    [{ apiKey: "two words" }, /^The API key must be printable ASCII.*OPENAI_API_KEY/],
    [{ model: 5 as unknown as string }, /^model must be text; got number$/],
    // The name that another package has for it: without a word, key and prompts would go to OpenAI.
    [
      { baseURL: "http://127.0.0.1:1" } as OpenAIConfig,
      /^createOpenAIClient: there is no option baseURL; there are apiKey, baseUrl, /,
    ],
  ];
  for (const [config, message] of cases) {
    assert.throws(() => createOpenAIClient({ baseUrl, ...config }), (error) => {
      assert.ok(error instanceof TypeError, String(error));
      assert.match(error.message, message);
      return true;
    });
  }
  assert.throws(
    () => createOpenAIClient({ apiKey: "SECRET😀" }),
    (error) => !String(error).includes("SECRET"),
  );
});

Deno.test("OpenAI itself needs a key, and any other endpoint does not", () => {
  assert.throws(() => createOpenAIClient({}), (error) => {
    assert.ok(error instanceof AgentLoopError);
    assert.equal(error.code, "config");
    assert.match(
      error.message,
      /^No API key for https:\/\/api\.openai\.com\/v1\. Set OPENAI_API_KEY/,
    );
    return true;
  });
  createOpenAIClient({ headers: { Authorization: "Bearer abc" } });
  createOpenAIClient({ baseUrl: "http://127.0.0.1:11434/v1" });
});
