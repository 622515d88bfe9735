/**
 * The only road from a script's call to a host function. Every call passes the same stations in the same order: quota, policy, approval,
 * audit row, the function, audit row, event. What a station refuses goes no further; the script gets an error that it can catch.
 */
import type { JsonValue } from "../contracts/json.ts";
import type { CallAim } from "../contracts/policy.ts";
import type { HostCall, HostCallHandler, HostReply } from "../contracts/sandbox.ts";
import { openRow, unwritten } from "./audit.ts";
import { aimOf, withArguments } from "./call_aim.ts";
import { CallLife } from "./call_life.ts";
import { invokeHostFunction } from "./host_call.ts";
import { judge, type Verdict } from "./judge.ts";
import {
  type CallEnd,
  type CallOutcome,
  cancelled,
  fail,
  type GateOptions,
  type Passage,
  refused,
  shown,
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
    const { end, aim } = "outcome" in passage ? { end: passage } : await pass(passage, options);
    // Nothing came of it yet; that it waits is told by whoever ends the run.
    if ("state" in passage && passage.state.waits) return end.reply;
    const target = aim?.target;
    const durationMs = options.now().getTime() - startedAt;
    const error = end.reply.ok ? undefined : end.reply.message;
    tell(options, { name: shown(call.name), outcome: end.outcome, durationMs, target, error });
    return end.reply;
  };
}

/** How a call ended, and what it was aimed at in the end. */
interface Passed {
  readonly end: CallEnd;
  readonly aim?: CallAim | undefined;
}

/** The stations of a call whose quota is left. */
async function pass(asked: Passage, options: GateOptions): Promise<Passed> {
  const verdict = await judge(asked, asked.aim, options);
  if (verdict === undefined) return { end: cancelled(asked.call.name), aim: asked.aim };
  const passage = verdict.decision === "changed" ? withArguments(asked, verdict.args) : asked;
  const { aim } = passage;
  if (options.begin !== undefined && !await options.begin(passage.call)) {
    return { end: cancelled(asked.call.name), aim };
  }
  try {
    const { calls } = options;
    const row = calls && await openRow(passage, { decision: verdict.decision, calls }, options);
    const end = await goThrough(passage, verdict, options);
    await row?.close(end);
    for (const each of passage.further) await each.close(end);
    return { end, aim };
  } catch (error) {
    return { end: unwritten(error), aim };
  }
}

/** The function itself, for a call that may happen. */
function goThrough(
  passage: Passage,
  verdict: Verdict,
  options: GateOptions,
): CallEnd | Promise<CallEnd> {
  const { call, aim } = passage;
  if (verdict.decision === "denied") return refused(call.name, aim, verdict.reason);
  if (verdict.decision === "changed") {
    options.note(`the user changed the arguments of ${call.name} to ${clipped(verdict.args)}`);
  }
  return invokeHostFunction(passage, options);
}

function clipped(args: readonly JsonValue[]): string {
  const text = JSON.stringify(args);
  return text.length <= 500 ? text : `${text.slice(0, 500).toWellFormed()}…`;
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
  const aim = aimOf(hostFunction, args);
  return {
    call,
    life,
    hostFunction,
    args,
    ...(aim === undefined ? {} : { aim }),
    approved: new Set(),
    further: [],
    state: { waits: false },
  };
}

function parseArguments(json: string): readonly JsonValue[] | undefined {
  try {
    const args: unknown = JSON.parse(json);
    return Array.isArray(args) ? args : undefined;
  } catch {
    return undefined;
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
  call: {
    readonly name: string;
    readonly outcome: CallOutcome;
    readonly durationMs: number;
    readonly target?: string | undefined;
    readonly error?: string | undefined;
  },
): void {
  emit({
    type: "sandbox_event",
    args: {
      kind: "host_call",
      name: call.name,
      outcome: call.outcome,
      duration_ms: call.durationMs,
      ...(call.target === undefined ? {} : { target: call.target }),
      ...(call.error === undefined ? {} : { error: call.error }),
    },
  });
}
