/**
 * The loop as callers see it: what a run is given and what it gives back.
 */
import type { ApprovalDecision, Approve, PendingApproval } from "./approval.ts";
import type { CallLog } from "./call_log.ts";
import type { Compactor, ContextBudget } from "./compaction.ts";
import type { AgentLoopError } from "./errors.ts";
import type { EventSink } from "./event_log.ts";
import type { RunEvent } from "./event.ts";
import type { PriceTable, RunLimits, ScopeLimits, Spend, SpendLedger } from "./limits.ts";
import type { ResultStore } from "./long_result.ts";
import type { RunMemory } from "./memory.ts";
import type { Client, TokenUsage } from "./model.ts";
import type { PolicyChecker } from "./policy.ts";
import type { TextRedactor } from "./redaction.ts";
import type { SandboxBuilder } from "./sandbox.ts";
import type { AnswerReview } from "./review.ts";
import type { Scope } from "./scope.ts";
import type { RunStatus, SessionStore } from "./session.ts";
import type { StepStore } from "./step.ts";
import type { ToolExpander, ToolSet } from "./tool.ts";
import type { Tracer } from "./tracing.ts";

/** Model calls that one run makes at most, unless told otherwise. */
export const DEFAULT_MAX_ITERATIONS = 20;
/** The same where the model calls tools by name. */
export const DEFAULT_TOOL_ITERATIONS = 10;
/** Wall time of one run, unless told otherwise: five minutes. */
export const DEFAULT_RUN_TIMEOUT_MS = 300_000;
/** Steps of the past that are replayed to the model at most, unless told otherwise. */
export const DEFAULT_HISTORY_WINDOW = 80;

/**
 * How the model acts: `code` it writes a script each turn, in a block of its reply; `code-tool` it hands its scripts to one native tool, for models that only do
 * function calling well; `auto` begins as `code`, and changes to `code-tool` when the model does not keep the form after a reminder; `tools` it calls tools by
 * their names.
 */
export type LoopProtocol = "code" | "code-tool" | "auto" | "tools";

