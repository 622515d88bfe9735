/**
 * `schedule rm ID…`: cancels tasks. Those that wait go even when another is not there.
 */
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { CliError, describeFailure, usageError } from "../failure.ts";
import { openExistingStore, pathOf } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";

/** Runs `schedule rm`. */
export async function removeTasks(context: CommandContext): Promise<Outcome> {
  const { options, words, output, status } = context;
  if (words.length === 0) throw usageError("schedule rm needs the id of a task", "schedule rm");
  await using opened = await openExistingStore(options);
  const missing: string[] = [];
  for (const id of new Set(words)) {
    if (await opened?.store.schedule.cancel(id)) {
      output.line({ type: "cancelled", task_id: id });
      status.line(`Cancelled ${oneLine(id, 200)}.`);
    } else {
      missing.push(id);
    }
  }
  if (missing.length === 0) return succeeded();
  const failure = describeFailure(
    new CliError(
      "input",
      `No task ${oneLine(missing.join(", "), 200)} waits in ${oneLine(pathOf(options), 200)}.`,
      { hint: "agentloop schedule ls lists those that do." },
    ),
  );
  return { exitCode: failure.exitCode, status: "error", reason: failure.type, failure };
}
