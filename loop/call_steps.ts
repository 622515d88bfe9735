/**
 * Calls of tools as steps of the trace: `llm_call` is a reply that called tools, its calls with it; `tool_call` says that one of them is made; `tool_result` is what
 * the model was told of it. A later run says them again in the shape in which they were said.
 */
import type { ModelToolCall, ToolArgumentsFault } from "../contracts/model.ts";
import type { RunStep } from "../contracts/step.ts";
import { type CallCost, stepCost } from "./call_cost.ts";
import { freezeWhole } from "./freeze_whole.ts";
import type { StepBody } from "./recorder.ts";

/** What the steps of calls keep beside the calls. */
export interface CallsOwner {
  /** The agent's name, where it has one. */
  readonly agent: string | undefined;
}

/** How a call ended, as its step keeps it. */
export interface KeptResult {
  readonly call: ModelToolCall;
  /** What the model is told. */
  readonly content: string;
  readonly ok: boolean;
  readonly durationMs: number;
  /** The whole result, where what the model is told is a part of it; `true` where it is kept beside the steps. */
  readonly whole?: string | true;
  /** The tools that were found by it, search by search. */
  readonly found?: readonly (readonly string[])[];
}

/** The step of a reply that called tools. */
export function callsStep(
  said: string,
  { calls, cost, agent }: CallsOwner & {
    readonly calls: readonly ModelToolCall[];
    readonly cost: CallCost;
  },
): StepBody {
  const kept = calls.map(({ id, name, argumentsJson, argumentsFault, providerMetadata }) => ({
    id,
    name,
    arguments: argumentsJson,
    ...(argumentsFault === undefined ? {} : { fault: argumentsFault }),
    ...(providerMetadata === undefined ? {} : { metadata: providerMetadata }),
  }));
  const { toolArgs, ...rest } = stepCost(cost);
  const more: object = toolArgs === undefined ? {} : JSON.parse(toolArgs);
  return {
    stepType: "llm_call",
    content: said,
    ...rest,
    toolArgs: JSON.stringify({ ...more, calls: kept, agent }),
  };
}

/** The step that says that a call is made. */
export function callStep(
  { id, name, argumentsJson }: ModelToolCall,
  { agent }: CallsOwner,
): StepBody {
  return {
    stepType: "tool_call",
    content: name,
    toolArgs: JSON.stringify({ call_id: id, arguments: argumentsJson, agent }),
  };
}

/** The step of a call's end. */
export function resultStep(
  { call, content, ok, durationMs, whole, found }: KeptResult,
  { agent }: CallsOwner,
): StepBody {
  const toolArgs = JSON.stringify({
    call_id: call.id,
    name: call.name,
    ok,
    ...(whole === undefined ? {} : { whole }),
    ...(found === undefined ? {} : { found }),
    agent,
  });
  return { stepType: "tool_result", content, toolArgs, durationMs };
}

/** The agent that a step of a call names, where it names one. */
export function agentOf(toolArgs: string | undefined): string | undefined {
  const agent = fieldOf(toolArgs, "agent");
  return typeof agent === "string" ? agent : undefined;
}

/** The calls of a reply's step, frozen whole; none where they cannot be read. */
export function callsOf(toolArgs: string | undefined): readonly ModelToolCall[] {
  const calls = fieldOf(toolArgs, "calls");
  if (!Array.isArray(calls)) return [];
  const read = calls.flatMap((call): ModelToolCall[] => {
    const { id, name, arguments: argumentsJson, fault, metadata } = call ?? {};
    if (typeof id !== "string" || typeof name !== "string") return [];
    return [{
      id,
      name,
      argumentsJson: String(argumentsJson),
      ...(isFault(fault) ? { argumentsFault: fault } : {}),
      ...(metadata === undefined ? {} : { providerMetadata: metadata }),
    }];
  });
  return freezeWhole(read);
}

/**
 * The calls as they are read from their step, without its being read. Nothing where only the step can tell: a client's own metadata may change, and what is no text is kept
 * in other words or not at all.
 */
export function keptCalls(
  calls: readonly ModelToolCall[],
): readonly ModelToolCall[] | undefined {
  const kept: ModelToolCall[] = [];
  for (const { id, name, argumentsJson, argumentsFault, providerMetadata } of calls) {
    const isText = [id, name, argumentsJson].every((part: unknown) => typeof part === "string");
    if (!isText || providerMetadata !== undefined) return undefined;
    const fault = isFault(argumentsFault) ? { argumentsFault } : {};
    kept.push(Object.freeze({ id, name, argumentsJson, ...fault }));
  }
  return Object.freeze(kept);
}

/** The id of the call that a result's step is about; "" where it cannot be read. */
export function callIdOf(toolArgs: string | undefined): string {
  const id = fieldOf(toolArgs, "call_id");
  return typeof id === "string" ? id : "";
}

/** The arguments of a call's step, as the text that the model wrote; "" where they cannot be read. */
export function writtenArguments(toolArgs: string | undefined): string {
  const text = fieldOf(toolArgs, "arguments");
  return typeof text === "string" ? text : "";
}

/** The whole result that a step keeps, where it keeps one itself. */
export function wholeOf(toolArgs: string | undefined): string | undefined {
  const whole = fieldOf(toolArgs, "whole");
  return typeof whole === "string" ? whole : undefined;
}

/** The tools that the step of a result or of a script's end says were found, search by search. */
export function searchesOf(
  { stepType, toolArgs }: Pick<RunStep, "stepType" | "toolArgs">,
): string[][] {
  if (stepType !== "tool_result" && stepType !== "execute_js_result") return [];
  if (toolArgs?.includes('"found":') !== true) return [];
  const found = fieldOf(toolArgs, "found");
  if (!Array.isArray(found)) return [];
  return found.map((names) =>
    Array.isArray(names) ? names.filter((name) => typeof name === "string") : []
  );
}

/** Whether a result is kept whole of which the step tells a part. */
export function keepsWhole(
  { stepType, toolArgs }: Pick<RunStep, "stepType" | "toolArgs">,
): boolean {
  if (stepType !== "tool_result" || toolArgs?.includes('"whole":') !== true) return false;
  const whole = fieldOf(toolArgs, "whole");
  return typeof whole === "string" || whole === true;
}

function isFault(value: unknown): value is ToolArgumentsFault {
  return value === "cut" || value === "malformed";
}

function fieldOf(json: string | undefined, name: string): unknown {
  try {
    return JSON.parse(json ?? "null")?.[name];
  } catch {
    return undefined;
  }
}
