/** What policies and people answer, held to what an answer can be: the gate takes nothing else for a yes. */
import type { ApprovalDecision } from "../contracts/approval.ts";
import type { JsonValue } from "../contracts/json.ts";
import { refuseUnknown } from "../contracts/known_names.ts";
import type { PolicyDecision } from "../contracts/policy.ts";
import { nameOf } from "./argument_checks.ts";

const YES_FIELDS = { decision: true, args: true, reason: true } as const;

/**
 * The answer of a policy.
 *
 * @throws {TypeError} when it is none.
 */
export function checkRuling(answer: unknown): PolicyDecision {
  const { decision, reason } = fieldsOf(answer);
  if (decision === "allow") return { decision };
  if (decision === "deny" || decision === "ask") {
    return { decision, reason: typeof reason === "string" ? reason : "the policy gives no reason" };
  }
  throw new TypeError(
    'check must give { decision: "allow" }, { decision: "deny", reason } or ' +
      `{ decision: "ask", reason }, got ${shownAnswer(answer)}`,
  );
}

/**
 * The word of a person. Changed arguments are as they came.
 *
 * @throws {TypeError} when it is none.
 */
export function checkWord(word: unknown): ApprovalDecision {
  const { decision, reason, args } = fieldsOf(word);
  if (decision === "wait") return { decision };
  if (decision === "deny") return { decision, ...(typeof reason === "string" ? { reason } : {}) };
  if (decision === "approve") {
    checkYes("approve", word as object);
    return { decision, ...(args === undefined ? {} : { args: args as readonly JsonValue[] }) };
  }
  throw new TypeError(
    'approve must give { decision: "approve" }, { decision: "deny" } or { decision: "wait" }, ' +
      `got ${shownAnswer(word)}`,
  );
}

/**
 * Holds a yes to its names: where `args` is misspelt, the call that was to be changed would be made as it was.
 *
 * @throws {TypeError} naming what is not known.
 */
export function checkYes(caller: string, word: object): void {
  refuseUnknown(caller, word, YES_FIELDS);
}

function fieldsOf(answer: unknown): Readonly<Record<string, unknown>> {
  return typeof answer === "object" && answer !== null
    ? answer as Readonly<Record<string, unknown>>
    : {};
}

function shownAnswer(answer: unknown): string {
  const { decision } = fieldsOf(answer);
  return typeof decision === "string"
    ? `the decision ${JSON.stringify(decision.slice(0, 40))}`
    : nameOf(answer);
}
