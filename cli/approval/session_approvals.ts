/**
 * How the sessions of one invocation are approved for: the way can be changed, and what was refused in a session is remembered when one comes back to it.
 */
import type { Approve } from "../../contracts/approval.ts";
import type { GrantStore } from "../../contracts/grant.ts";
import { type Ask, createApprover } from "./approver.ts";
import { askAtTerminal, type Terminal } from "./ask_person.ts";
import { askProgram, type Driver } from "./ask_program.ts";
import type { ApprovalMode } from "./approval_mode.ts";

/** Whoever is asked. */
function askerOf(mode: ApprovalMode, asking: Terminal & Driver): Ask {
  if (mode === "stdio") return askProgram(asking);
  return mode === "wait" ? () => Promise.resolve({ kind: "later" }) : askAtTerminal(asking);
}

/** The approvals of one invocation. */
export interface SessionApprovals {
  /** How questions are answered. */
  readonly mode: ApprovalMode;
  /** Answers them in another way from now on. */
  answerBy(mode: ApprovalMode): void;
  /** The callback of a session; `undefined` where the answer is always no. */
  approveFor(sessionId: string): Approve | undefined;
  /** Forgets what was refused in a session. */
  forgetRefusals(sessionId: string): void;
}

/** Makes them. */
export function openApprovals(
  startMode: ApprovalMode,
  { grants, asking }: { readonly grants: GrantStore; readonly asking: Terminal & Driver },
): SessionApprovals {
  let mode = startMode;
  const approvers = new Map<string, Approve>();
  const ask = askerOf(mode, asking);

  function approverOf(sessionId: string): Approve {
    const known = approvers.get(sessionId);
    if (known !== undefined) return known;
    const made = createApprover({ ask, grants, sessionId });
    approvers.set(sessionId, made);
    return made;
  }

  return {
    get mode() {
      return mode;
    },
    answerBy(next) {
      mode = next;
    },
    approveFor(sessionId) {
      switch (mode) {
        case "deny":
          return undefined;
        case "auto":
          return () => ({ decision: "approve" });
        case "prompt":
        case "stdio":
        case "wait":
          return approverOf(sessionId);
      }
    },
    forgetRefusals: (sessionId) => void approvers.delete(sessionId),
  };
}
