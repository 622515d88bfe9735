/**
 * `schedule run-due`: does what is due now, once, and ends.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { OccurrenceReport, RunAgent } from "../../ext/scheduler/mod.ts";
import { commandChannels } from "../channels.ts";
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { CliError, describeFailure, usageError } from "../failure.ts";
import { openExistingStore, pathOf } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";
import { countOf } from "../units.ts";

/** Runs `schedule run-due`. */
export async function runDueTasks(context: CommandContext): Promise<Outcome> {
  const { options, words, output, status, interrupt } = context;
  if (words.length > 0) throw usageError("schedule run-due takes no words", "schedule run-due");
  await checkOptions(context);
  await using opened = await openExistingStore(options);
  if (opened === undefined) {
    status.line(`Nothing is scheduled in ${pathOf(options)}.`);
    return succeeded();
  }
  const { schedule } = opened.store;
  const channels = await commandChannels(context, opened.store);
  const now = new Date();
  const due = (await schedule.list({ waitingOnly: true }))
    .filter(({ nextDueAt }) => nextDueAt !== undefined && nextDueAt <= now);
  const agent = due.some(({ mode }) => mode === "agent") ? await openAgent(context) : undefined;
  const { runDue } = await import("../../ext/scheduler/mod.ts");
  const reports = await runDue({
    schedule,
    channels,
    ...(agent?.runAgent === undefined ? {} : { runAgent: agent.runAgent }),
    signal: AbortSignal.any([interrupt.signal, output.closed]),
    onReport(report) {
      output.line(reportLine(report));
      status.line(reportText(report), report.state === "done" ? "dim" : undefined);
    },
  });
  // What could be done without a model is done by now.
  if (agent?.failure !== undefined) throw agent.failure;
  return outcomeOf(reports, context);
}

/**
 * Looks at the options of runs, also when none is due: what is wrong with them is told at the first try, and is no failure of a task.
 *
 * @throws {CliError} `usage` for an option that cannot be what it is.
 */
async function checkOptions({ options, interrupt }: CommandContext): Promise<void> {
  const { readSettings } = await import("../run_parts.ts");
  readSettings(options, { brings: options.assistant });
  if (options.tools === undefined && options.search === undefined) return;
  const { readToolParts } = await import("../tool_parts.ts");
  await readToolParts(options, interrupt.signal);
}

/** What makes runs, or why none can be made: a model that is not named, say. */
async function openAgent(
  context: CommandContext,
): Promise<{ readonly runAgent?: RunAgent; readonly failure?: unknown }> {
  try {
    const [{ openModel }, { scheduledRuns }] = await Promise.all([
      import("../model.ts"),
      import("../scheduled_run.ts"),
    ]);
    await openModel(context.options);
    return { runAgent: scheduledRuns(context) };
  } catch (failure) {
    return { failure };
  }
}

function reportLine(report: OccurrenceReport): { readonly [key: string]: JsonValue } {
  const { task, state, dueAt, lateMs, missed, detail, retryAt, next } = report;
  return {
    type: "occurrence",
    id: report.occurrenceId,
    task_id: task.id,
    session_id: task.sessionId,
    execution_mode: task.mode,
    outcome: state,
    detail: detail ?? null,
    due_at: dueAt.toISOString(),
    late_ms: lateMs,
    missed,
    retry_at: retryAt?.toISOString() ?? null,
    next_at: next?.toISOString() ?? null,
  };
}

function reportText({ task, state, detail }: OccurrenceReport): string {
  const name = oneLine(task.title ?? task.text, 50);
  const why = detail === undefined ? "" : `: ${oneLine(detail, 300)}`;
  return `${task.id} ${name} ${state === "retrying" ? "put off" : state}${why}`;
}

function outcomeOf(
  reports: readonly OccurrenceReport[],
  { interrupt, status }: Pick<CommandContext, "interrupt" | "status">,
): Outcome {
  const left = reports.filter(({ state }) => state !== "done");
  if (left.length === 0) {
    status.line(
      reports.length === 0 ? "Nothing is due." : `${countOf(reports.length, "task")} done.`,
    );
    return succeeded();
  }
  const failure = describeFailure(
    new CliError("check", `${countOf(left.length, "task")} of ${reports.length} not done.`, {
      hint: "agentloop schedule ls shows how each went.",
    }),
  );
  const exitCode = interrupt.exitCode ?? failure.exitCode;
  return { exitCode, status: "error", reason: failure.type, failure };
}