/** What a loop is made of. The caller owns every part; the loop disposes none of them. */
export interface LoopConfig {
  /** The model. */
  readonly llm: Client;
  /** Keeps sessions. */
  readonly sessions: SessionStore;
  /** Keeps the trace. */
  readonly steps: StepStore;
  /**
   * The agent's name, for programs that have several: it stands in every event, in the steps of named calls (`agent` in their `toolArgs`) and on the run's span. The
   * model is not told it. @default none
   */
  readonly agent?: string;
  /** How the model acts. A session may go on under another one. @default "code" */
  readonly protocol?: LoopProtocol;
  /** Makes the sandbox of each run. Every protocol but `tools` needs it, which does not use it. */
  readonly sandboxBuilder?: SandboxBuilder;
  /** What the model can call by name in the protocol `tools`, which needs it here or in each request. */
  readonly tools?: ToolSet;
  /**
   * Finds further tools while a run goes on: the model looks for them by `discover_tools`, in scripts a function. What was found can be called from the next
   * turn on, for the rest of the run, and in later runs that replay the search. @default nothing can be found
   */
  readonly toolExpander?: ToolExpander;
  /** Decides over calls out of scripts. @default new DefaultPolicy() */
  readonly policy?: PolicyChecker;
  /** Asks a person about calls that the policy wants asked. Without it, to ask is to refuse. */
  readonly approve?: Approve;
  /** Asks about every call, whatever the policy says of it. @default false */
  readonly approveAll?: boolean;
  /** Keeps the audit log. @default none is kept */
  readonly calls?: CallLog;
  /** The model for sessions that are pinned to none. @default the client's own */
  readonly model?: string;
  /** Model calls of one run at most, those before it waited among them. @default 20, in the protocol `tools` 10 */
  readonly maxIterations?: number;
  /**
   * Asks for an answer at the last turn: the model is told that its time is over, and what it then says is the answer, marked as `forced`. In the protocol `tools`
   * no tool can be called any more, in the others a script can still answer. @default true in the protocol `tools`, false in the others
   */
  readonly forceFinalText?: boolean;
  /**
   * Looks at each answer before anybody is told of it; needs `calls`. An answer that is objected to goes back to the model once, and is given with a warning when
   * the model insists. Answers are then not streamed, and a run whose last turn brought such an answer gets one turn more. @default no answer is looked at
   */
  readonly reviewAnswer?: AnswerReview;
  /** Wall time of one run. @default 300_000 */
  readonly runTimeoutMs?: number;
  /**
   * Steps of the past that are replayed at most. With a compactor, what was summarized before does not count, and what follows the newest
   * summary comes whole. @default 80
   */
  readonly historyWindow?: number;
  /**
   * Folds old history into a summary: before the first turn, and between turns when turns would otherwise be left out to fit the window.
   * When it fails there is a warning, and the run goes on with the history as it is. @default none
   */
  readonly compactor?: Compactor;
  /** Bounds each request in tokens. @default none: requests are as long as the history */
  readonly contextBudget?: ContextBudget;
  /** What one run may spend and carry. @default no bound */
  readonly limits?: RunLimits;
  /** What a scope may spend over a period, all of its runs together; needs a `ledger`. @default no bound */
  readonly scopeLimits?: ScopeLimits;
  /** Keeps what scopes spent. */
  readonly ledger?: SpendLedger;
  /** What tokens cost. A model that is not in it costs what its provider says. @default no prices */
  readonly prices?: PriceTable;
  /**
   * Takes secrets out of what is observed: events, answers, stored steps, audit rows, spans, errors. Data, arguments and results of calls stay
   * whole. The model is sent what is stored, and the message that is being answered as it was given. @default nothing is taken out
   */
  readonly redactor?: TextRedactor;
  /** Keeps results of calls by name that are too long to be told whole. @default the `results` of `steps`, where it has them; else they stand in the steps */
  readonly results?: ResultStore;
  /** Takes the events of runs, a stream a session. @default none does */
  readonly events?: EventSink;
  /** What runs are remembered with that ask for it by `memory: true`. @default nothing beside the trace */
  readonly memory?: RunMemory;
  /** Makes the spans of runs. @default no span is made */
  readonly tracer?: Tracer;
  /** The clock. @default () => new Date() */
  readonly now?: () => Date;
  /** Source of seeds and ids: a number in [0, 1). @default Math.random */
  readonly random?: () => number;
}

/** One message to answer. */
export interface RunRequest {
  /** The session that the run extends; created when it is not there. */
  readonly sessionId: string;
  /** What the user says. */
  readonly message: string;
  /** The tenant. */
  readonly scope?: Scope;
  /** The invoking user; left out for runs that a system starts. */
  readonly userId?: string;
  /** Text for the end of the system prompt of this run only; never stored. For what is stable, such as project instructions. */
  readonly context?: string;
  /** Text that stands with this message in this run only, such as the time; never stored. Of a run that goes on after a wait it is the message that it answers. */
  readonly turnContext?: string;
  /** Receives every event in order. When it throws, the throw is ignored and the run goes on. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Ends the run: the status is then `error` with reason `aborted`. */
  readonly signal?: AbortSignal;
  /** Asks a person about calls in this run. @default the loop's */
  readonly approve?: Approve;
  /** The agent's name in this run. @default the loop's */
  readonly agent?: string;
  /** The model for this run; beats the session's and the loop's. */
  readonly model?: string;
  /** What the model can call by name in this run, in the protocol `tools`. @default the loop's */
  readonly tools?: ToolSet;
  /** Finds further tools in this run. @default the loop's */
  readonly toolExpander?: ToolExpander;
  /** Whether the run is remembered, by what the loop's `memory` says. @default false */
  readonly memory?: boolean;
  /** Model calls of this run at most. @default the loop's */
  readonly maxIterations?: number;
  /** Tokens of one reply at most. @default the provider's own */
  readonly maxTokens?: number;
  /** Wall time of this run. @default the loop's */
  readonly timeoutMs?: number;
  /** Bounds of this run; one that is left out is the loop's, `Infinity` is none. */
  readonly limits?: RunLimits;
}

