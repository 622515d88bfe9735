/**
 * Running a script that a model wrote. Everything that crosses the border is JSON text with a byte limit.
 * The sandbox never runs a host function itself: each call goes to the handler that the loop hands in, which is the gate.
 */
import type { RunEventBody } from "./event.ts";
import type { JsonValue } from "./json.ts";
import type { CompletionRequest, TokenUsage } from "./model.ts";
import type { CallAim } from "./policy.ts";
import type { Scope } from "./scope.ts";
import type { SecretSource, SecretUse } from "./secret.ts";
import type { Session } from "./session.ts";

/** What a host function gets beside its arguments. */
export interface CallContext {
  /** Ends when the run does, or when the call's deadline passes. */
  readonly signal: AbortSignal;
  /** The run that calls. */
  readonly runId: string;
  /** The session that calls. */
  readonly sessionId: string;
  /** The tenant, if the run has one. */
  readonly scope?: Scope;
  /** The invoking user; absent for runs that a system started. */
  readonly userId?: string;
  /** Tells the run's listeners something. */
  readonly emit: (event: RunEventBody) => void;
  /**
   * Asks the gate about a further aim of this call, such as the host that a redirect names or the address that a name stands for.
   * Rejects when it is refused: let the rejection through, it is what the script is to see.
   */
  readonly authorize: (aim: CallAim) => Promise<void>;
  /**
   * Sets aside what a model call that the function is about to make takes at most, until it is disposed; what it really took is for `spend`, before
   * that. Throws when it could pass a limit, together with the calls under way: make no call then, and let the error through.
   */
  readonly reserve: (request: Pick<CompletionRequest, "messages" | "maxTokens">) => Disposable;
  /** Counts tokens that the function spent on a model into the run. */
  readonly spend: (tokens: TokenUsage) => void;
  /**
   * The value of a secret, for the script itself to have. Asks the gate about `secret` with this name; from then on it is taken out of all that is observed
   * of the run. Rejects when it is refused, unknown or bound to hosts: let the rejection through.
   */
  readonly secret: (name: string) => Promise<string>;
  /**
   * The text with each `{{secret:NAME}}` in it filled in, for the use that is told; `encode` is applied to the values. Asks the gate about each name and use.
   * What the function then returns or throws is cleared of these values, and of those that earlier calls of the run filled in, since scripts are not to see
   * them: a function that sends something out asks also where there is nothing to fill in. Text without a placeholder is given back as
   * it is, and so is every text where a sandbox has no secrets. Rejects as `secret` does.
   */
  readonly fill: (
    text: string,
    use: SecretUse,
    encode?: (value: string) => string,
  ) => Promise<string>;
  /** The text without the secrets that the run knows of: for what a function keeps that later prompts, or people, are shown. */
  readonly redact: (text: string) => string;
}

/** A function of ours that a script may call by its name. */
export interface HostFunction {
  /** The name scripts call it by; a JavaScript identifier. */
  readonly name: string;
  /**
   * Does the work. What it returns (or resolves to) must be a JSON value, or `undefined` for none. What it throws reaches the script
   * as an error that it can catch, message only.
   */
  readonly execute: (args: readonly JsonValue[], context: CallContext) => unknown;
  /** Whether it has consequences outside. @default false */
  readonly sideEffect?: boolean;
  /** What a call is aimed at, for the policy. An aim that cannot be told is `undefined`; a throw counts as that. */
  readonly target?: (args: readonly JsonValue[]) => string | CallAim | undefined;
  /**
   * Shows a person what the call would do, in lines of text: a unified diff, say. Asked for only when a person is asked; must change nothing. What it throws is
   * shown in its place.
   */
  readonly preview?: (
    args: readonly JsonValue[],
  ) => string | undefined | Promise<string | undefined>;
  /** Wall time that one call may take, capped by what is left of the run. @default 120_000 */
  readonly timeoutMs?: number;
}

/** Documentation that stays out of the prompt until a script asks for it. */
export interface PackDocument {
  /** The name that `help` and `skillGet` know it by. */
  readonly name: string;
  /** One line for `skillList()`. */
  readonly description: string;
  /** The text. */
  readonly text: string;
  /** Files that lie beside the text; scripts read them by `skillGet(name, path)`. @default none */
  readonly files?: DocumentFiles;
}

/** Files that lie beside a document. Nothing is read before a script asks for it; what is thrown reaches that script, message only. */
export interface DocumentFiles {
  /** Their paths, sorted, for the end of the text; the first hundred are shown. Asked whenever the text is. */
  list(): Promise<readonly string[]>;
  /** The text of one. The path is what the script wrote: it is on the callee to confine it. */
  read(path: string): Promise<string>;
}

