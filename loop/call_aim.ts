/** What a call is aimed at, as it was made and as a person changed it. */
import type { JsonValue } from "../contracts/json.ts";
import type { CallAim } from "../contracts/policy.ts";
import type { HostFunction } from "../contracts/sandbox.ts";
import { isWebPort } from "./host_list.ts";
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
  const approved = new Set(aim === undefined ? [] : [agreedOn(aim)]);
  return { ...passage, args, approved, ...(aim === undefined ? {} : { aim }) };
}

/**
 * What a yes to an aim is a yes to: its target at this port, and in a private network only where that was known. The ports of the web
 * are one, since servers lead from the one to the other.
 */
export function agreedOn({ target, port, network }: CallAim): string {
  return JSON.stringify([target, isWebPort(port) ? "web" : port, network === "private"]);
}
