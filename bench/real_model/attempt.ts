/** One attempt of a real model at one task, through the library as a program would use it. */
import type { ErrorCode } from "../../contracts/errors.ts";
import type { LoopProtocol } from "../../contracts/loop.ts";
import type { TokenUsage } from "../../contracts/model.ts";
import { createOpenAIClient } from "../../llm/openai.ts";
import { createLoop } from "../../loop/create_loop.ts";
import { DefaultSandboxBuilder } from "../../sandbox/default_builder.ts";
import { MemoryStore } from "../../stores/memory.ts";
import { ToolRegistry } from "../../tools/tool_registry.ts";
import { type RecordedCall, recordingClient } from "./recording_client.ts";
import type { Task } from "./task.ts";
import { toolsOf } from "./task_tools.ts";

/** Tokens that one reply may have. */
const MAX_REPLY_TOKENS = 400;
/** Model calls that one attempt may make. */
const MAX_TURNS = 8;
/** Low, so that a model shows what it mostly does, and not zero, so that two attempts differ. */
const TEMPERATURE = 0.3;
/** Wall time of one attempt: eight full replies of a model that writes five tokens a second. */
const TIMEOUT_MS = 900_000;
/** Ends of a run that the model brought about; any other error says nothing about it. */
const MODELS_OWN_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "timeout",
  "model_empty",
  "model_context_overflow",
]);

/** The model under test. */
export interface ModelUnderTest {
  /** Where it is served. */
  readonly baseUrl: string;
  /** Its name. @default the only one that the server lists */
  readonly model?: string;
  /** How it acts. @default "code" */
  readonly protocol?: LoopProtocol;
}

/** What came of an attempt. */
export interface Attempt {
  /** The task. */
  readonly task: Task;
  /** The seed that the model sampled with. */
  readonly seed: number;
  /** Why it is not solved; absent when it is. */
  readonly problem?: string;
  /** The final text; "" when there was none. */
  readonly finalText: string;
  /** The system prompt that was sent. */
  readonly systemPrompt: string;
  /** The model calls. */
  readonly calls: readonly RecordedCall[];
  /** What they cost. */
  readonly tokens: TokenUsage;
  /** Wall time in seconds. */
  readonly seconds: number;
}

/**
 * Lets the model try a task once, in a session and a sandbox of its own.
 *
 * @throws {AgentLoopError} when the run fails for a reason that is not the model's, such as an endpoint that cannot be reached: nothing was
 * measured then.
 */
export async function attemptTask(
  task: Task,
  options: { readonly under: ModelUnderTest; readonly seed: number },
): Promise<Attempt> {
  const { under, seed } = options;
  const llm = recordingClient(createOpenAIClient({
    baseUrl: under.baseUrl,
    ...(under.model === undefined ? {} : { model: under.model }),
    temperature: TEMPERATURE,
    seed,
  }));
  const store = new MemoryStore();
  await using sandboxBuilder = new DefaultSandboxBuilder({
    capabilities: task.capability === undefined ? [] : [task.capability],
  });
  const sessionId = `${task.name}-${seed}`;
  const { protocol = "code" } = under;
  const acting = protocol === "tools"
    ? { tools: new ToolRegistry(await toolsOf(task.capability)) }
    : { sandboxBuilder };
  const loop = createLoop({
    llm,
    sessions: store,
    steps: store,
    protocol,
    ...acting,
    maxIterations: MAX_TURNS,
    runTimeoutMs: TIMEOUT_MS,
  });
  const startedAt = performance.now();
  const result = await loop.run({
    sessionId,
    message: task.message,
    maxTokens: MAX_REPLY_TOKENS,
  });
  if (result.error !== undefined && !MODELS_OWN_FAILURES.has(result.error.code)) throw result.error;
  const problem = result.status === "completed"
    ? task.check(result.finalText)
    : result.reason ?? result.status;
  return {
    task,
    seed,
    ...(problem === undefined ? {} : { problem }),
    finalText: result.finalText,
    systemPrompt: result.systemPrompt,
    calls: llm.calls,
    tokens: result.tokens,
    seconds: (performance.now() - startedAt) / 1000,
  };
}
