/** Checks what callers hand in. Only a caller's mistake throws out of the loop, and it throws here, at once. */
import { refuseUnknown } from "../contracts/known_names.ts";
import {
  DEFAULT_HISTORY_WINDOW,
  DEFAULT_MAX_ITERATIONS,
  DEFAULT_RUN_TIMEOUT_MS,
  DEFAULT_TOOL_ITERATIONS,
  type LoopConfig,
  type LoopProtocol,
  type ResumeRequest,
  type RunRequest,
} from "../contracts/loop.ts";
import { checkYes } from "./answer_checks.ts";
import { checkFields, checkMs, checkWhole, nameOf, needMethods } from "./argument_checks.ts";
import { isJsonList } from "./json_list.ts";
import { checkOptionNames, checkRequestNames } from "./known_options.ts";
import { checkBudget, checkLimits, checkPrices, checkScopeLimits } from "./limit_checks.ts";
import { DefaultPolicy } from "./policy.ts";

/** Parts of a configuration that have no default. */
type Optional =
  | "agent"
  | "model"
  | "approve"
  | "calls"
  | "compactor"
  | "contextBudget"
  | "scopeLimits"
  | "ledger"
  | "prices"
  | "events"
  | "memory"
  | "redactor"
  | "results"
  | "reviewAnswer"
  | "sandboxBuilder"
  | "tools"
  | "toolExpander"
  | "tracer";

const PROTOCOLS: readonly LoopProtocol[] = ["code", "code-tool", "auto", "tools"];

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
  checkOptionNames(config);
  needMethods("createLoop", config, { llm: ["complete"] });
  needMethods("createLoop", config, { sessions: ["get", "updateData", "finalize"] });
  needMethods("createLoop", config, { steps: ["append", "lastN"] });
  const { protocol = "code", tools, sandboxBuilder } = config;
  if (!PROTOCOLS.includes(protocol)) {
    throw new TypeError(
      `createLoop: protocol must be one of ${PROTOCOLS.join(", ")}, got ${
        JSON.stringify(protocol)
      }`,
    );
  }
  if (protocol !== "tools" || sandboxBuilder !== undefined) {
    needMethods("createLoop", config, { sandboxBuilder: ["build"] });
  }
  if (tools !== undefined) needMethods("createLoop", config, { tools: ["callable"] });
  const policy = config.policy ?? new DefaultPolicy();
  needMethods("createLoop", { policy }, { policy: ["check"] });
  checkFields("createLoop", { model: config.model }, "string");
  checkAgent("createLoop", config.agent);
  const { now, random, approve, calls } = config;
  checkFields("createLoop", { now, random, approve }, "function");
  if (calls !== undefined) needMethods("createLoop", config, { calls: ["startCall", "endCall"] });
  checkReview(config);
  checkAddedParts(config);
  const historyWindow = config.historyWindow ?? DEFAULT_HISTORY_WINDOW;
  if (historyWindow !== Infinity) checkWhole("createLoop", { historyWindow }, 0);
  return {
    llm: config.llm,
    sessions: config.sessions,
    steps: config.steps,
    protocol,
    ...(sandboxBuilder === undefined ? {} : { sandboxBuilder }),
    ...(tools === undefined ? {} : { tools }),
    policy,
    ...(config.model === undefined ? {} : { model: config.model }),
    ...(config.agent === undefined ? {} : { agent: config.agent }),
    ...(approve === undefined ? {} : { approve }),
    approveAll: config.approveAll ?? false,
    ...(calls === undefined ? {} : { calls }),
    ...givenParts(config),
    forceFinalText: config.forceFinalText ?? protocol === "tools",
    limits: config.limits ?? {},
    maxIterations: checkWhole("createLoop", {
      maxIterations: config.maxIterations ??
        (protocol === "tools" ? DEFAULT_TOOL_ITERATIONS : DEFAULT_MAX_ITERATIONS),
    }, 1),
    runTimeoutMs: checkMs("createLoop", {
      runTimeoutMs: config.runTimeoutMs ?? DEFAULT_RUN_TIMEOUT_MS,
    }),
    historyWindow,
    now: now ?? (() => new Date()),
    random: random ?? Math.random,
  };
}

/** Longer names of agents are no names: each event and step repeats them. */
const MAX_AGENT_LENGTH = 128;

function checkAgent(caller: string, agent: string | undefined): void {
  checkFields(caller, { agent }, "string");
  if (agent === undefined || (agent.trim() !== "" && agent.length <= MAX_AGENT_LENGTH)) return;
  throw new TypeError(
    `${caller}: agent must be a name of 1 to ${MAX_AGENT_LENGTH} characters, got ${agent.length}`,
  );
}

function checkReview({ reviewAnswer, calls, forceFinalText }: LoopConfig): void {
  if (forceFinalText !== undefined && typeof forceFinalText !== "boolean") {
    throw new TypeError(
      `createLoop: forceFinalText must be true or false, got ${nameOf(forceFinalText)}`,
    );
  }
  checkFields("createLoop", { reviewAnswer }, "function");
  if (reviewAnswer === undefined) return;
  if (calls === undefined) {
    throw new TypeError("createLoop: reviewAnswer needs calls, the log that it is to look into");
  }
  needMethods("createLoop", { calls }, { calls: ["calls"] });
}