/** Functions that belong together, with the declarations that tell a model about them. */
export interface Pack {
  /** The pack's name, unique in a sandbox. */
  readonly name: string;
  /** TypeScript declarations for the system prompt: terse, one a function. */
  readonly prompt: string;
  /** What scripts can call. */
  readonly functions: readonly HostFunction[];
  /** Names of the modules that `guestSource` registers for `require`. */
  readonly modules?: readonly string[];
  /** Documentation behind `help` and `skillGet`. */
  readonly documents?: readonly PackDocument[];
  /** Secrets for `CallContext.secret` and `CallContext.fill`. One pack of a sandbox may bring them. */
  readonly secrets?: SecretSource;
  /**
   * JavaScript whose effect is in each fresh realm before the script: the body of a function with one parameter `host`, an object with
   * `host.call(name, args)` (blocks, or returns a promise in an `async function run`), `host.callNow(name, args)` (blocks in either style),
   * `host.then(value, map)` (applies `map` to a value in either style), `host.define(name, value)` (a global that scripts see)
   * and `host.module(name, value)` (what `require(name)` gives). A function named in `functions` is defined as a global before this runs.
   * It runs once for all realms that are alike, before there is a script: it can define what calls the host and not call it, sees no clock and draws no random numbers. When it throws, every script of
   * its sandbox fails with what it threw.
   */
  readonly guestSource?: string;
}

/**
 * What a capability's `build` gets: the run it builds for. Own dependencies are closed over instead.
 *
 * With a `SandboxPool` what was built outlives its run. The fields are then those of the run that is going on: read them from the
 * context when they are needed, do not take them out of it early.
 */
export interface BuildContext {
  /** Ends with the run. */
  readonly signal: AbortSignal;
  /** The tenant, if the run has one. */
  readonly scope?: Scope;
  /** The session that the run extends. */
  readonly sessionId: string;
  /** The message that started the session, if any. */
  readonly messageId?: string;
  /** The invoking user; absent for runs that a system started. */
  readonly userId?: string;
  /** Names of the capabilities that may load; absent means all. */
  readonly enabledCapabilities?: readonly string[];
}

/** A named unit of functionality that a builder composes into a sandbox. */
export interface Capability {
  /** The name that an allowlist can hold. */
  readonly name: string;
  /** One line for a catalogue. */
  readonly description: string;
  /** Loads whatever the allowlist says. @default false */
  readonly alwaysOn?: boolean;
  /** Makes the packs. Returning none is fine. When it throws, the capability is left out with a warning. */
  readonly build: (context: BuildContext) => readonly Pack[] | Promise<readonly Pack[]>;
}

/** Limits of one execution. Each has its own message to the model that names the limit and the value. */
export interface SandboxLimits {
  /** Time that the script may compute, waits not counted, in ms. @default 10_000 */
  readonly guestTimeMs: number;
  /** Linear memory of the engine. @default 134_217_728 (128 MiB) */
  readonly memoryBytes: number;
  /** Stack of the engine. @default 131_072 (128 KiB): beyond it some overflows end the instance instead of the call */
  readonly stackBytes: number;
  /** Size of a script. @default 262_144 (256 KiB) */
  readonly sourceBytes: number;
  /** Log output of one turn, head and tail kept; below zero removes the cap. @default 16_384 (16 KiB) */
  readonly logBytes: number;
  /** What a turn may return. @default 8_388_608 (8 MiB) */
  readonly argsBytes: number;
  /** Host calls of one turn. @default 1_000 */
  readonly hostCalls: number;
  /** Arguments of one host call. @default 1_048_576 (1 MiB) */
  readonly callArgumentBytes: number;
  /** Result of one host call. @default 8_388_608 (8 MiB) */
  readonly callResultBytes: number;
}

/** The default of every limit. */
export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = {
  guestTimeMs: 10_000,
  memoryBytes: 128 * 1024 * 1024,
  stackBytes: 128 * 1024,
  sourceBytes: 256 * 1024,
  logBytes: 16 * 1024,
  argsBytes: 8 * 1024 * 1024,
  hostCalls: 1000,
  callArgumentBytes: 1024 * 1024,
  callResultBytes: 8 * 1024 * 1024,
};

/** A call out of a script, on its way to the gate. */
export interface HostCall {
  /** The function's name. */
  readonly name: string;
  /** Its arguments: JSON text of an array, within the limit. */
  readonly argsJson: string;
  /** Position of the call in its execution, from 0. */
  readonly sequence: number;
  /** Ends when the execution does. */
  readonly signal: AbortSignal;
}

/** A long text of a result, beside the JSON of the rest: so nobody has to quote it and read it again. Well-formed, and without a character 0. */
export interface ReplyText {
  /** The property of the result that has this value; in the JSON it is `null`. Left out when the text is all of the result: then there is no JSON. */
  readonly key?: string;
  /** The text. */
  readonly value: string;
}

/** The answer to a call: JSON text, a long text beside it or alone (neither for no value), or an error that the script can catch. */
export type HostReply =
  | { readonly ok: true; readonly json?: string; readonly text?: ReplyText }
  | { readonly ok: false; readonly name?: string; readonly message: string };

