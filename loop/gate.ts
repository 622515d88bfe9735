/**
 * The only road from a script's call to a host function. Every call passes the same stations in the same order: quota, policy, the function,
 * event. What a station refuses goes no further; the script gets an error that it can catch.
 */
import type { JsonValue } from "../contracts/json.ts";
import type { PolicyDecision } from "../contracts/policy.ts";
import type { HostCall, HostCallHandler, HostFunction, HostReply } from "../contracts/sandbox.ts";
import { CallLife } from "./call_life.ts";
import { cleanError } from "./clean_error.ts";
import { invokeHostFunction } from "./host_call.ts";
import {
  type CallEnd,
  type CallOutcome,
  cancelled,
  fail,
  type GateOptions,
  type Passage,
} from "./passage.ts";
import { utf8Bytes } from "./utf8.ts";

/**
 * Opens the gate for one turn: the handler that the sandbox hands the turn's calls to. It counts the calls of its turn, never throws, and
 * settles at the latest when the call's signal or the run's ends.
 */
export function openGate(options: GateOptions): HostCallHandler {
  const quota = { left: options.limits.hostCalls };
  return async (call) => {
    if (quota.left <= 0) return quotaReply(options, { call, first: quota.left-- === 0 });
    quota.left--;
    const startedAt = options.now().getTime();
    using life = new CallLife([options.signal, call.signal]);
    const passage = readCall({ call, life }, options);
    const end = "outcome" in passage ? passage : await pass(passage, options);
    const target = "outcome" in passage ? undefined : passage.target;
    const durationMs = options.now().getTime() - startedAt;
    tell(options, { name: shown(call.name), outcome: end.outcome, durationMs, target });
    return end.reply;
  };
}

/** The stations of a call whose quota is left. */
async function pass(passage: Passage, options: GateOptions): Promise<CallEnd> {
  return await askPolicy(passage, options) ?? await invokeHostFunction(passage, options);
}

/** Finds the function and reads the arguments of a call. */
function readCall(
  { call, life }: Pick<Passage, "call" | "life">,
  { functions, limits }: GateOptions,
): Passage | CallEnd {
  const hostFunction = functions.get(call.name);
  if (hostFunction === undefined) {
    const names = [...functions.keys()].slice(0, 40).join(", ");
    return fail(
      "unknown",
      `there is no function ${shown(call.name)}; there is: ${names || "none"}`,
    );
  }
  const bytes = utf8Bytes(call.argsJson);
  if (bytes > limits.callArgumentBytes) {
    return fail(
      "too_large",
      `${call.name}: the arguments are ${bytes} bytes of JSON, the limit is ${limits.callArgumentBytes}`,
    );
  }
  const args = parseArguments(call.argsJson);
  if (args === undefined) {
    return fail("bad_arguments", `${call.name}: the arguments are not a list in JSON`);
  }
  const target = targetOf(hostFunction, args);
  return { call, life, hostFunction, args, ...(target === undefined ? {} : { target }) };
}

function parseArguments(json: string): readonly JsonValue[] | undefined {
  try {
    const args: unknown = JSON.parse(json);
    return Array.isArray(args) ? args : undefined;
  } catch {
    return undefined;
  }
}

function targetOf(hostFunction: HostFunction, args: readonly JsonValue[]): string | undefined {
  try {
    return hostFunction.target?.(args);
  } catch {
    // An aim that cannot be told is for the policy to judge.
    return undefined;
  }
}

/** Asks the policy; nothing when the call may go on. */
async function askPolicy(passage: Passage, options: GateOptions): Promise<CallEnd | undefined> {
  const { call, target } = passage;
  const decision = await decide(passage, options);
  if (decision === undefined) return cancelled(call.name);
  if (decision.decision === "allow") return undefined;
  const why = decision.decision === "deny"
    ? decision.reason
    : `it needs an approval that nobody is here to give: ${decision.reason}`;
  const aim = target === undefined ? "" : ` (${shown(target)})`;
  return fail(
    "refused",
    `${call.name}${aim} is refused: ${why}. Do not try it again in this run.`,
    {
      name: "PermissionError",
    },
  );
}

/** The policy's word on a call; nothing when the script or the run ended first. A policy that throws has refused. */
async function decide(passage: Passage, options: GateOptions): Promise<PolicyDecision | undefined> {
  const { call, hostFunction, args, target, life } = passage;
  const { policy, scope, sessionId } = options;
  try {
    const decision = policy.check({
      name: call.name,
      ...(target === undefined ? {} : { target }),
      args,
      sideEffect: hostFunction.sideEffect ?? false,
      ...(scope === undefined ? {} : { scope }),
      sessionId,
    });
    const wait = await life.wait(decision);
    return wait.kind === "settled" ? wait.value : undefined;
  } catch (error) {
    return { decision: "deny", reason: `the policy failed: ${cleanError(error).message}` };
  }
}

/** Refuses a call beyond the quota. Listeners hear of the first one only: a script can make a million. */
function quotaReply(
  options: GateOptions,
  { call, first }: { readonly call: HostCall; readonly first: boolean },
): HostReply {
  if (first) tell(options, { name: call.name, outcome: "quota", durationMs: 0 });
  const max = options.limits.hostCalls;
  return { ok: false, message: `a turn may make ${max} host calls (hostCalls), and has made them` };
}

/** Tells listeners of a call. */
function tell(
  { emit }: GateOptions,
  call: { name: string; outcome: CallOutcome; durationMs: number; target?: string | undefined },
): void {
  emit({
    type: "sandbox_event",
    args: {
      kind: "host_call",
      name: call.name,
      outcome: call.outcome,
      duration_ms: call.durationMs,
      ...(call.target === undefined ? {} : { target: call.target }),
    },
  });
}

/** A text of the script's own, short enough to stand in a message. */
function shown(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100).toWellFormed()}…`;
}
