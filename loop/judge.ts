/**
 * The stations of the gate that decide: the policy, and where it wants a person asked, the approval. One word comes of them, also when the
 * policy or the person's callback fails: then the call is refused.
 */
import type { ApprovalDecision } from "../contracts/approval.ts";
import type { CallDecision } from "../contracts/call_log.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { CallAim, PolicyDecision } from "../contracts/policy.ts";
import { checkRuling, checkWord } from "./answer_checks.ts";
import { agreedOn, withArguments } from "./call_aim.ts";
import { cleanError, cleanMessage } from "./clean_error.ts";
import { isJsonList } from "./json_list.ts";
import type { Wait } from "./call_life.ts";
import type { GateOptions, Passage } from "./passage.ts";

/** The word on a call. Nothing (`undefined`) when its script or its run ended first. */
export type Verdict =
  | {
    readonly decision: Exclude<CallDecision, "denied">;
    /** What the function is called with. */
    readonly args: readonly JsonValue[];
  }
  | { readonly decision: "denied"; readonly reason: string };

/** Decides over one aim of a call: its own, or one that it comes to while it runs. The word is there at once where nobody has to be waited for. */
export function judge(
  passage: Passage,
  aim: CallAim | undefined,
  options: GateOptions,
): MaybePromise<Verdict | undefined> {
  return whenThere(rule(passage, aim, options), (ruling) => {
    if (ruling === undefined || ruling.decision === "deny") {
      return ruling && { decision: "denied", reason: ruling.reason };
    }
    const asks = ruling.decision === "ask" || (options.approveAll && aim === passage.aim);
    const known = aim !== undefined && passage.approved.has(agreedOn(aim));
    if (!asks || known) return { decision: "allowed", args: passage.args };
    const reason = ruling.decision === "ask" ? ruling.reason : "every call is asked about";
    return askPerson(passage, { aim, reason }, options);
  });
}

type MaybePromise<T> = T | Promise<T>;

function whenThere<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The policy's word; nothing when the script or the run ended first. A policy that throws has refused, and so has one whose answer is none. */
function rule(
  { call, hostFunction, args, life }: Passage,
  aim: CallAim | undefined,
  { policy, scope, sessionId }: GateOptions,
): MaybePromise<PolicyDecision | undefined> {
  const failed = (error: unknown): PolicyDecision => {
    return { decision: "deny", reason: `the policy failed: ${cleanError(error).message}` };
  };
  const take = (wait: Wait<unknown>) => {
    return wait.kind === "settled" ? checkRuling(wait.value) : undefined;
  };
  try {
    let shown: readonly JsonValue[] | undefined;
    const decision = policy.check({
      name: call.name,
      ...aim,
      // A copy, made when it is looked at: what is decided on is what is written down and done, whatever becomes of what was shown.
      get args() {
        return shown ??= structuredClone(args);
      },
      sideEffect: hostFunction.sideEffect ?? false,
      ...(scope === undefined ? {} : { scope }),
      sessionId,
    });
    const wait = life.wait(decision);
    return wait instanceof Promise ? wait.then(take).catch(failed) : take(wait);
  } catch (error) {
    return failed(error);
  }
}

/** Asks a person. While one is asked the run's wall stands still. */
async function askPerson(
  passage: Passage,
  { aim, reason }: { readonly aim: CallAim | undefined; readonly reason: string },
  options: GateOptions,
): Promise<Verdict | undefined> {
  const { approve, scope, sessionId, runId } = options;
  if (approve === undefined) {
    return {
      decision: "denied",
      reason: `it needs an approval that nobody is here to give: ${reason}`,
    };
  }
  using _pause = options.pauseWall();
  try {
    const preview = await previewOf(passage);
    if (passage.life.signal.aborted) return undefined;
    const decision = approve({
      name: passage.call.name,
      ...(preview === undefined ? {} : { preview }),
      ...(aim === undefined ? {} : { target: aim.target }),
      args: structuredClone(passage.args),
      reason,
      runId,
      sessionId,
      ...(scope === undefined ? {} : { scope }),
      signal: passage.life.signal,
    });
    const wait = await passage.life.wait(decision);
    if (wait.kind !== "settled") return undefined;
    const word = checkWord(wait.value);
    if (word.decision === "wait") return putOff(passage, { aim, reason }, options);
    return await takeWord(passage, { aim, word }, options);
  } catch (error) {
    return {
      decision: "denied",
      reason: `asking for approval failed: ${cleanError(error).message}`,
    };
  }
}

/** What the function shows of the call; nothing when its script or its run ended first. */
async function previewOf({ hostFunction, args, life }: Passage): Promise<string | undefined> {
  try {
    const wait = await life.wait(hostFunction.preview?.(structuredClone(args)));
    return wait.kind === "settled" ? wait.value : undefined;
  } catch (error) {
    return `(it cannot be shown: ${cleanError(error).message})`;
  }
}

/** There is no word yet. Only a call that has not begun can wait for one: what it comes to on its way cannot. */
function putOff(
  passage: Passage,
  { aim, reason }: { readonly aim: CallAim | undefined; readonly reason: string },
  { wait }: GateOptions,
): Verdict | undefined {
  const { call, args } = passage;
  const undone = "nobody has decided yet, so it was not done";
  if (wait === undefined || aim !== passage.aim) return { decision: "denied", reason: undone };
  const { name } = call;
  const asked = { name, ...(aim === undefined ? {} : { target: aim.target }), args, reason };
  const why = wait(asked, call);
  passage.state.waits = why === undefined;
  return why === undefined ? undefined : { decision: "denied", reason: `${undone}: ${why}` };
}

async function takeWord(
  passage: Passage,
  { aim, word }: {
    readonly aim: CallAim | undefined;
    readonly word: Exclude<ApprovalDecision, { readonly decision: "wait" }>;
  },
  options: GateOptions,
): Promise<Verdict | undefined> {
  if (word.decision === "deny") {
    const why = cleanMessage(word.reason ?? "");
    return {
      decision: "denied",
      reason: why === "" ? "the user said no" : `the user said no: ${why}`,
    };
  }
  if (word.args === undefined) {
    if (aim !== undefined) passage.approved.add(agreedOn(aim));
    return { decision: "approved", args: passage.args };
  }
  if (!isJsonList(word.args)) {
    return {
      decision: "denied",
      reason: "the arguments that it was to be changed to are no list in JSON",
    };
  }
  if (aim !== passage.aim) {
    return { decision: "denied", reason: "its arguments cannot be changed any more" };
  }
  // A copy: what is judged now is what is done, whatever becomes of the list that was handed in.
  const args = structuredClone(word.args);
  const changed = withArguments(passage, args);
  const ruling = await rule(changed, changed.aim, options);
  if (ruling === undefined) return undefined;
  return ruling.decision === "deny"
    ? { decision: "denied", reason: `as changed by the user, it is not allowed: ${ruling.reason}` }
    : { decision: "changed", args };
}