/** Answers calls. Must not throw and must settle when the call's signal ends. */
export type HostCallHandler = (call: HostCall) => Promise<HostReply>;

/** One script to run. */
export interface EvaluateRequest {
  /** The script: defines `run`. */
  readonly source: string;
  /** What `run` gets, as JSON text; absent means `undefined`. */
  readonly argsJson?: string;
  /** Where calls out of the script go. */
  readonly onCall: HostCallHandler;
  /**
   * Stands before each `sleep` of the script, which the sandbox answers itself: gives what `sleep()` gives, or a reply of its own without sleeping.
   *
   * @default the script sleeps
   */
  readonly onSleep?: (call: HostCall, sleep: () => Promise<HostReply>) => Promise<HostReply>;
  /** Seed of `Math.random`: a whole number of 32 bits. */
  readonly seed: number;
  /** The clock: read once at the start and once at each reply; between them the script's time stands still. */
  readonly now: () => Date;
  /** Ends the execution; the outcome is `cancelled`. */
  readonly signal?: AbortSignal;
}

/**
 * Why an execution did not end well. `time`, `memory`, `stack`, `syntax` (does not parse or defines no `run`), `threw`, `result` (what it returned is not JSON),
 * `limit` (one of the byte and count limits), `cancelled`, `lost` (its process was ended for a neighbour's sake, or died).
 */
export type FailureKind =
  | "time"
  | "memory"
  | "stack"
  | "syntax"
  | "threw"
  | "result"
  | "limit"
  | "cancelled"
  | "lost";

/** What the model is told of a failed execution. */
export interface ExecutionFailure {
  /** The kind of failure. */
  readonly kind: FailureKind;
  /** One or a few lines for the model, bounded, control characters escaped; names the limit and its value where there is one. */
  readonly message: string;
  /** Line in the model's own script, from 1, where known. */
  readonly line?: number;
}

/** How one execution ended. Always a value: nothing that a script does makes `evaluate` throw. */
export interface Execution {
  /** Absent when the script ended well. */
  readonly failure?: ExecutionFailure;
  /** What `run` returned, as JSON text; absent when it returned nothing or failed. */
  readonly valueJson?: string;
  /** What the first `answer(…)` was given, as JSON text; absent when it was not called. Stands even when the script failed later. */
  readonly answerJson?: string;
  /** What the script logged, capped. */
  readonly logs: string;
  /** What was changed to fit JSON (`$.when: Date stored as text`), at most 20 lines. */
  readonly notes: readonly string[];
  /** Time that the script computed, in ms. */
  readonly guestMs: number;
  /** Host calls that it made. */
  readonly hostCalls: number;
  /** The clock's readings, in ms since the epoch: the start and each reply. With the seed they make the turn repeatable. */
  readonly clockMs: readonly number[];
}

/** What one run executes its scripts in. Owned by the run, which disposes it. */
export interface Sandbox extends AsyncDisposable {
  /** Declarations of everything that scripts can call, for the system prompt; "" when there is nothing. */
  readonly prompt: string;
  /** What scripts can call, by name: the gate looks calls up here. */
  readonly functions: ReadonlyMap<string, HostFunction>;
  /** The limits in force. */
  readonly limits: SandboxLimits;
  /** Secrets that calls may use; absent when no pack brings any. */
  readonly secrets?: SecretSource;
  /**
   * Starts in the background what scripts will need; a failure to start shows in `evaluate`, which also starts what is missing. Called when the model
   * has been asked, and perhaps more than once.
   */
  warmUp?(): void;
  /**
   * Lets scripts call these too, from the next one on, in the place of what was added before; the gate finds them in `functions`. They stay until they are
   * replaced. Absent where a sandbox cannot grow.
   *
   * @throws {TypeError} when a name is no identifier, one that scripts need, or taken; nothing is changed then.
   */
  extend?(functions: readonly HostFunction[]): void;
  /**
   * Runs one script in a fresh realm.
   *
   * @throws {AgentLoopError} `sandbox_start` or `sandbox_permission` when no guest can be started at all.
   */
  evaluate(request: EvaluateRequest): Promise<Execution>;
}

/** What a builder is told of the run. */
export interface SandboxBuildRequest {
  /** The session. */
  readonly session: Session;
  /** The run. */
  readonly runId: string;
  /** The tenant, if the run has one. */
  readonly scope?: Scope;
  /** The invoking user. */
  readonly userId?: string;
  /** Ends with the run. */
  readonly signal: AbortSignal;
  /** Tells the run's listeners something, a warning above all. */
  readonly emit: (event: RunEventBody) => void;
}

/** Makes the sandbox of a run. Called once a run, before the model is asked: what takes long belongs into the sandbox's `warmUp`. */
export interface SandboxBuilder {
  /** Makes the sandbox of one run. */
  build(request: SandboxBuildRequest): Promise<Sandbox>;
}
