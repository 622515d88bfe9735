/**
 * `schedule ls`: what is scheduled, the next due first, then what is over.
 */
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { openStoreToRead, pathOf } from "../store_access.ts";
import { dueColumn, lastColumn, ruleColumn, taskLine } from "../task_line.ts";
import { oneLine } from "../terminal_text.ts";
import { formatTable } from "../text_table.ts";

/** Runs `schedule ls`. */
export async function listTasks(context: CommandContext): Promise<Outcome> {
  const { options, output, status } = context;
  await using opened = await openStoreToRead(options);
  const tasks = await opened?.store.schedule.list() ?? [];
  if (tasks.length === 0) {
    status.line(`Nothing is scheduled in ${pathOf(options)}.`);
    return succeeded();
  }
  if (output.json) {
    for (const task of tasks) output.line(taskLine(task));
    return succeeded();
  }
  return succeeded(formatTable(
    ["ID", "DUE", "HOW OFTEN", "WHAT", "LAST", "SESSION", "TITLE"],
    tasks.map((task) => [
      task.id,
      dueColumn(task),
      oneLine(ruleColumn(task), 50),
      task.mode,
      lastColumn(task),
      oneLine(task.sessionId, 40),
      oneLine(task.title ?? task.text, 50),
    ]),
  ));
}
