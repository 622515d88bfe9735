import assert from "node:assert/strict";

/** Stands for a module of the package, and tells when it is loaded. */
function markedModule(name: string): string {
  return `data:text/javascript,console.log("${name} is loaded");export class ${name} {}`;
}

const IMPORT_MAP = JSON.stringify({
  imports: {
    "npm:openai@7.5.0/resources/chat/completions": markedModule("Completions"),
    "npm:openai@7.5.0/resources/models": markedModule("Models"),
  },
});

/** Runs a module in a process of its own that was granted nothing, and returns what it printed. */
async function runWithoutPermissions(source: string): Promise<string> {
  const url = `data:application/typescript,${encodeURIComponent(source)}`;
  const importMap = `--import-map=data:application/json,${encodeURIComponent(IMPORT_MAP)}`;
  const config = new URL("../deno.json", import.meta.url).pathname;
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", "--no-check", "--config", config, importMap, url],
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  assert.ok(success, text.decode(stderr));
  return text.decode(stdout).trim();
}

Deno.test("importing the client loads no package and needs no permission; warmUp loads it", async () => {
  const client = JSON.stringify(new URL("./openai.ts", import.meta.url));
  const printed = await runWithoutPermissions(`
    const { configFromEnv, createOpenAIClient } = await import(${client});
    const client = createOpenAIClient({ ...configFromEnv(), baseUrl: "http://127.0.0.1:4711/v1" });
    console.log("made");
    await client.warmUp();
    await client.warmUp();
    console.log("warm");
  `);
  assert.equal(printed, "made\nCompletions is loaded\nModels is loaded\nwarm");
});
