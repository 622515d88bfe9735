/**
 * Checks of the sandbox: that a script runs, and that the walls around it stand. Each wall is tried with something that has to be stopped by it.
 */
import {
  DEFAULT_SANDBOX_LIMITS,
  type Execution,
  type Sandbox,
  type SandboxLimits,
} from "../../contracts/sandbox.ts";
import { checkMayStart } from "../../sandbox/guest_command.ts";
import { describeFailure, messageOf } from "../failure.ts";
import { formatBytes, formatDuration } from "../units.ts";
import type { CheckResult } from "./checks.ts";
import { probePermissions } from "./permission_probe.ts";

/** Smaller than what a run gets, so that the walls are reached soon. */
const TRIAL_LIMITS: Partial<SandboxLimits> = { guestTimeMs: 300, memoryBytes: 32 * 1024 * 1024 };

/** The checks one after the other; the sandbox is ended before the last one is handed out. */
export async function* checkSandbox(signal: AbortSignal): AsyncGenerator<CheckResult> {
  try {
    checkMayStart();
  } catch (error) {
    yield { name: "sandbox", state: "failed", detail: describeFailure(error).message };
    return;
  }
  const { DefaultSandboxBuilder } = await import("../../sandbox/default_builder.ts");
  const startedAt = performance.now();
  await using builder = new DefaultSandboxBuilder({ limits: TRIAL_LIMITS });
  await using sandbox = await builder.build({
    session: { id: "doctor" },
    runId: "doctor",
    signal,
    emit: () => {},
  });
  try {
    const execution = await evaluate(sandbox, "function run() { return 6 * 7; }", signal);
    const took = performance.now() - startedAt;
    if (execution.valueJson !== "42") {
      const why = execution.failure?.message ?? `a script returned ${execution.valueJson}`;
      yield { name: "sandbox", state: "failed", detail: why };
      return;
    }
    yield {
      name: "sandbox",
      state: "ok",
      detail: `a script ran, ${formatDuration(took)} after a cold start`,
      data: { duration_ms: Math.round(took) },
    };
  } catch (error) {
    signal.throwIfAborted();
    yield { name: "sandbox", state: "failed", detail: describeFailure(error).message };
    return;
  }
  yield await checkProcess(signal);
  yield await checkMemory(sandbox, signal);
  yield await checkTime(sandbox, signal);
}

async function checkProcess(signal: AbortSignal): Promise<CheckResult> {
  const name = "process";
  try {
    const probe = await probePermissions(signal);
    if (probe === undefined) {
      return { name, state: "skipped", detail: "cannot be tried from a compiled program" };
    }
    return probe.open.length === 0
      ? { name, state: "ok", detail: `refuses ${probe.tried.join(", ")} (each was tried)` }
      : {
        name,
        state: "failed",
        detail: `the process of a script may do what it should not: ${probe.open.join(", ")}`,
      };
  } catch (error) {
    signal.throwIfAborted();
    return { name, state: "failed", detail: `could not be tried: ${messageOf(error)}` };
  }
}

async function checkMemory(sandbox: Sandbox, signal: AbortSignal): Promise<CheckResult> {
  const name = "memory";
  const execution = await evaluate(
    sandbox,
    `function run() { const kept = []; for (;;) kept.push(new Uint8Array(1 << 20)); }`,
    signal,
  );
  const trial = formatBytes(sandbox.limits.memoryBytes);
  const real = formatBytes(DEFAULT_SANDBOX_LIMITS.memoryBytes);
  return execution.failure?.kind === "memory"
    ? {
      name,
      state: "ok",
      detail: `a script that takes all it can was stopped at ${trial} (a run has ${real})`,
    }
    : {
      name,
      state: "failed",
      detail: `a script that takes all it can ended otherwise: ${endOf(execution)}`,
    };
}

async function checkTime(sandbox: Sandbox, signal: AbortSignal): Promise<CheckResult> {
  const name = "time";
  const startedAt = performance.now();
  const execution = await evaluate(sandbox, "function run() { for (;;); }", signal);
  const took = formatDuration(performance.now() - startedAt);
  const real = formatDuration(DEFAULT_SANDBOX_LIMITS.guestTimeMs);
  return execution.failure?.kind === "time"
    ? { name, state: "ok", detail: `an endless loop was stopped after ${took} (a run has ${real})` }
    : { name, state: "failed", detail: `an endless loop ended otherwise: ${endOf(execution)}` };
}

function evaluate(sandbox: Sandbox, source: string, signal: AbortSignal): Promise<Execution> {
  return sandbox.evaluate({
    source,
    seed: 1,
    now: () => new Date(),
    signal,
    onCall: () => Promise.resolve({ ok: false, message: "there is nothing to call" }),
  });
}

function endOf(execution: Execution): string {
  const { failure } = execution;
  return failure === undefined ? "well" : `${failure.kind}: ${failure.message}`;
}
