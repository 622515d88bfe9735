import assert from "node:assert/strict";

/** Runs a module in a process of its own, which must end by itself, and returns what it printed. */
async function printed(source: string): Promise<string> {
  const client = JSON.stringify(new URL("./openai.ts", import.meta.url));
  const program =
    `const { createOpenAIClient } = await import(${client});\nconst messages = [{ role: "user", content: "x" }];\n${source}`;
  const config = new URL("../deno.json", import.meta.url).pathname;
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-lock",
      "--no-check",
      "--config",
      config,
      `data:application/typescript,${encodeURIComponent(program)}`,
    ],
    env: { NO_COLOR: "1" },
    // What would keep it lasts for ten minutes.
    signal: AbortSignal.timeout(60_000),
  }).output();
  const text = new TextDecoder();
  assert.ok(success, `it did not end by itself: ${text.decode(stderr)}`);
  return text.decode(stdout).trim();
}

Deno.test("a signal with a time of its own keeps no program alive once the client is done", async () => {
  const said = await printed(`
    const reply = { choices: [{ message: { content: "four" }, finish_reason: "stop" }] };
    const client = createOpenAIClient({ apiKey: "k", model: "m", fetch: () => Promise.resolve(Response.json(reply)) });
    console.log((await client.complete({ messages, signal: AbortSignal.timeout(600_000) })).text);
  `);
  assert.equal(said, "four");
});

Deno.test("a call that was aborted keeps no program alive, also where the fetch function heeds no signal", async () => {
  const said = await printed(`
    const controller = new AbortController();
    const client = createOpenAIClient({
      apiKey: "k",
      model: "m",
      requestTimeoutMs: 600_000,
      fetch: () => {
        queueMicrotask(() => controller.abort(new Error("enough")));
        return new Promise(() => {});
      },
    });
    await client.complete({ messages, signal: controller.signal }).catch(({ message }) => console.log(message));
  `);
  assert.equal(said, "enough");
});
