import assert from "node:assert/strict";

/** Runs a module in a process of its own that was granted nothing, and returns what it printed. */
async function runWithoutPermissions(source: string): Promise<string> {
  const url = `data:application/typescript,${encodeURIComponent(source)}`;
  const config = new URL("../deno.json", import.meta.url).pathname;
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", "--no-check", "--config", config, url],
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  assert.ok(success, text.decode(stderr));
  return text.decode(stdout).trim();
}

Deno.test("importing the client loads no package and needs no permission; warmUp loads it", async () => {
  const client = JSON.stringify(new URL("./openai.ts", import.meta.url));
  const printed = await runWithoutPermissions(`
    // The package leaves this mark when it is loaded.
    const loaded = () => Symbol.for("openai.node.providerDefinitions.v1") in globalThis;
    const { configFromEnv, createOpenAIClient } = await import(${client});
    const client = createOpenAIClient({ ...configFromEnv(), baseUrl: "http://127.0.0.1:4711/v1" });
    console.log(loaded());
    await client.warmUp();
    console.log(loaded());
  `);
  assert.equal(printed, "false\ntrue");
});
