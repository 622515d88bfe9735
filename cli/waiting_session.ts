/**
 * Whether a session waits for a person's word. A message would be an answer to something else: the run would not be gone on with, and the question be lost.
 */
import type { PendingApproval } from "../contracts/approval.ts";
import type { RunStatus, SessionListing } from "../contracts/session.ts";
import type { AgentOutcome } from "../ext/scheduler/mod.ts";
import { findOpenBatch, findPending, PENDING_REACH } from "../loop/pending.ts";
import { findListing, type Store } from "./store_access.ts";
import { oneLine } from "./terminal_text.ts";

/** How long a task of such a session is left alone before the next look, in ms: a person's word may take days, and a look costs little. */
const LOOK_AGAIN_MS = 15_000;

/** The call that a session waits at, and since when. */
export interface SessionWait {
  /** The call. */
  readonly pending: PendingApproval;
  /** Since when. */
  readonly since: Date;
}

/** Ends after which a session may still wait. */
const MAY_WAIT: ReadonlySet<RunStatus> = new Set(["waiting", "error", "limit"]);

/** What a session waits at; nothing when it waits at nothing. One that went on and failed on the way, or met a limit, may still wait; one whose run came to an end of its own does not. */
export async function sessionWait(
  store: Store,
  { id, status }: Pick<SessionListing, "id" | "status">,
): Promise<SessionWait | undefined> {
  if (status === undefined || !MAY_WAIT.has(status)) return undefined;
  const steps = await store.lastN(id, PENDING_REACH);
  // Its calls were made, and only the model was not asked any more: there is nothing left to say a word on.
  if (findOpenBatch(steps)?.calls.length === 0) return undefined;
  return findPending(steps);
}

/** The id of the call that a session waits at; nothing when it waits at nothing, or is not there. */
export async function callWaitedAt(store: Store, sessionId: string): Promise<string | undefined> {
  const listing = await findListing(store, sessionId);
  return (listing && await sessionWait(store, listing))?.pending.callId;
}

/** What becomes of a scheduled run whose session waits; nothing when it does not, and the run can be made. */
export async function putOffWhileWaiting(
  store: Store,
  sessionId: string,
): Promise<AgentOutcome & { readonly ok: false } | undefined> {
  const listing = await findListing(store, sessionId);
  const wait = listing && await sessionWait(store, listing);
  if (wait === undefined) return undefined;
  return {
    ok: false,
    reason: `the session ${oneLine(sessionId, 60)} waits for a word on ${
      oneLine(wait.pending.name, 60)
    }; give it, and the task is done`,
    retry: true,
    busy: true,
    retryAfterMs: LOOK_AGAIN_MS,
  };
}
