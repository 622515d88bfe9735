/**
 * From the end of a run to an exit code and to words about what to do next. Pure.
 */
import {
  DEFAULT_MAX_ITERATIONS,
  DEFAULT_RUN_TIMEOUT_MS,
  DEFAULT_TOOL_ITERATIONS,
  type RunResult,
} from "../contracts/loop.ts";
import { DEFAULT_ASSISTANT_ITERATIONS } from "../ext/assistant/iterations.ts";
import type { Outcome } from "./command.ts";
import { pendingText } from "./pending_text.ts";
import { continueCommand, resumeCommand } from "./continue_command.ts";
import { describeFailure, EXIT_ERROR, EXIT_OK, type Failure } from "./failure.ts";
import type { Interrupt } from "./interrupt.ts";
import type { CliOptions } from "./option_table.ts";
import { countOf, formatCount, formatDuration } from "./units.ts";

/** Exit code when the model calls of the run were used up. */
export const EXIT_MAX_ITERATIONS = 2;
/** Exit code when a limit of tokens, cost, calls or bytes was reached. */
export const EXIT_LIMIT = 4;
/** Exit code when an approval is waited for that nobody is there to give. */
export const EXIT_WAITING = 5;

/** What the end of a run is told by. */
interface RunContext {
  readonly options: CliOptions;
  readonly interrupt: Pick<Interrupt, "received" | "exitCode">;
  /** Whether the run had waited, and went on: what it spent before counts, and its result does not say how much that was. */
  readonly goesOn?: boolean;
  /** Whether the session waits for a word all the same: a message would end that. @default false */
  readonly stillWaits?: boolean;
}

/** The outcome of a command that made this run. */
export function outcomeOfRun(run: RunResult, context: RunContext): Outcome {
  const ended = {
    status: run.status,
    run,
    ...(run.reason === undefined ? {} : { reason: run.reason }),
  };
  if (run.status === "completed") return { ...ended, exitCode: EXIT_OK, text: run.finalText };
  const failure = failureOf(run, context);
  return { ...ended, exitCode: failure.exitCode, failure };
}

function failureOf(
  run: RunResult,
  { options, interrupt, goesOn = false, stillWaits = false }: RunContext,
): Failure {
  const { hint } = stillWaits
    ? resumeHint(run, run.status === "limit" ? unlimited(options) : options)
    : continueHint(run, options);
  const told = (
    type: Failure["type"],
    message: string,
    exitCode: number,
  ): Failure => ({
    type,
    message,
    exitCode,
    cause: run.error,
    ...(hint === undefined ? {} : { hint }),
  });

  switch (run.status) {
    case "max_iterations":
      return told(
        "max_iterations",
        `No answer within ${countOf(maxStepsOf(options), "model call")} (--max-steps).`,
        EXIT_MAX_ITERATIONS,
      );
    case "limit":
      return told("limit", limitMessage(run, { ...options, goesOn }), EXIT_LIMIT);
    case "waiting":
      return { ...told("waiting", waitingMessage(run), EXIT_WAITING), ...resumeHint(run, options) };
    case "completed":
    case "error":
      break;
  }
  if (interrupt.exitCode !== undefined) {
    return told("aborted", `Stopped by ${interrupt.received}.`, interrupt.exitCode);
  }
  if (run.reason === "timeout") {
    const wall = formatDuration(options.timeoutMs ?? DEFAULT_RUN_TIMEOUT_MS);
    return told("timeout", `No answer within ${wall} (--timeout).`, EXIT_ERROR);
  }
  return describeFailure(
    run.error ?? new Error(run.reason ?? "the run failed and did not say why"),
  );
}

/** Model calls of one run at most, under these options. */
export function maxStepsOf(
  { maxSteps, assistant, protocol }: Pick<CliOptions, "maxSteps" | "assistant" | "protocol">,
): number {
  if (maxSteps !== undefined) return maxSteps;
  if (assistant) return DEFAULT_ASSISTANT_ITERATIONS;
  return protocol === "tools" ? DEFAULT_TOOL_ITERATIONS : DEFAULT_MAX_ITERATIONS;
}

function waitingMessage({ pending }: RunResult): string {
  const what = pending === undefined ? "" : `: ${pendingText(pending)}`;
  return `Stopped at a call that needs an approval${what}.`;
}

function continueHint(run: RunResult, options: CliOptions): Pick<Failure, "hint"> {
  return options.ephemeral ? {} : { hint: `To go on: ${continueCommand(options, run)}` };
}

/** With the same limit it would end there again. */
function unlimited(options: CliOptions): CliOptions {
  const { maxTokens: _tokens, maxCost: _cost, ...others } = options;
  return others;
}

function resumeHint(run: RunResult, options: CliOptions): Pick<Failure, "hint"> {
  if (options.ephemeral) return {};
  return {
    hint: `To go on: ${
      resumeCommand(options, run)
    }; in place of --allow there is --deny REASON, and --args JSON`,
  };
}

function limitMessage(
  { reason, spent }: RunResult,
  { maxTokens, maxCost, goesOn }: CliOptions & Required<Pick<RunContext, "goesOn">>,
): string {
  const since = goesOn ? " since it went on" : "";
  if (reason === "total_tokens" && maxTokens !== undefined) {
    return `Stopped before more than ${formatCount(maxTokens)} tokens (--max-tokens) are spent: ${
      formatCount(spent?.tokens ?? 0)
    } are${since}.`;
  }
  if (reason === "cost" && maxCost !== undefined) {
    return `Stopped before more than ${maxCost} (--max-cost) is spent: ${
      Number((spent?.cost ?? 0).toPrecision(4))
    } is${since}.`;
  }
  return `Stopped at a limit: ${reason ?? "unnamed"}.`;
}
