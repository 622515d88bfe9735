/** What the tests of whole runs share: a loop of doubles, and what it left behind. */
import type { RunEvent } from "../contracts/event.ts";
import type { Loop, LoopConfig } from "../contracts/loop.ts";
import {
  type ScriptedClient,
  scriptedClient,
  type ScriptedClientOptions,
  type ScriptedStep,
} from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import {
  type FakeSandboxBuilder,
  fakeSandboxBuilder,
  type FakeSandboxOptions,
} from "./_fake_sandbox.ts";
import { createLoop } from "./create_loop.ts";

/** What a test may set; the rest are doubles. */
export interface FixtureOptions {
  readonly sandbox?: FakeSandboxOptions;
  readonly model?: ScriptedClientOptions;
  readonly config?: Partial<LoopConfig>;
  readonly store?: MemoryStore;
}

/** A loop and its doubles. With `using`, the model's script must have been played to its end. */
export interface Fixture extends Disposable {
  readonly loop: Loop;
  readonly llm: ScriptedClient;
  readonly store: MemoryStore;
  readonly sandboxBuilder: FakeSandboxBuilder;
  /** Every event so far, the ids left out. */
  readonly events: Record<string, unknown>[];
  /** Give this as `onEvent` to fill `events`. */
  readonly onEvent: (event: RunEvent) => void;
}

/** Creates a loop whose model plays these replies. Clock and randomness stand still. */
export function fixture(replies: readonly ScriptedStep[], options: FixtureOptions = {}): Fixture {
  const llm = scriptedClient(replies, options.model);
  const store = options.store ?? new MemoryStore();
  const sandboxBuilder = fakeSandboxBuilder(options.sandbox);
  const events: Record<string, unknown>[] = [];
  return {
    loop: createLoop({
      llm,
      sessions: store,
      steps: store,
      sandboxBuilder,
      now: () => new Date("2026-01-02T03:04:05.678Z"),
      random: () => 0.5,
      ...options.config,
    }),
    llm,
    store,
    sandboxBuilder,
    events,
    onEvent: ({ runId: _run, sessionId: _session, ...event }) => events.push(event),
    [Symbol.dispose]: () => llm.assertDone(),
  };
}

/** A reply that is one block. */
export function block(source: string): string {
  return `\`\`\`javascript\n${source}\n\`\`\``;
}

/** A reply whose script returns this value. */
export function returning(value: unknown): string {
  return block(`function run() { return ${JSON.stringify(value)}; }`);
}
