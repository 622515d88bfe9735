/** The engine as the benches run it: real client, real sandbox with a host function, memory or SQLite store. */
import type { SessionStore } from "../contracts/session.ts";
import type { StepStore } from "../contracts/step.ts";
import type { Loop } from "../contracts/loop.ts";
import { createOpenAIClient } from "../llm/openai.ts";
import { createLoop } from "../loop/create_loop.ts";
import { DefaultSandboxBuilder } from "../sandbox/default_builder.ts";
import type { SandboxHost } from "../sandbox/host.ts";
import { MemoryStore } from "../stores/memory.ts";

/** A loop against the benches' model, whose scripts may call `tick`. */
export function createBenchLoop(
  options: {
    readonly baseUrl: string;
    readonly model: string;
    readonly host?: SandboxHost;
    readonly store?: SessionStore & StepStore;
  },
): Loop {
  const store = options.store ?? new MemoryStore();
  return createLoop({
    llm: createOpenAIClient({ baseUrl: options.baseUrl, model: options.model, apiKey: "x" }),
    sessions: store,
    steps: store,
    maxIterations: 50,
    sandboxBuilder: new DefaultSandboxBuilder({
      ...(options.host && { host: options.host }),
      capabilities: [{
        name: "tick",
        description: "counts",
        build: () => [{
          name: "tick",
          prompt: "declare function tick(i: number): string;",
          functions: [{ name: "tick", execute: ([i]) => `ok ${i}` }],
        }],
      }],
    }),
  });
}

// The smallest program: what a one-shot run pays until its first request.
if (import.meta.main) {
  const [baseUrl, model = "loop:1"] = Deno.args;
  const loop = createBenchLoop({ baseUrl: baseUrl!, model });
  console.log((await loop.run({ sessionId: "s", message: "start" })).finalText);
}