/** A word on the call that a session waits at. Options that are left out are those of the loop, as in {@linkcode RunRequest}. */
export type ResumeRequest = Omit<RunRequest, "message"> & {
  /** The word. */
  readonly decision: Exclude<ApprovalDecision, { readonly decision: "wait" }>;
  /** The call that is meant, where the caller wants to be sure. @default the one that the session waits at */
  readonly callId?: string;
};

/** How a run ended. */
export interface RunResult {
  /** The run: a time-ordered id (UUID version 7). */
  readonly runId: string;
  /** The session that it extended. */
  readonly sessionId: string;
  /** How it ended. */
  readonly status: RunStatus;
  /**
   * More about the end: `timeout`, `aborted`, `approval`, the code of the error, or the limit: `total_tokens`, `cost`, `host_calls`, `args_bytes`, and for those of
   * a scope `scope_total_tokens`, `scope_cost`, `scope_host_calls`.
   */
  readonly reason?: string;
  /** The answer; "" unless the status is `completed`. */
  readonly finalText: string;
  /** The answer is a text that was forced at the last iteration. */
  readonly forced?: boolean;
  /** The answer ends with a warning: it was objected to, and the model insisted on it. */
  readonly flagged?: boolean;
  /** What the run waits for, when the status is `waiting`; without secrets. */
  readonly pending?: PendingApproval;
  /** What failed, when the status is `error`. */
  readonly error?: AgentLoopError;
  /** Steps that this run appended. */
  readonly steps: number;
  /** Tokens of every model call of this run. */
  readonly tokens: TokenUsage;
  /** Calls that this run made: of tools by their names, or of functions out of scripts; those that were refused count too, one that waits where it is decided on. */
  readonly toolCalls: number;
  /** How long the run took, a person's time to think included, in ms. */
  readonly durationMs: number;
  /** What this run spent, sub-calls included. */
  readonly spent?: Spend;
  /** Whether anything of the run was remembered: a message taken, or a fact kept. Left out where the request did not ask for it. */
  readonly memoryUsed?: boolean;
  /** The system prompt that was sent; "" when the run failed before it was composed. */
  readonly systemPrompt: string;
  /** Bytes of working state withheld from prompts, net of the digests sent, summed over the model calls. */
  readonly dataBytesCarried: number;
}

/** The events of a run as they happen, and its result. Leaving the iteration early aborts the run. */
export interface RunStream extends AsyncIterable<RunEvent> {
  /** Resolves when the run has ended, whether or not the events were read. */
  readonly result: Promise<RunResult>;
}

/**
 * Drives runs. Runs of different sessions may go on at once; it holds no state between runs. Two runs of one session that go on at once do not see each other's
 * messages, and the last `args` stay: whoever does not want that lets the second wait.
 */
export interface Loop {
  /**
   * Answers one message. Resolves with how the run ended, failures of the world included.
   *
   * @throws {TypeError} when the request lacks a session id or a message, or a field has the wrong type or is none that there is.
   * @throws {RangeError} when a number is out of range.
   */
  run(request: RunRequest): Promise<RunResult>;
  /**
   * Goes on with a session whose last run ended with the status `waiting`, in this process or another: the call is made, or refused, as the word says, and the
   * run goes on from there. A script is evaluated again with the seed and the clock that it had, and given the results of the calls that it had made. What was done
   * before is not done again, nor charged; where a process died during a call, the model is told that its outcome is not known. When the session waits for
   * nothing, or another process was faster, the result is an error with the code `not_waiting`; whoever goes on later takes the script from another process that still
   * is at it, and that one ends with the same code before its next call. A session that waits at a tool's call needs the protocol `tools`, one that waits in a
   * script any other: else the code is `config`. Where the limits leave nothing for the call, the status is `limit`, and the session still waits.
   *
   * @throws {TypeError} when the request is not what it should be.
   */
  resume(request: ResumeRequest): Promise<RunResult>;
  /** The same as a stream of events; `onEvent` is called too. Throws like `run`, at once. */
  stream(request: RunRequest): RunStream;
}
