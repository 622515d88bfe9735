import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import type { RunResult } from "../contracts/loop.ts";
import { parseCommandLine } from "./arguments.ts";
import { outcomeOfRun } from "./run_outcome.ts";

function outcome(
  run: Partial<RunResult>,
  { args = [], interrupt = { received: undefined, exitCode: undefined }, goesOn = false }: {
    args?: string[];
    interrupt?: Parameters<typeof outcomeOfRun>[1]["interrupt"];
    goesOn?: boolean;
  } = {},
) {
  const { options } = parseCommandLine(["run", ...args]);
  const whole: RunResult = {
    runId: "r",
    sessionId: "s",
    status: "error",
    finalText: "",
    steps: 0,
    toolCalls: 0,
    durationMs: 0,
    tokens: { prompt: 0, completion: 0 },
    systemPrompt: "",
    dataBytesCarried: 0,
    ...run,
  };
  const { exitCode, text, failure } = outcomeOfRun(whole, { options, interrupt, goesOn });
  return { exitCode, text, type: failure?.type, message: failure?.message, hint: failure?.hint };
}

Deno.test("each end of a run has its own exit code", () => {
  strictEqual(outcome({ status: "completed", finalText: "yes" }).exitCode, 0);
  strictEqual(outcome({ status: "error", error: failed("model_auth") }).exitCode, 1);
  strictEqual(outcome({ status: "max_iterations" }).exitCode, 2);
  strictEqual(outcome({ status: "limit", reason: "tokens" }).exitCode, 4);
  strictEqual(outcome({ status: "waiting" }).exitCode, 5);
});

Deno.test("only a completed run has text", () => {
  strictEqual(outcome({ status: "completed", finalText: "yes" }).text, "yes");
  strictEqual(outcome({ status: "max_iterations", finalText: "guess" }).text, undefined);
});

Deno.test("a signal decides over the exit code of a run that failed, never of one that completed", () => {
  const interrupt = { received: "SIGTERM", exitCode: 143 } as const;
  const stopped = outcome({ status: "error", reason: "aborted" }, { interrupt });
  deepStrictEqual([stopped.exitCode, stopped.type, stopped.message], [
    143,
    "aborted",
    "Stopped by SIGTERM.",
  ]);
  strictEqual(outcome({ status: "completed" }, { interrupt }).exitCode, 0);
});

Deno.test("an unfinished run says how to go on, unless nothing was kept", () => {
  match(outcome({ status: "limit", reason: "tokens" }).hint ?? "", /agentloop --session s "go on"/);
  strictEqual(outcome({ status: "limit" }, { args: ["--ephemeral"] }).hint, undefined);
});

Deno.test("a run that waits says at what, without control characters, and how its word is given", () => {
  const pending = {
    callId: "js_1_0",
    name: "send",
    target: "a\u001b[31m.test",
    args: ["x\u0007", { to: "y" }],
    reason: "",
  };
  const waiting = { status: "waiting", pending } as const;
  const { message = "", hint = "" } = outcome(waiting, { args: ["--approve", "wait"] });
  match(
    message,
    /^Stopped at a call that needs an approval: send a.*\.test \["x.*",\{"to":"y"\}\]\.$/,
  );
  // deno-lint-ignore no-control-regex -- that is what must not be there
  strictEqual(/[\u0000-\u001f]/.test(message), false);
  strictEqual(
    hint,
    "To go on: agentloop resume --approve wait --allow s; in place of --allow there is --deny REASON, and --args JSON",
  );
  strictEqual(outcome(waiting, { args: ["--ephemeral"] }).hint, undefined);
});

Deno.test("a limit of an option is told with its value and with what was spent", () => {
  const spent = { tokens: 1234, cost: 0.123456, hostCalls: 2 };
  const ended = { status: "limit", spent } as const;
  strictEqual(
    outcome({ ...ended, reason: "total_tokens" }, { args: ["--max-tokens", "2000"] }).message,
    "Stopped before more than 2,000 tokens (--max-tokens) are spent: 1,234 are.",
  );
  strictEqual(
    outcome({ ...ended, reason: "cost" }, { args: ["--max-cost", "0.2"] }).message,
    "Stopped before more than 0.2 (--max-cost) is spent: 0.1235 is.",
  );
  // What was spent before it waited counts too, and is not in its result.
  strictEqual(
    outcome({ ...ended, reason: "cost" }, { args: ["--max-cost", "0.2"], goesOn: true }).message,
    "Stopped before more than 0.2 (--max-cost) is spent: 0.1235 is since it went on.",
  );
  strictEqual(
    outcome({ ...ended, reason: "host_calls" }).message,
    "Stopped at a limit: host_calls.",
  );
});

Deno.test("the limit that was reached is named with its value", () => {
  match(outcome({ status: "max_iterations" }).message ?? "", /within 20 model calls/);
  match(
    outcome({ status: "max_iterations" }, { args: ["--max-steps", "3"] }).message ?? "",
    /within 3 model/,
  );
  match(
    outcome({ status: "error", reason: "timeout" }).message ?? "",
    /within 5 min 00 s \(--timeout\)/,
  );
  match(outcome({ status: "limit", reason: "cost" }).message ?? "", /limit: cost/);
});

function failed(code: "model_auth"): AgentLoopError {
  return new AgentLoopError("The key was refused.", { code });
}
