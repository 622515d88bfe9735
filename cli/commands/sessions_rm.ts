/**
 * `sessions rm ID…`: deletes sessions. Those that are there go even when another is not.
 */
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { describeFailure, usageError } from "../failure.ts";
import { checkSessionId } from "../session_id.ts";
import { openExistingStore, pathOf, sessionMissing } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";

/** Runs `sessions rm`. */
export async function removeSessions(context: CommandContext): Promise<Outcome> {
  const { options, words, output, status } = context;
  if (words.length === 0) throw usageError("sessions rm needs the id of a session");
  const ids = [...new Set(words.map(checkSessionId))];
  await using opened = await openExistingStore(options);
  const missing: string[] = [];
  for (const id of ids) {
    if (await opened?.store.delete(id)) {
      output.line({ type: "removed", session_id: id });
      status.line(`Removed ${oneLine(id, 200)}.`);
    } else {
      missing.push(id);
    }
  }
  if (missing.length === 0) return succeeded();
  const failure = describeFailure(sessionMissing(missing.join(", "), pathOf(options)));
  return { exitCode: failure.exitCode, status: "error", reason: failure.type, failure };
}
