/** `sessions waiting`: the sessions that wait for a person's word, and on what. */
import type { PendingApproval } from "../../contracts/approval.ts";
import type { SessionListing } from "../../contracts/session.ts";
import { redactJson } from "../../redact/redact_json.ts";
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { pendingAim, pendingArguments } from "../pending_text.ts";
import { pendingFields } from "../result_line.ts";
import { commandRedactor } from "../secrets.ts";
import { openStoreToRead, pathOf, type Store } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";
import { formatTable } from "../text_table.ts";
import { formatMoment } from "../units.ts";
import { sessionWait } from "../waiting_session.ts";

/** Columns of the arguments. */
const ARGUMENT_COLUMNS = 80;

interface WaitingSession {
  readonly session: SessionListing;
  readonly pending: PendingApproval;
  readonly since: Date;
}

/** Runs `sessions waiting`. */
export async function listWaiting(context: CommandContext): Promise<Outcome> {
  const { options, output, status } = context;
  await using opened = await openStoreToRead(options);
  const waiting = opened === undefined ? [] : await waitingSessions(opened.store);
  if (waiting.length === 0) {
    status.line(`No session in ${pathOf(options)} waits for a word.`);
    return succeeded();
  }
  if (output.json) {
    for (const { session, pending, since } of waiting) {
      output.line({
        type: "waiting",
        session_id: session.id,
        title: session.title,
        ...pendingFields(pending),
        since: since.toISOString(),
      });
    }
    return succeeded();
  }
  return succeeded(formatTable(
    ["ID", "SINCE", "WAITS AT", "ARGUMENTS"],
    waiting.map(({ session, pending, since }) => [
      oneLine(session.id, 60),
      formatMoment(since),
      pendingAim(pending),
      pendingArguments(pending, ARGUMENT_COLUMNS),
    ]),
  ));
}

async function waitingSessions(store: Store): Promise<WaitingSession[]> {
  const redactor = commandRedactor();
  const found: WaitingSession[] = [];
  for (const session of await store.list()) {
    const open = await sessionWait(store, session);
    if (open === undefined) continue;
    const pending = redactJson({ ...open.pending }, redactor) as unknown as PendingApproval;
    found.push({ session, pending, since: open.since });
  }
  return found;
}
