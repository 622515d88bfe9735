/** One run in real parts with a scripted model: two turns, a host call, spans to whatever tracer is given. */
import type { RunResult } from "../../contracts/loop.ts";
import type { Tracer } from "../../contracts/tracing.ts";
import { scriptedClient } from "../../llm/scripted.ts";
import { createLoop } from "../../loop/create_loop.ts";
import { DefaultSandboxBuilder } from "../../sandbox/default_builder.ts";
import { MemoryStore } from "../../stores/memory.ts";

/** What the run is called in its spans. */
export const SESSION = "traced session";

/** Makes the run. */
export async function tracedRun(tracer: Tracer): Promise<RunResult> {
  using llm = scriptedClient([
    "```javascript\nfunction run() { return stock('tea'); }\n```",
    "```javascript\nfunction run(n) { answer(n * 2); }\n```",
  ], { usage: { prompt: 100, completion: 10 }, model: "scripted-1" });
  await using sandboxBuilder = new DefaultSandboxBuilder({
    capabilities: [{
      name: "shop",
      description: "the shop",
      build: () => [{
        name: "shop",
        prompt: "declare function stock(name: string): number;",
        functions: [{ name: "stock", execute: () => 21 }],
      }],
    }],
  });
  const store = new MemoryStore();
  const contextBudget = { maxTokens: 8192 };
  const loop = createLoop({
    llm,
    sessions: store,
    steps: store,
    sandboxBuilder,
    contextBudget,
    tracer,
  });
  return await loop.run({ sessionId: SESSION, message: "How much is twice the tea?" });
}
