/**
 * The runs that tasks in agent mode ask for, made as `run` makes them: in the task's session, under the options of the invocation.
 */
import type { ErrorCode } from "../contracts/errors.ts";
import type { RunResult } from "../contracts/loop.ts";
import type { AgentOutcome, RunAgent } from "../ext/scheduler/mod.ts";
import type { CommandContext } from "./command.ts";
import { openConversation } from "./conversation.ts";
import type { Interrupt } from "./interrupt.ts";
import { outcomeOfRun } from "./run_outcome.ts";
import { putOffWhileWaiting } from "./waiting_session.ts";

/** Failures that may be gone the next time. */
export const PASSING: readonly ErrorCode[] = [
  "aborted",
  "model_connection",
  "model_overloaded",
  "model_rate_limited",
  "sandbox_busy",
  "store_locked",
];

/** The command has no tenants. */
export const OF_A_TENANT: AgentOutcome = {
  ok: false,
  reason: "it belongs to a tenant, and is for the program that serves this tenant",
  retry: true,
};

/** Makes runs for tasks; each opens what it needs, and closes it. */
export function scheduledRuns(context: CommandContext): RunAgent {
  return async ({ sessionId, message, scope, signal }) => {
    if (scope !== undefined) return OF_A_TENANT;
    const options = { ...context.options, session: sessionId };
    const interrupt = endingWith(signal, context.interrupt);
    await using conversation = await openConversation({ ...context, options, interrupt });
    const putOff = await putOffWhileWaiting(conversation.store, sessionId);
    if (putOff !== undefined) return putOff;
    const result = await conversation.ask(message);
    return outcomeFor(result, { options, interrupt });
  };
}

/** The interrupt of the command, for a run that is also given up when its task is another program's by now. */
function endingWith(signal: AbortSignal, interrupt: Interrupt): Interrupt {
  return {
    signal,
    get received() {
      return interrupt.received;
    },
    get exitCode() {
      return interrupt.exitCode;
    },
    raise: (name) => interrupt.raise(name),
    rearm: () => interrupt.rearm(),
    [Symbol.dispose]() {},
  };
}

function outcomeFor(
  result: RunResult,
  { options, interrupt }: Pick<CommandContext, "options" | "interrupt">,
): AgentOutcome {
  if (result.status === "completed") return { ok: true, text: result.finalText };
  const { failure } = outcomeOfRun(result, { options, interrupt });
  const isPassing = PASSING.some((code) => code === result.error?.code);
  // A run that called something may have had an effect, and is not made again.
  const retry = isPassing && (result.spent?.hostCalls ?? 0) === 0;
  return { ok: false, reason: failure?.message ?? result.status, retry };
}
