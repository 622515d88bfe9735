/** What a message takes away from a session that waits for a person's word. */
import type { StepStore } from "../contracts/step.ts";
import { findPendingApproval } from "../loop/find_pending_approval.ts";
import { pendingAim } from "./pending_text.ts";

/** A sentence on the call that a message leaves unmade, with whatever secrets the call's target has; nothing where the session waits at none. */
export async function endedWait(
  steps: Pick<StepStore, "lastN">,
  sessionId: string,
): Promise<string | undefined> {
  const pending = await findPendingApproval({ steps, sessionId });
  if (pending === undefined) return undefined;
  const aim = pendingAim(pending);
  return `The session waited for a word on ${aim}: this message ends that, and the call is not made.`;
}
