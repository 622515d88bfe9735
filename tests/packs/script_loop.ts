/** For the tests of packs: scripts that run through the whole engine, from a scripted model's block to the observation. */
import { equal } from "node:assert/strict";
import type { LoopConfig, RunRequest, RunResult } from "../../contracts/loop.ts";
import type { Capability } from "../../contracts/sandbox.ts";
import type { RunEvent } from "../../contracts/event.ts";
import { scriptedClient } from "../../llm/scripted.ts";
import { createLoop } from "../../loop/create_loop.ts";
import { AllowAll } from "../../loop/policy.ts";
import { DefaultSandboxBuilder } from "../../sandbox/default_builder.ts";
import { MemoryStore } from "../../stores/memory.ts";

/** What came of the scripts. */
export interface ScriptsResult {
  readonly result: RunResult;
  /** What the model was told of each script. */
  readonly observations: readonly string[];
  readonly events: readonly RunEvent[];
  readonly store: MemoryStore;
}

/** Runs each source as one turn of a run; the last is expected to call `answer`, else the run ends by a plain reply. */
export async function runScripts(
  sources: readonly string[],
  options: {
    readonly capabilities?: readonly Capability[];
    readonly config?: Partial<LoopConfig>;
    readonly request?: Partial<RunRequest>;
  } = {},
): Promise<ScriptsResult> {
  const replies = sources.map((source) => "```javascript\n" + source + "\n```");
  const answers = sources.at(-1)?.includes("answer(") ?? false;
  using llm = scriptedClient(answers ? replies : [...replies, "done"]);
  await using sandboxBuilder = new DefaultSandboxBuilder({
    capabilities: options.capabilities ?? [],
  });
  const store = new MemoryStore();
  const loop = createLoop({
    llm,
    sessions: store,
    steps: store,
    calls: store,
    sandboxBuilder,
    policy: new AllowAll(),
    ...options.config,
  });
  const events: RunEvent[] = [];
  const result = await loop.run({
    sessionId: "s",
    message: "go",
    onEvent: (event) => void events.push(event),
    ...options.request,
  });
  const observations = events.flatMap((event) =>
    event.type === "execute_js_result" ? [event.content] : []
  );
  return { result, observations, events, store };
}

/** What the calls of one script give, each its value, or "threw " and the message of what it throws. */
export async function callsOf(
  capability: Capability,
  calls: readonly string[],
  more: { readonly config?: Partial<LoopConfig>; readonly request?: Partial<RunRequest> } = {},
  // deno-lint-ignore no-explicit-any -- what a script answers is for the test to look at
): Promise<any[]> {
  const source = `function run() {
    const told = [];
    for (const call of [${calls.map((call) => `() => ${call}`).join(", ")}]) {
      try { told.push(call() ?? null); } catch (error) { told.push("threw " + error.message); }
    }
    answer(told);
  }`;
  const { result } = await runScripts([source], { capabilities: [capability], ...more });
  equal(result.status, "completed", JSON.stringify(result.error));
  return JSON.parse(result.finalText);
}
