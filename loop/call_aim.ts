/** What a call is aimed at, as it was made and as a person changed it. */
import type { JsonValue } from "../contracts/json.ts";
import type { CallAim } from "../contracts/policy.ts";
import type { HostFunction } from "../contracts/sandbox.ts";
import type { Passage } from "./passage.ts";

/** What a call is aimed at; one that cannot be told is for the policy to judge. */
export function aimOf(hostFunction: HostFunction, args: readonly JsonValue[]): CallAim | undefined {
  try {
    const aim = hostFunction.target?.(args);
    return typeof aim === "string" ? { target: aim } : aim;
  } catch {
    return undefined;
  }
}

/** The call that a person made of one: what is written down and told is what happens, its target as well. */
export function withArguments(
  { aim: _asked, ...passage }: Passage,
  args: readonly JsonValue[],
): Passage {
  const aim = aimOf(passage.hostFunction, args);
  // What was agreed on is the new aim, and it alone.
  const approvedTargets = new Set(aim === undefined ? [] : [aim.target]);
  return { ...passage, args, approvedTargets, ...(aim === undefined ? {} : { aim }) };
}
