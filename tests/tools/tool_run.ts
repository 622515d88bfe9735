/** One run of a scripted model that calls tools, under any protocol: scripts run in a real guest process. */
import type { RunEvent } from "../../contracts/event.ts";
import type { LoopConfig, ResumeRequest, RunRequest, RunResult } from "../../contracts/loop.ts";
import type { CallLog } from "../../contracts/call_log.ts";
import type { CompletionRequest } from "../../contracts/model.ts";
import type { SessionStore } from "../../contracts/session.ts";
import type { StepStore } from "../../contracts/step.ts";
import type { Tool } from "../../contracts/tool.ts";
import { scriptedClient, type ScriptedStep } from "../../llm/scripted.ts";
import { createLoop } from "../../loop/create_loop.ts";
import { DefaultSandboxBuilder } from "../../sandbox/default_builder.ts";
import { MemoryStore } from "../../stores/memory.ts";
import { toolCapability, ToolRegistry } from "../../tools/mod.ts";
import type { ProtocolDriver } from "./protocol_driver.ts";

/** Keeps all of a run. */
export type RunStore = SessionStore & StepStore & CallLog;

/** What the run is made of. */
export interface ToolRunOptions {
  readonly tools: readonly Tool[] | ToolRegistry;
  /** The model's replies, those before the first call left out. */
  readonly replies: readonly ScriptedStep[];
  /** The session's store, for runs that follow another. @default a new one in memory */
  readonly store?: RunStore;
  readonly config?: Partial<LoopConfig>;
  readonly request?: Partial<RunRequest>;
  /** The word on the call that the session waits at, in place of a message. */
  readonly word?: ResumeRequest["decision"];
}

/** What came of it. */
export interface ToolRun {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** Those of the model's requests that follow the prelude. */
  readonly requests: readonly CompletionRequest[];
  readonly store: RunStore;
}

/** Runs it to its end. The model must have been asked for each reply, and for no other. */
export async function runTools(driver: ProtocolDriver, options: ToolRunOptions): Promise<ToolRun> {
  const { tools, store = new MemoryStore() } = options;
  const registry = tools instanceof ToolRegistry ? tools : new ToolRegistry(tools);
  await using sandboxBuilder = new DefaultSandboxBuilder({
    capabilities: [toolCapability(registry)],
  });
  const prelude = await preludeOf(driver, store);
  using llm = scriptedClient([...prelude, ...options.replies]);
  const loop = createLoop({
    protocol: driver.protocol,
    llm,
    sessions: store,
    steps: store,
    calls: store,
    ...(driver.inScripts ? { sandboxBuilder } : { tools: registry }),
    ...options.config,
  });
  const events: RunEvent[] = [];
  const request = {
    sessionId: "s",
    onEvent: (event: RunEvent) => void events.push(event),
    ...options.request,
  };
  const { word } = options;
  const result =
    await (word === undefined
      ? loop.run({ message: "go", ...request })
      : loop.resume({ ...request, decision: word }));
  return { result, events, requests: llm.requests.slice(prelude.length), store };
}

async function preludeOf(
  { prelude, preludeAfter = () => false }: ProtocolDriver,
  store: RunStore,
): Promise<readonly ScriptedStep[]> {
  if (!await store.exists("s")) return prelude;
  const scripts = (await store.lastN("s", 50)).filter(({ stepType }) => stepType === "execute_js");
  const newest = scripts.at(-1);
  const kind = newest === undefined
    ? "none"
    : newest.toolArgs?.includes("call_id")
    ? "call"
    : "block";
  return preludeAfter(kind) ? prelude : [];
}
