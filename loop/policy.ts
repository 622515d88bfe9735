/** The policies that come with the loop. A policy decides; the gate enforces. */
import type { PolicyCall, PolicyChecker, PolicyDecision } from "../contracts/policy.ts";

/** Options of a {@linkcode DefaultPolicy}. */
export interface DefaultPolicyOptions {
  /**
   * Hosts that `fetch` may reach: `example.com` is that host alone; `.example.com` or `*.example.com` is every host below it, and not
   * itself. Case and a trailing dot do not count. @default none
   */
  readonly allowDomains?: readonly string[];
}

/** The policy when none is set: functions of your own pass, `fetch` reaches only the hosts that were named. */
export class DefaultPolicy implements PolicyChecker {
  readonly #allowed: readonly string[];

  /**
   * Creates the policy.
   *
   * @throws {TypeError} when a domain is not a host name: has a scheme, a path or a port, or is empty.
   */
  constructor(options: DefaultPolicyOptions = {}) {
    this.#allowed = (options.allowDomains ?? []).map(normalDomain);
  }

  /** Decides over one call. */
  check(call: PolicyCall): PolicyDecision {
    if (call.name !== "fetch") return { decision: "allow" };
    if (call.target === undefined) return { decision: "deny", reason: "its host cannot be told" };
    const host = normalHost(call.target);
    if (this.#allowed.some((domain) => matches(host, domain))) return { decision: "allow" };
    return { decision: "deny", reason: `${host} is not among the allowed hosts` };
  }
}

/** Lets every call pass. For programs whose scripts may do whatever the host functions can. */
export class AllowAll implements PolicyChecker {
  /** Allows the call. */
  check(_call: PolicyCall): PolicyDecision {
    return { decision: "allow" };
  }
}

/** Whether a host is the domain, or below it when the domain begins with a dot. */
function matches(host: string, domain: string): boolean {
  return domain.startsWith(".")
    ? host.endsWith(domain) && host.length > domain.length
    : host === domain;
}

/** A host name in the one spelling that is compared. */
function normalHost(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
}

function normalDomain(domain: string): string {
  const name = typeof domain === "string" ? domain.trim().toLowerCase().replace(/^\*\./, ".") : "";
  // An IPv6 address stands in brackets, as in a URL.
  if (!/^(?:\.?[^\s/:@*.]+(?:\.[^\s/:@*.]+)*\.?|\[[0-9a-f:.]+\])$/.test(name)) {
    throw new TypeError(
      `allowDomains: expected host names such as "example.com" or ".example.com", got ${
        JSON.stringify(domain)
      }`,
    );
  }
  return normalHost(name);
}
