/**
 * The policy of the command: the default one, opened by options, with reasons that name those options.
 */
import type { PolicyCall, PolicyChecker, PolicyDecision } from "../contracts/policy.ts";
import { DefaultPolicy } from "../loop/policy.ts";
import { usageError } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";

/** The options that open the policy, and what the policy calls them. */
const OPENED_BY = {
  allowDomains: "--allow-net",
  allowPrivateHosts: "--allow-private-net",
} as const;

/** Decides over calls, and remembers why it said no. */
export interface CommandPolicy extends PolicyChecker {
  /** Why a call with this name and target was not let through last; `undefined` when it was. */
  whyRefused(name: string, target: string): string | undefined;
}

/**
 * Makes the policy that the options ask for.
 *
 * @throws {CliError} `usage` when a value is no list of hosts.
 */
export function commandPolicy(
  options: Pick<CliOptions, "allowNet" | "allowPrivateNet">,
): CommandPolicy {
  const policy = defaultPolicy(options);
  const reasons = new Map<string, string>();
  return {
    check(call: PolicyCall): PolicyDecision {
      const decision = policy.check(call);
      if (decision.decision === "allow") return decision;
      const reason = inOptions(decision.reason);
      reasons.set(keyOf(call.name, call.target ?? ""), reason);
      return { ...decision, reason };
    },
    whyRefused: (name, target) => reasons.get(keyOf(name, target)),
  };
}

function defaultPolicy(
  { allowNet = [], allowPrivateNet = [] }: Pick<CliOptions, "allowNet" | "allowPrivateNet">,
): DefaultPolicy {
  try {
    return new DefaultPolicy({ allowDomains: allowNet, allowPrivateHosts: allowPrivateNet });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(
      Object.entries(OPENED_BY).reduce(
        (text, [field, option]) => text.replace(field, option),
        error.message,
      ),
    );
  }
}

/** `allowDomains: ["example.com"] lets it pass` in the words of the command line. */
function inOptions(reason: string): string {
  return reason.replace(/(allow\w+): \["([^"]*)"\]/, (whole, field: string, host: string) => {
    const option = Object.entries(OPENED_BY).find(([name]) => name === field)?.[1];
    return option === undefined ? whole : `${option} ${host}`;
  });
}

function keyOf(name: string, target: string): string {
  return `${name}\n${target}`;
}
