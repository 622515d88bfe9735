/** What the tests of the gate share: a gate around one function, what it told, and calls to it. */
import type { RunEventBody } from "../contracts/event.ts";
import type { JsonValue } from "../contracts/json.ts";
import {
  DEFAULT_SANDBOX_LIMITS,
  type HostFunction,
  type HostReply,
  type SandboxLimits,
} from "../contracts/sandbox.ts";
import { openGate } from "./gate.ts";
import type { GateOptions } from "./passage.ts";
import { AllowAll } from "./policy.ts";

/** A gate under test. */
export interface TestGate {
  /** Calls the function named `f`, or another. */
  call(
    args?: readonly JsonValue[],
    more?: { name?: string; signal?: AbortSignal },
  ): Promise<HostReply>;
  /** Calls with arguments that may be anything. */
  callRaw(argsJson: string): Promise<HostReply>;
  /** The arguments of every event that the gate told, the error left out. */
  readonly told: unknown[];
  /** The errors in those events. */
  readonly toldErrors: unknown[];
}

/** Opens a gate whose scripts can call `f`, which does what `execute` does. */
export function testGate(
  execute: HostFunction["execute"],
  options:
    & Partial<Omit<GateOptions, "limits">>
    & { limits?: Partial<SandboxLimits>; function?: Partial<HostFunction> } = {},
): TestGate {
  const told: unknown[] = [];
  const toldErrors: unknown[] = [];
  const hostFunction: HostFunction = { name: "f", execute, ...options.function };
  const handler = openGate({
    functions: new Map([["f", hostFunction]]),
    policy: new AllowAll(),
    signal: new AbortController().signal,
    runId: "r",
    sessionId: "s",
    emit(event: RunEventBody) {
      const args: Record<string, unknown> = "args" in event ? Object(event.args) : { ...event };
      const { error, ...rest } = args;
      told.push(rest);
      if (error !== undefined) toldErrors.push(error);
    },
    now: () => new Date(0),
    turn: 1,
    approveAll: false,
    note: () => {},
    reserve: () => ({ [Symbol.dispose]() {} }),
    spend: () => {},
    redact: (text) => text,
    pauseWall: () => ({ [Symbol.dispose]: () => {} }),
    ...options,
    limits: { ...DEFAULT_SANDBOX_LIMITS, ...options.limits },
  });
  let sequence = 0;
  const signal = new AbortController().signal;
  return {
    call: (args = [], more = {}) =>
      handler({ name: "f", argsJson: JSON.stringify(args), sequence: sequence++, signal, ...more }),
    callRaw: (argsJson) => handler({ name: "f", argsJson, sequence: sequence++, signal }),
    told,
    toldErrors,
  };
}

/** The message of a reply that must be an error. */
export function errorOf(reply: HostReply): string {
  if (reply.ok) throw new Error(`expected an error, got ${reply.json}`);
  return `${reply.name ?? "Error"}: ${reply.message}`;
}
