/**
 * Makes the runs of the server, and their result lines: the same as `run --json` writes.
 */
import { DEFAULT_RUN_TIMEOUT_MS } from "../../contracts/loop.ts";
import type { Outcome } from "../command.ts";
import type { Conversation } from "../conversation.ts";
import { describeFailure } from "../failure.ts";
import type { Interrupt } from "../interrupt.ts";
import { resultLine } from "../result_line.ts";
import { maxStepsOf, outcomeOfRun } from "../run_outcome.ts";
import type { StreamedLine } from "./event_stream.ts";
import type { MakeRun } from "./message_route.ts";

/** Makes the function. A client's own bounds only narrow those of the options. */
export function runMaker(conversation: Conversation, interrupt: Interrupt): MakeRun {
  const { options, redactor } = conversation;
  const bounds = {
    maxSteps: maxStepsOf(options),
    timeoutMs: options.timeoutMs ?? DEFAULT_RUN_TIMEOUT_MS,
  };
  return async ({ maxSteps = Infinity, timeoutMs = Infinity, ...asked }) => {
    const startedAt = performance.now();
    const limits = {
      maxSteps: Math.min(maxSteps, bounds.maxSteps),
      timeoutMs: Math.min(timeoutMs, bounds.timeoutMs),
    };
    const outcome = await outcomeOf(async () => {
      const bounded = { maxIterations: limits.maxSteps, timeoutMs: limits.timeoutMs };
      const run = "message" in asked
        ? await conversation.answer({ ...asked, ...bounded })
        : await conversation.goOn({ ...asked, ...bounded });
      // A run that fails while the others get their time did not fail for the signal.
      const stopped = asked.signal.aborted
        ? interrupt
        : { received: undefined, exitCode: undefined };
      const goesOn = !("message" in asked);
      return outcomeOfRun(run, { options: { ...options, ...limits }, interrupt: stopped, goesOn });
    });
    const { failure } = outcome;
    const told = failure && { ...failure, message: redactor.redact(failure.message) };
    return resultLine(
      { ...outcome, ...(told === undefined ? {} : { failure: told }) },
      performance.now() - startedAt,
    ) as StreamedLine;
  };
}

async function outcomeOf(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    const failure = describeFailure(error);
    return { exitCode: failure.exitCode, status: "error", reason: failure.type, failure };
  }
}
