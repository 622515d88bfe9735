/**
 * One attack as a test: a fresh lease on the host under test, the attack itself, and then what must hold after any of them: the next
 * script on the same lease works, and the process that ran the attack was kept or replaced as it should be.
 */
import assert from "node:assert/strict";
import type { Execution, FailureKind, SandboxLimits } from "../../contracts/sandbox.ts";
import type { GuestLease, SandboxHost } from "../../sandbox/host.ts";
import { evaluate, evaluateValue, takeLease, type TestRun } from "../sandbox/evaluation.ts";
import type { ProcessEntry } from "../sandbox/process_table.ts";
import { shareHost } from "../sandbox/shared_host.ts";

/** The host under test, and what may be expected of it. */
export interface SecuritySuite {
  /** Stands before the name of each test. */
  readonly name: string;
  createHost(): SandboxHost;
  /** Whether a guest that never reaches a poll can be ended. Attacks that only a kill can end are left out where not. */
  readonly canKill: boolean;
  /** The processes in which scripts run, as they are now. */
  readGuests(): Promise<readonly ProcessEntry[]>;
}

/** A suite with the host that most of its attacks share, started before the first. */
export interface StartedSuite extends SecuritySuite {
  /** The shared host; there while tests run. */
  sharedHost(): SandboxHost;
}

/** Sees to the shared host of a suite: made before its first test, gone after its last. */
export function startSuite(suite: SecuritySuite): StartedSuite {
  return { ...suite, sharedHost: shareHost(suite.createHost) };
}

/** Guest time of the attacks in ms: long enough for what is meant to end well. */
export const GUEST_TIME_MS = 250;
/** Memory of the attacks. */
export const MEMORY_BYTES = 32 * 1024 * 1024;
const LIMITS = { guestTimeMs: GUEST_TIME_MS, memoryBytes: MEMORY_BYTES };

/** What an attack works with. */
export interface Attack {
  readonly lease: GuestLease;
  /** Runs one script. */
  run(source: string, options?: TestRun): Promise<Execution>;
  /** Runs one script that must end well and gives what it returned. */
  value(source: string, options?: TestRun): Promise<unknown>;
  /** Runs one script that must fail in one of these ways; `pattern` is looked for in the message. */
  fails(
    source: string,
    kinds: FailureKind | readonly FailureKind[],
    pattern?: RegExp,
    options?: TestRun,
  ): Promise<Execution>;
  /** The most memory that a guest process held so far. */
  peakBytes(): Promise<number>;
}

/** How an attack differs from the usual. */
export interface AttackOptions {
  readonly limits?: Partial<SandboxLimits>;
  /** @default ["echo"] */
  readonly functions?: readonly string[];
  /** What becomes of the process: an attack that reaches a poll leaves it, one that does not costs it. @default "kept" */
  readonly process?: "kept" | "replaced" | "either";
  /** Only a kill ends it. @default false */
  readonly needsKill?: boolean;
  /** Runs on a host of its own: its memory is looked at. Those that may cost the process do so too. @default false */
  readonly ownHost?: boolean;
}

/** For scripts that are meant to end by themselves, on a loaded machine too. */
export const PATIENT: AttackOptions = { limits: { guestTimeMs: 10_000 } };

/** Defines the test of one attack. */
export function attack(
  suite: StartedSuite,
  name: string,
  options: AttackOptions,
  body: (attack: Attack) => Promise<void>,
): void {
  if (options.needsKill && !suite.canKill) return;
  Deno.test(`${suite.name}: ${name}`, async () => {
    const alone = options.ownHost === true || (options.process ?? "kept") !== "kept";
    await using host = alone ? suite.createHost() : lent(suite.sharedHost());
    await using lease = takeLease(host, {
      limits: { ...LIMITS, ...options.limits },
      ...(options.functions && { functions: options.functions }),
    });
    await assertWorks(lease);
    const before = await suite.readGuests();
    await body(createAttack(suite, lease));
    await assertWorks(lease);
    assertProcess(options.process ?? "kept", before, await suite.readGuests());
  });
}

/** A host that its user does not end. */
function lent(host: SandboxHost): SandboxHost {
  return {
    lease: (options) => host.lease(options),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function createAttack(suite: SecuritySuite, lease: GuestLease): Attack {
  return {
    lease,
    run: (source, options) => evaluate(lease, source, options),
    value: (source, options) => evaluateValue(lease, source, options),
    async fails(source, kinds, pattern, options) {
      const execution = await evaluate(lease, source, options);
      assertFailure(execution, kinds, pattern);
      return execution;
    },
    async peakBytes() {
      const guests = await suite.readGuests();
      return Math.max(...guests.map((guest) => guest.peakBytes));
    },
  };
}

/** Holds an outcome to kinds of failure and to what its message says. */
export function assertFailure(
  execution: Execution,
  kinds: FailureKind | readonly FailureKind[],
  pattern: RegExp = /./,
): void {
  const { failure } = execution;
  assert.ok(failure, `ended well, with ${execution.valueJson?.slice(0, 200)}`);
  const allowed = typeof kinds === "string" ? [kinds] : kinds;
  assert.ok(
    allowed.includes(failure.kind),
    `${failure.kind} (${failure.message}), not ${allowed.join(" or ")}`,
  );
  assert.match(failure.message, pattern);
  assert.ok(failure.message.length <= 3000, `the message has ${failure.message.length} characters`);
  // deno-lint-ignore no-control-regex -- control characters are what must not be there
  assert.doesNotMatch(failure.message, /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  assert.equal(execution.valueJson, undefined);
}

/** The message of each limit of the usual attack. */
export const OVER_TIME: RegExp = new RegExp(`limit of ${GUEST_TIME_MS} ms`);
/** The message of the memory limit. */
export const OVER_MEMORY: RegExp = /memory limit of 32 MiB/;
/** The message of the stack limit. */
export const OVER_STACK: RegExp = /stack limit of 128 KiB/;

/** Fresh realm, arguments, a host call, a log and a value. */
async function assertWorks(lease: GuestLease): Promise<void> {
  const execution = await evaluate(
    lease,
    'function run(args) { log("next", typeof leftover); return echo(args.n) + 1; }',
    { args: { n: 41 } },
  );
  assert.deepEqual(
    { failure: execution.failure, value: execution.valueJson, logs: execution.logs },
    { failure: undefined, value: "42", logs: "next undefined" },
  );
}

function assertProcess(
  expected: "kept" | "replaced" | "either",
  before: readonly ProcessEntry[],
  after: readonly ProcessEntry[],
): void {
  assert.equal(after.length, before.length, "as many processes after the attack as before");
  if (expected === "either") return;
  const known = new Set(before.map(({ pid, startTicks }) => `${pid} ${startTicks}`));
  const kept = after.every(({ pid, startTicks }) => known.has(`${pid} ${startTicks}`));
  assert.equal(kept ? "kept" : "replaced", expected);
}
