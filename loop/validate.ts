/** Checks what callers hand in. Only a caller's mistake throws out of the loop, and it throws here, at once. */
import {
  DEFAULT_HISTORY_WINDOW,
  DEFAULT_MAX_ITERATIONS,
  DEFAULT_RUN_TIMEOUT_MS,
  type LoopConfig,
  type RunRequest,
} from "../contracts/loop.ts";
import { MAX_TIMER_MS } from "./call_life.ts";
import { DefaultPolicy } from "./policy.ts";

/** Parts of a configuration that have no default. */
type Optional = "model" | "approve" | "calls";

/** A configuration with every default filled in. */
export type LoopParts =
  & Required<Omit<LoopConfig, Optional>>
  & Pick<LoopConfig, Optional>;

/**
 * Checks a configuration and fills in its defaults.
 *
 * @throws {TypeError} when a part is missing or lacks a method.
 * @throws {RangeError} when a number is out of range.
 */
export function checkConfig(config: LoopConfig): LoopParts {
  if (typeof config !== "object" || config === null) {
    throw new TypeError(`createLoop: expected a configuration object, got ${nameOf(config)}`);
  }
  needMethods("createLoop", config, { llm: ["complete"] });
  needMethods("createLoop", config, { sessions: ["get", "updateData", "finalize"] });
  needMethods("createLoop", config, { steps: ["append", "lastN"] });
  needMethods("createLoop", config, { sandboxBuilder: ["build"] });
  const policy = config.policy ?? new DefaultPolicy();
  needMethods("createLoop", { policy }, { policy: ["check"] });
  checkFields("createLoop", { model: config.model }, "string");
  const { now, random, approve, calls } = config;
  checkFields("createLoop", { now, random, approve }, "function");
  if (calls !== undefined) needMethods("createLoop", config, { calls: ["startCall", "endCall"] });
  const historyWindow = config.historyWindow ?? DEFAULT_HISTORY_WINDOW;
  if (historyWindow !== Infinity) checkWhole("createLoop", { historyWindow }, 0);
  return {
    llm: config.llm,
    sessions: config.sessions,
    steps: config.steps,
    sandboxBuilder: config.sandboxBuilder,
    policy,
    ...(config.model === undefined ? {} : { model: config.model }),
    ...(approve === undefined ? {} : { approve }),
    approveAll: config.approveAll ?? false,
    ...(calls === undefined ? {} : { calls }),
    maxIterations: checkWhole("createLoop", {
      maxIterations: config.maxIterations ?? DEFAULT_MAX_ITERATIONS,
    }, 1),
    runTimeoutMs: checkMs("createLoop", {
      runTimeoutMs: config.runTimeoutMs ?? DEFAULT_RUN_TIMEOUT_MS,
    }),
    historyWindow,
    now: now ?? (() => new Date()),
    random: random ?? Math.random,
  };
}

/**
 * Checks a request.
 *
 * @throws {TypeError} when the session id or the message is missing, or a field has the wrong type.
 * @throws {RangeError} when a number is out of range.
 */
export function checkRequest(request: RunRequest): void {
  if (typeof request !== "object" || request === null) {
    throw new TypeError(`run: expected a request object, got ${nameOf(request)}`);
  }
  for (const field of ["sessionId", "message"] as const) {
    const text: unknown = request[field];
    if (typeof text !== "string" || text.trim() === "") {
      const got = typeof text === "string" ? "an empty text" : nameOf(text);
      throw new TypeError(`run: ${field} must be a text that is not empty, got ${got}`);
    }
  }
  const { context, turnContext, userId, model, onEvent, approve, signal, scope } = request;
  checkFields("run", { context, turnContext, userId, model }, "string");
  checkFields("run", { onEvent, approve }, "function");
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError(`run: signal must be an AbortSignal, got ${nameOf(signal)}`);
  }
  if (scope !== undefined && typeof scope?.workspaceId !== "string") {
    throw new TypeError("run: scope must have a workspaceId");
  }
  const { maxIterations, maxTokens, timeoutMs } = request;
  if (maxIterations !== undefined) checkWhole("run", { maxIterations }, 1);
  if (maxTokens !== undefined) checkWhole("run", { maxTokens }, 1);
  if (timeoutMs !== undefined) checkMs("run", { timeoutMs });
}

/** Demands that a part is there and has its methods. */
function needMethods(
  caller: string,
  parts: object,
  needed: { readonly [part: string]: readonly string[] },
): void {
  for (const [name, methods] of Object.entries(needed)) {
    const part: unknown = Reflect.get(parts, name);
    if (typeof part !== "object" || part === null) {
      throw new TypeError(`${caller}: ${name} is required, got ${nameOf(part)}`);
    }
    const missing = methods.filter((method) => typeof Reflect.get(part, method) !== "function");
    if (missing.length > 0) {
      throw new TypeError(`${caller}: ${name} lacks the method ${missing.join(" and ")}`);
    }
  }
}

/** Demands that fields, where they are given, are of a type. */
function checkFields(
  caller: string,
  fields: { readonly [name: string]: unknown },
  type: "string" | "function",
): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || typeof value === type) continue;
    throw new TypeError(`${caller}: ${name} must be a ${type}, got ${nameOf(value)}`);
  }
}

/** The one named number, which must be whole and at least `least`. */
function checkWhole(
  caller: string,
  named: { readonly [name: string]: number },
  least: number,
): number {
  const [name, value] = theOne(named);
  if (typeof value !== "number") {
    throw new TypeError(`${caller}: ${name} must be a number, got ${nameOf(value)}`);
  }
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(
      `${caller}: ${name} must be a whole number of at least ${least}, got ${value}`,
    );
  }
  return value;
}

/** The one named duration, which must be one that a timer can hold. */
function checkMs(caller: string, named: { readonly [name: string]: number }): number {
  const [name, value] = theOne(named);
  if (typeof value !== "number") {
    throw new TypeError(`${caller}: ${name} must be a number, got ${nameOf(value)}`);
  }
  if (!(value > 0 && value <= MAX_TIMER_MS)) {
    throw new RangeError(
      `${caller}: ${name} must be more than 0 and at most ${MAX_TIMER_MS} ms, got ${value}`,
    );
  }
  return value;
}

function theOne(named: { readonly [name: string]: number }): [string, number] {
  return Object.entries(named)[0] ?? ["value", NaN];
}

function nameOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
