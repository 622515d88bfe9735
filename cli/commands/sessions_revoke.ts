/**
 * `sessions revoke ID [WHAT]`: forgets what a session was allowed: one host, file, command or function, or all.
 */
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { usageError } from "../failure.ts";
import { forgetGrants } from "../grants.ts";
import { checkSessionId } from "../session_id.ts";
import { findListing, openExistingStore, pathOf, sessionMissing } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";
import { countOf } from "../units.ts";

/** Runs `sessions revoke`. */
export async function revokeGrants(context: CommandContext): Promise<Outcome> {
  const { options, words, output, status } = context;
  const [word, what] = words;
  if (word === undefined) throw usageError("sessions revoke needs the id of a session");
  if (words.length > 2) throw usageError("sessions revoke takes a session and one thing to revoke");
  const id = checkSessionId(word);
  await using opened = await openExistingStore(options);
  if (opened === undefined || await findListing(opened.store, id) === undefined) {
    throw sessionMissing(id, pathOf(options));
  }
  const hint = `agentloop sessions show ${oneLine(id, 200)} lists what it was allowed.`;
  const revoked = await forgetGrants(opened.store, { sessionId: id, what, hint });
  output.line({ type: "revoked", session_id: id, grants: revoked });
  status.line(`Revoked ${countOf(revoked, "approval")} of ${oneLine(id, 200)}.`);
  return succeeded();
}
