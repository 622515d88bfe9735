import assert from "node:assert/strict";
import { scriptedClient } from "../../llm/scripted.ts";
import { defaultCapabilities } from "../../sandbox/default_capabilities.ts";
import { runScripts } from "./script_loop.ts";

const usage = { prompt: 1, completion: 1 };

Deno.test("the declarations of all default capabilities cost at most 3 KB of prompt", async () => {
  using sub = scriptedClient([]);
  const capabilities = defaultCapabilities(sub);
  const { result } = await runScripts(["function run() { answer(1); }"], { capabilities });
  const api = result.systemPrompt.split("## Sandbox API")[1]!;
  const bytes = new TextEncoder().encode(api).length;
  assert.ok(bytes <= 3 * 1024, `${bytes} bytes`);
  for (
    const name of [
      "require",
      "fetch",
      "http",
      "htmlToMarkdown",
      "markdown",
      "ai",
      "aiJSON",
      "help",
      "skillList",
      "skillGet",
    ]
  ) assert.ok(api.includes(name), `${name} is not declared`);
});

Deno.test("the default capabilities work together in one script", async () => {
  using sub = scriptedClient([{ text: "a greeting", usage }]);
  const { result } = await runScripts([
    `async function run() {
      const md = await htmlToMarkdown("<h1>Hi</h1><p>there</p>");
      const headings = await require("markdown").headings(md);
      answer({ title: headings[0].text, said: await ai("What is: " + md) });
    }`,
  ], { capabilities: defaultCapabilities(sub) });
  assert.deepEqual(JSON.parse(result.finalText), { title: "Hi", said: "a greeting" });
});

Deno.test("without a client the bundle has no ai", async () => {
  const { result } = await runScripts(["function run() { answer(typeof ai); }"], {
    capabilities: defaultCapabilities(),
  });
  assert.equal(result.finalText, "undefined");
});

Deno.test("an allowlist of capabilities leaves the others out of prompt and realm", async () => {
  const all = defaultCapabilities();
  const { result } = await runScripts([
    "function run() { answer([typeof fetch, typeof htmlToMarkdown]); }",
  ], { capabilities: all.filter(({ name }) => name === "htmlToMarkdown") });
  assert.deepEqual(JSON.parse(result.finalText), ["undefined", "function"]);
  assert.ok(!result.systemPrompt.includes("function fetch"));
});
