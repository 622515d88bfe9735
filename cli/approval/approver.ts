/**
 * Decides over calls that the policy wants asked about: by what the session was allowed before, by what was refused in this invocation, and else by asking. One
 * question at a time, however many calls wait; what one answer settles is not asked again.
 */
import type { ApprovalDecision, ApprovalRequest, Approve } from "../../contracts/approval.ts";
import type { GrantStore } from "../../contracts/grant.ts";
import type { JsonValue } from "../../contracts/json.ts";
import { grantFor, isGranted } from "./approval_text.ts";

/** A person's answer. */
export type Answer =
  | { readonly kind: "session" | "once" | "all" | "no" | "later" }
  | { readonly kind: "edited"; readonly args: readonly JsonValue[] };

/** Asks a person about one call. */
export type Ask = (request: ApprovalRequest) => Promise<Answer>;

/** Makes the callback of a session. It remembers refusals for as long as it lives. */
export function createApprover(
  { ask, grants, sessionId }: {
    readonly ask: Ask;
    readonly grants: GrantStore;
    readonly sessionId: string;
  },
): Approve {
  const refused = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  async function decide(request: ApprovalRequest): Promise<ApprovalDecision> {
    const grant = grantFor(request);
    const key = JSON.stringify([grant.name, grant.key]);
    if (isGranted(request, await grants.grants(sessionId))) return { decision: "approve" };
    if (refused.has(key)) return { decision: "deny", reason: "it was refused before" };
    // Whoever waited for this turn may have gone meanwhile.
    if (request.signal.aborted) return { decision: "deny" };
    const answer = await ask(request);
    switch (answer.kind) {
      case "edited":
        return { decision: "approve", args: answer.args };
      case "later":
        return { decision: "wait" };
      case "no":
        refused.add(key);
        return { decision: "deny" };
      case "session":
        await grants.grant(sessionId, grant);
        break;
      case "all":
        await grants.grant(sessionId, { name: request.name });
        break;
      case "once":
        break;
    }
    return { decision: "approve" };
  }

  return (request) => {
    const decision = last.then(() => decide(request));
    last = decision.catch(() => {});
    return decision;
  };
}
