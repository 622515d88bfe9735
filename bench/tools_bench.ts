/**
 * What a turn costs in the protocol `tools`: 20 calls and an answer, each call through the gate and each step in SQLite, beside the AI SDK (which keeps no log and
 * asks nobody) and `bare`, in the same rounds. A call of a tool that is not safe is written down before it is made, which is a transaction more. Packages of the AI SDK are loaded by the bench alone.
 *
 *     deno run -A --no-lock bench/tools_bench.ts [rounds]
 */
import type { Loop } from "../contracts/loop.ts";
import type { Tool } from "../contracts/tool.ts";
import { createOpenAIClient } from "../llm/openai.ts";
import { createLoop } from "../loop/create_loop.ts";
import { MemoryStore } from "../stores/memory.ts";
import { openSqliteStore, type SqliteStore } from "../stores/sqlite/mod.ts";
import { defineTool } from "../tools/define_tool.ts";
import { ToolRegistry } from "../tools/tool_registry.ts";
import { createAiSdkRun } from "./ai_sdk.ts";
import { runBare } from "./bare.ts";
import { median, report, timed } from "./figures.ts";
import { startModel } from "./model_process.ts";

const TURNS = 20;
const CALLS = TURNS + 1;
const MODEL = `loop:${TURNS}`;
const rounds = Number(Deno.args[0] ?? 40);

/** `safe` is how the AI SDK takes every tool: its calls go on at once. */
function tick(safe: boolean): Tool {
  return defineTool({
    name: "tick",
    description: "Tick",
    parameters: { type: "object", properties: { i: { type: "number" } }, required: ["i"] },
    safe,
    execute: ({ i }) => `ok ${i}`,
  });
}

await using model = await startModel();
const folder = await Deno.makeTempDir({ prefix: "agentloop-bench-" });
try {
  using logged = openSqliteStore(`${folder}/logged.db`);
  using audited = openSqliteStore(`${folder}/audited.db`);
  using unsafe = openSqliteStore(`${folder}/unsafe.db`);
  const programs = {
    bare: (id: string) => runBare(model.baseUrl, { model: MODEL, id }),
    peer: await createAiSdkRun({ baseUrl: model.baseUrl, model: MODEL }),
    memory: runner(toolLoop(new MemoryStore())),
    logged: runner(toolLoop(logged)),
    audited: runner(toolLoop(audited, { calls: audited })),
    unsafe: runner(toolLoop(unsafe, { safe: false })),
  };
  const names = Object.keys(programs) as (keyof typeof programs)[];
  const figures = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    keyof typeof programs,
    number[]
  >;
  for (let round = -4; round < rounds; round++) {
    for (const name of names) {
      const durationMs = await timed(async () => {
        const answer = await programs[name](`${name} ${round}`);
        if (answer !== `done ${TURNS}`) throw new Error(`${name}: wrong answer: ${answer}`);
      });
      if (round >= 0) figures[name].push(durationMs / CALLS); // the first rounds warm the compiler
    }
  }
  report({ name: "a turn of tools, bare (the floor)", unit: "ms", values: figures.bare });
  report({ name: "a turn of tools, AI SDK, no log", unit: "ms", values: figures.peer });
  report({ name: "a turn of tools, memory store", unit: "ms", values: figures.memory });
  report({ name: "a turn of tools, SQLite log", unit: "ms", values: figures.logged });
  report({ name: "  and a row of the log of calls", unit: "ms", values: figures.audited });
  report({ name: "  of a tool that is not safe", unit: "ms", values: figures.unsafe });
  const ratio = (name: keyof typeof programs) => median(figures[name]) / median(figures.peer);
  report({ name: "SQLite log, of the AI SDK's", unit: "x", values: [ratio("logged")], bar: 0.8 });
  report({ name: "  with the log of calls", unit: "x", values: [ratio("audited")] });
  report({ name: "  of a tool that is not safe", unit: "x", values: [ratio("unsafe")] });
} finally {
  await Deno.remove(folder, { recursive: true });
}

function toolLoop(
  store: MemoryStore | SqliteStore,
  { safe = true, ...more }: { readonly calls?: SqliteStore; readonly safe?: boolean } = {},
): Loop {
  return createLoop({
    llm: createOpenAIClient({ baseUrl: model.baseUrl, model: MODEL, apiKey: "x" }),
    sessions: store,
    steps: store,
    protocol: "tools",
    tools: new ToolRegistry([tick(safe)]),
    maxIterations: 50,
    ...more,
  });
}

function runner(loop: Loop): (id: string) => Promise<string> {
  return async (id) => {
    const { finalText, reason } = await loop.run({ sessionId: id, message: id });
    return reason ?? finalText;
  };
}
