import { deepEqual } from "node:assert/strict";

/** Asks a model that does not exist, and tells which of the runtime's heavy parts were touched until the request was made. */
const PROGRAM = `
const touched = [];
for (const name of ["setTimeout", "clearTimeout", "setInterval", "process", "Buffer"]) {
  const own = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() {
      touched.push(name);
      Object.defineProperty(globalThis, name, own);
      return globalThis[name];
    },
  });
}
const { createLoop, DefaultSandboxBuilder, MemoryStore } = await import(ROOT + "mod.ts");
const { createOpenAIClient } = await import(ROOT + "llm/openai.ts");
const store = new MemoryStore();
const fetch = () => {
  console.log(JSON.stringify(touched));
  return Promise.reject(new TypeError("there is no model"));
};
const loop = createLoop({
  llm: createOpenAIClient({ baseUrl: "http://127.0.0.1:1/v1", model: "m", maxRetries: 0, fetch }),
  sessions: store,
  steps: store,
  sandboxBuilder: new DefaultSandboxBuilder(),
  ...MORE,
});
await loop.run({ sessionId: "s", message: "hello" });
`;

const WAYS = {
  code: "{}",
  "code with a pool":
    "{ sandboxBuilder: new (await import(ROOT + 'mod.ts')).SandboxPool(new DefaultSandboxBuilder()) }",
  tools: `await (async () => {
    const { defineTool, ToolRegistry } = await import(ROOT + "tools/mod.ts");
    const tick = defineTool({
      name: "tick",
      description: "Tick",
      parameters: { type: "object" },
      execute: () => "ok",
    });
    return { protocol: "tools", tools: new ToolRegistry([tick]) };
  })()`,
};

// For the first of them the runtime sets up its Node layer, at a quarter of what the rest of the way to the request takes.
for (const [way, more] of Object.entries(WAYS)) {
  Deno.test(`surface: by ${way} nothing before the first request wakes the runtime's Node layer`, async () => {
    const root = JSON.stringify(new URL("../../", import.meta.url).href);
    const source = PROGRAM.replace("MORE", more).replaceAll("ROOT", root);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-prompt",
        "--no-lock",
        "--config",
        "deno.json",
        `data:text/javascript,${encodeURIComponent(source)}`,
      ],
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    deepEqual([decoder.decode(stdout), decoder.decode(stderr)], ["[]\n", ""]);
  });
}
