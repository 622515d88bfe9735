/**
 * What tests of the sandbox share: a lease with chosen limits, and one script run on it with plain functions as its host functions.
 */
import {
  DEFAULT_SANDBOX_LIMITS,
  type Execution,
  type HostCall,
  type HostReply,
  type SandboxLimits,
} from "../../contracts/sandbox.ts";
import type { GuestLease, LeaseOptions, SandboxHost } from "../../sandbox/host.ts";

/** How a test's lease differs from the usual. */
export interface TestLease {
  /** @default the documented defaults */
  readonly limits?: Partial<SandboxLimits>;
  /** Names of host functions. @default ["echo"] */
  readonly functions?: readonly string[];
  /** Code that dresses them. @default none */
  readonly guestSource?: string;
  /** @default "test" */
  readonly scopeKey?: string;
}

/** Takes a lease on a host. */
export function takeLease(host: SandboxHost, options: TestLease = {}): GuestLease {
  const { functions = ["echo"], guestSource, scopeKey = "test" } = options;
  const leaseOptions: LeaseOptions = {
    scopeKey,
    limits: { ...DEFAULT_SANDBOX_LIMITS, ...options.limits },
    packs: [{ functions, ...(guestSource !== undefined && { source: guestSource }) }],
  };
  return host.lease(leaseOptions);
}

/** A host function of a test. */
// deno-lint-ignore no-explicit-any -- arguments are whatever the script sent
export type TestFunction = (...args: any[]) => unknown;

/** How one script is run. */
export interface TestRun {
  /** What `run` gets; left out for `undefined`. */
  readonly args?: unknown;
  /** The same as text, for what no value gives. */
  readonly argsJson?: string;
  /** Host functions beside `echo`, which gives back its first argument. */
  readonly functions?: Readonly<Record<string, TestFunction>>;
  /** Answers calls in the place of `functions`. */
  readonly onCall?: (call: HostCall) => Promise<HostReply>;
  /** @default 1 */
  readonly seed?: number;
  /** @default a clock that stands at 1,000 ms */
  readonly now?: () => Date;
  readonly signal?: AbortSignal;
}

/** Runs one script. */
export function evaluate(
  lease: GuestLease,
  source: string,
  options: TestRun = {},
): Promise<Execution> {
  const argsJson = options.args === undefined ? options.argsJson : JSON.stringify(options.args);
  return lease.evaluate({
    source,
    ...(argsJson !== undefined && { argsJson }),
    seed: options.seed ?? 1,
    now: options.now ?? (() => new Date(1000)),
    onCall: options.onCall ?? answerWith({ echo: (value) => value, ...options.functions }),
    ...(options.signal && { signal: options.signal }),
  });
}

/** Runs a script that is expected to end well and gives what it returned. */
export async function evaluateValue(
  lease: GuestLease,
  source: string,
  options: TestRun = {},
): Promise<unknown> {
  const { failure, valueJson } = await evaluate(lease, source, options);
  if (failure !== undefined) throw new Error(`${failure.kind}: ${failure.message}`);
  return valueJson === undefined ? undefined : JSON.parse(valueJson);
}

/** A handler that answers with plain functions. */
export function answerWith(
  functions: Readonly<Record<string, TestFunction>>,
): (call: HostCall) => Promise<HostReply> {
  return async ({ name, argsJson }) => {
    try {
      const json = JSON.stringify(await functions[name]!(...JSON.parse(argsJson)));
      return json === undefined ? { ok: true } : { ok: true, json };
    } catch (error) {
      const { name, message } = error as Error;
      return { ok: false, name, message };
    }
  };
}

/** A call that is answered when the test says so. */
export interface HeldCalls {
  readonly onCall: (call: HostCall) => Promise<HostReply>;
  /** Resolves when `count` calls are waiting. */
  arrived(count: number): Promise<void>;
  /** Answers every call that waits, in the order of arrival or the reverse. */
  answerAll(options?: { readonly reversed?: boolean }): void;
  readonly waiting: number;
}

/** Makes a handler that holds every call back; it answers with the call's first argument. */
export function holdCalls(): HeldCalls {
  const held: (() => void)[] = [];
  const watchers: { count: number; resolve: () => void }[] = [];
  return {
    onCall: ({ argsJson, signal }) =>
      new Promise((resolve) => {
        const json = JSON.stringify(JSON.parse(argsJson)[0]);
        const answer = (): void => resolve(json === undefined ? { ok: true } : { ok: true, json });
        signal.addEventListener("abort", answer);
        held.push(answer);
        for (const watcher of watchers) if (held.length >= watcher.count) watcher.resolve();
      }),
    arrived(count) {
      if (held.length >= count) return Promise.resolve();
      return new Promise((resolve) => watchers.push({ count, resolve }));
    },
    answerAll({ reversed = false } = {}) {
      const all = held.splice(0);
      for (const answer of reversed ? all.reverse() : all) answer();
    },
    get waiting() {
      return held.length;
    },
  };
}

/** The outcome, or an error when it has not come for a time in which it must: a test that waits for ever tells nothing. */
export async function inTime<T>(promise: Promise<T>, what: string, boundMs = 15_000): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`Not in ${boundMs / 1000} s: ${what}.`)),
    boundMs,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