/** Checks the parts that a loop can do without. */
function checkAddedParts(config: LoopConfig): void {
  const {
    compactor,
    contextBudget,
    limits,
    scopeLimits,
    ledger,
    memory,
    prices,
    redactor,
    tracer,
  } = config;
  checkMemory(memory);
  if (config.toolExpander !== undefined) {
    needMethods("createLoop", config, { toolExpander: ["expand"] });
  }
  if (config.events !== undefined) {
    needMethods("createLoop", config, { events: ["append", "version"] });
  }
  const results = config.results ?? config.steps.results;
  if (results !== undefined) {
    needMethods("createLoop", { results }, { results: ["keepResult", "readResult"] });
  }
  if (compactor !== undefined) needMethods("createLoop", config, { compactor: ["compact"] });
  if (ledger !== undefined) {
    needMethods("createLoop", config, { ledger: ["addSpend", "spendSince"] });
  }
  if (redactor !== undefined) needMethods("createLoop", config, { redactor: ["redact", "stream"] });
  if (tracer !== undefined) needMethods("createLoop", config, { tracer: ["start"] });
  checkBudget("createLoop", contextBudget);
  checkLimits("createLoop", limits);
  checkScopeLimits("createLoop", { scopeLimits, ledger });
  checkPrices("createLoop", prices);
}

function checkMemory(memory: LoopConfig["memory"]): void {
  if (memory === undefined) return;
  if (typeof memory !== "object" || memory === null) {
    throw new TypeError(`createLoop: memory must be an object, got ${nameOf(memory)}`);
  }
  refuseUnknown("createLoop: memory", memory, { sink: true, distill: true, facts: true });
  const { sink, distill, facts } = memory;
  if (sink !== undefined) needMethods("createLoop: memory", memory, { sink: ["addMessage"] });
  checkFields("createLoop", { "memory.distill": distill }, "function");
  if (distill !== undefined || facts !== undefined) {
    needMethods("createLoop: memory", memory, { facts: ["remember"] });
  }
}

/** Those of these parts that are there. */
function givenParts(config: LoopConfig): Pick<LoopConfig, Optional> {
  const { compactor, contextBudget, scopeLimits, ledger, memory, prices, redactor, tracer } =
    config;
  const { events, reviewAnswer, toolExpander } = config;
  const results = config.results ?? config.steps.results;
  const parts = {
    compactor,
    contextBudget,
    events,
    scopeLimits,
    ledger,
    memory,
    prices,
    redactor,
    results,
    reviewAnswer,
    toolExpander,
    tracer,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}

/**
 * Checks a request.
 *
 * @throws {TypeError} when the session id or the message is missing, or a field has the wrong type.
 * @throws {RangeError} when a number is out of range.
 */
export function checkRequest(
  request: RunRequest,
  { protocol, tools, toolExpander, memory }: Pick<
    LoopParts,
    "protocol" | "tools" | "toolExpander" | "memory"
  >,
): void {
  if (typeof request !== "object" || request === null) {
    throw new TypeError(`run: expected a request object, got ${nameOf(request)}`);
  }
  checkRequestNames(request);
  for (const field of ["sessionId", "message"] as const) {
    const text: unknown = request[field];
    if (typeof text !== "string" || text.trim() === "") {
      const got = typeof text === "string" ? "an empty text" : nameOf(text);
      throw new TypeError(`run: ${field} must be a text that is not empty, got ${got}`);
    }
  }
  const { context, turnContext, userId, model, onEvent, approve, signal, scope } = request;
  checkFields("run", { context, turnContext, userId, model }, "string");
  checkAgent("run", request.agent);
  checkFields("run", { onEvent, approve }, "function");
  if (request.memory !== undefined && typeof request.memory !== "boolean") {
    throw new TypeError(`run: memory must be true or false, got ${nameOf(request.memory)}`);
  }
  if (request.memory === true && memory === undefined) {
    throw new TypeError("run: memory needs the option memory of createLoop");
  }
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
  checkLimits("run", request.limits);
  if (request.tools !== undefined) needMethods("run", request, { tools: ["callable"] });
  if (request.toolExpander !== undefined) {
    needMethods("run", request, { toolExpander: ["expand"] });
  }
  const given = request.tools ?? tools ?? request.toolExpander ?? toolExpander;
  if (protocol === "tools" && given === undefined) {
    throw new TypeError("run: the protocol tools needs tools, in the request or in createLoop");
  }
}

/**
 * Checks a word on a call that waits.
 *
 * @throws {TypeError} when it is none, and as for any request.
 */
export function checkResume(
  { decision, callId, ...request }: ResumeRequest,
  parts: Pick<LoopParts, "protocol" | "tools" | "memory">,
): void {
  const word: unknown = decision?.decision;
  if (word !== "approve" && word !== "deny") {
    throw new TypeError(
      `resume: decision must be { decision: "approve" } or { decision: "deny" }, got ${
        nameOf(decision)
      }`,
    );
  }
  if (word === "approve") checkYes("resume: decision", decision);
  const args: unknown = "args" in decision ? decision.args : undefined;
  if (args !== undefined && !isJsonList(args)) {
    throw new TypeError(
      `resume: decision.args must be a list of values in JSON, such as [{ "to": "x" }], got ${
        nameOf(args)
      }`,
    );
  }
  checkFields("resume", { callId }, "string");
  checkRequest({ ...request, message: "resumed" }, parts);
}
