/**
 * What a program remembers of its runs, where a request asks for it: each message, handed to a memory of its own, and a few facts that are made of a finished run.
 * The trace of the session is kept in any case and is not meant here.
 */
import type { FactStore, NewFact } from "./fact.ts";
import type { TokenUsage } from "./model.ts";
import type { Scope } from "./scope.ts";
import type { StepType } from "./step.ts";

/** Whose message it is: `tool` is what a script or a tool gave back. */
export type MemoryRole = "user" | "assistant" | "tool";

/** A message with all that is known of it. Without secrets, as everything that is observed of a run. */
export interface MemoryMessage {
  /** The session. */
  readonly sessionId: string;
  /** The run. */
  readonly runId: string;
  /** The tenant, if the run has one. */
  readonly scope?: Scope;
  /** The user, if the run has one. */
  readonly userId?: string;
  /** Whose message it is. */
  readonly role: MemoryRole;
  /** The step that it was stored as. */
  readonly stepType: StepType;
  /** Message, script, observation, result or answer. */
  readonly content: string;
  /** More about it as JSON text: the calls of a reply, the call that a result belongs to. */
  readonly toolArgs?: string;
  /** When it was made. */
  readonly createdAt: Date;
}

/**
 * Takes the messages of runs, in their order and one at a time, after they were stored. The run does not wait for it but at its end, and there for five seconds.
 * When it rejects there is one warning, the message is not handed in again, and the run goes on.
 */
export interface MemorySink {
  /** Takes what the user said, and what was answered. */
  addMessage(sessionId: string, role: MemoryRole, content: string): Promise<void>;
  /** Takes every message of a run, scripts, calls and what came of them too. Where it is there, `addMessage` is not called. */
  addStructuredMessage?(message: MemoryMessage): Promise<void>;
}

/** A run that completed, for {@linkcode DistillRun}. */
export interface FinishedRun {
  /** The session. */
  readonly sessionId: string;
  /** The run. */
  readonly runId: string;
  /** The tenant, if the run has one. */
  readonly scope?: Scope;
  /** The user, if the run has one. */
  readonly userId?: string;
  /** What the user said. */
  readonly message: string;
  /** The answer. */
  readonly finalText: string;
  /** Everything that a structured sink is given. What tools gave back may be anybody's words: think before you make facts of it. */
  readonly messages: readonly MemoryMessage[];
}

/** What was made of a run. */
export interface DistilledRun {
  /** What is to be remembered; 20 at most are kept. */
  readonly facts: readonly NewFact[];
  /** What it cost, where a model was asked: counts into the run. */
  readonly tokens?: TokenUsage;
}

/**
 * Makes a few lasting facts of a run that completed. Called once a run, after the answer; given up after 30 seconds. When it rejects there is a warning; an
 * `AgentLoopError` with `tokens` counts these all the same.
 */
export type DistillRun = (
  run: FinishedRun,
  options: { readonly signal: AbortSignal },
) => Promise<DistilledRun>;

/** What runs are remembered with, where a request has `memory: true`. */
export interface RunMemory {
  /** Takes the messages. */
  readonly sink?: MemorySink;
  /** Makes facts of a completed run; needs `facts`. The policy is not asked: what is made is up to whoever hands this in. */
  readonly distill?: DistillRun;
  /** Keeps these facts, for the user and tenant of the run. */
  readonly facts?: FactStore;
}
