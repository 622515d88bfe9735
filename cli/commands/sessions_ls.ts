/**
 * `sessions ls`: the sessions of the database, the last used first.
 */
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { listingLine } from "../session_lines.ts";
import { openStoreToRead, pathOf } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";
import { formatTable } from "../text_table.ts";
import { countOf, formatCount, formatMoment } from "../units.ts";

/** Runs `sessions ls`. */
export async function listSessions(context: CommandContext): Promise<Outcome> {
  const { options, output, status } = context;
  await using opened = await openStoreToRead(options);
  const sessions = await opened?.store.list() ?? [];
  if (sessions.length === 0) {
    status.line(`There are no sessions in ${pathOf(options)}.`);
    return succeeded();
  }
  if (output.json) {
    for (const session of sessions) output.line(listingLine(session));
    return succeeded();
  }
  const waiting = sessions.filter((session) => session.status === "waiting").length;
  if (waiting > 0) {
    status.line(
      `${countOf(waiting, "session")} ${
        waiting === 1 ? "waits" : "wait"
      } for a word on a call: agentloop sessions waiting`,
    );
  }
  return succeeded(formatTable(
    ["ID", "LAST USED", "RUNS", "TOKENS", "TITLE"],
    sessions.map((session) => [
      oneLine(session.id, 60),
      formatMoment(session.lastUsedAt),
      formatCount(session.runCount),
      formatCount(session.promptTokens + session.completionTokens),
      oneLine(session.title, 60),
    ]),
    { rightAligned: [2, 3] },
  ));
}
