/**
 * The policies that come with the loop. A policy decides; the gate enforces. Whether a host lies in a private network is told by the function that
 * reaches for it, before it connects.
 */
import { refuseUnknown } from "../contracts/known_names.ts";
import { OWN_MESSAGE_TARGET } from "../contracts/schedule.ts";
import type { PolicyCall, PolicyChecker, PolicyDecision } from "../contracts/policy.ts";
import { nameOf } from "./argument_checks.ts";
import { HostList, isWebPort, normalHost } from "./host_list.ts";

/** Options of a {@linkcode DefaultPolicy}. */
export interface DefaultPolicyOptions {
  /**
   * Functions that pass without being asked about, by name: `["writeFile"]`. With `fetch` among them that function may ask every public host, at the ports of
   * the web, and with `http` so may `require("http")`: name both where scripts may use either. Private networks stay closed. @default none
   */
  readonly allowTools?: readonly string[];
  /**
   * Hosts that pass without being asked about: `example.com` is that host alone; `*.example.com` or `.example.com` is every host below it, and not
   * itself. Ports 80 and 443 are meant, unless one is named (`example.com:8080`) or any is (`example.com:*`). A host in a private network
   * does not pass by this. @default none
   */
  readonly allowDomains?: readonly string[];
  /**
   * Hosts that pass also when they lie in a private network, as scripts name them: `127.0.0.1:8080`, `intranet.example`. Written as in
   * `allowDomains`, ports alike. @default none
   */
  readonly allowPrivateHosts?: readonly string[];
}

/** Functions that reach into a network. Whatever else names a port or a network with its aim counts too. */
const NETWORK_FUNCTIONS = new Set(["fetch", "http"]);
/** Functions that ask a model; they count into the run's limits instead. */
const MODEL_FUNCTIONS = new Set(["ai", "aiJSON"]);
/** Functions that are asked about even where they are not registered as having consequences. */
const ASKED_FUNCTIONS = new Set(["writeFile", "editFile", "exec", "sendEmail", "secret"]);

const OPTIONS: Readonly<Record<keyof DefaultPolicyOptions, true>> = {
  allowTools: true,
  allowDomains: true,
  allowPrivateHosts: true,
};

/**
 * The policy when none is set. Hosts that were allowed pass, other public ones are asked about at the ports of the web and refused at others, private networks are refused; functions with
 * consequences outside are asked about, but for a message that is scheduled for the session itself; everything else passes.
 */
export class DefaultPolicy implements PolicyChecker {
  readonly #tools: ReadonlySet<string>;
  readonly #domains: HostList;
  readonly #privateHosts: HostList;

  /**
   * Creates the policy.
   *
   * @throws {TypeError} when there is no such option, or a list holds what is no name, or no host with an optional port.
   */
  constructor(options: DefaultPolicyOptions = {}) {
    refuseUnknown("DefaultPolicy", options, OPTIONS);
    const { allowTools = [], allowDomains = [], allowPrivateHosts = [] } = options;
    for (const [name, list] of Object.entries({ allowTools, allowDomains, allowPrivateHosts })) {
      if (Array.isArray(list)) continue;
      throw new TypeError(`DefaultPolicy: ${name} must be a list, got ${nameOf(list)}`);
    }
    this.#tools = new Set(allowTools.map(checkedName));
    this.#domains = new HostList("allowDomains", allowDomains);
    this.#privateHosts = new HostList("allowPrivateHosts", allowPrivateHosts);
  }

  /** Decides over one call. */
  check(call: PolicyCall): PolicyDecision {
    if (isNetworkCall(call)) return this.#checkNetwork(call);
    if (MODEL_FUNCTIONS.has(call.name) || this.#tools.has(call.name)) return ALLOW;
    if (call.name === "proactive_create" && call.target === OWN_MESSAGE_TARGET) return ALLOW;
    if (!call.sideEffect && !ASKED_FUNCTIONS.has(call.name)) return ALLOW;
    return ask(`it has consequences outside; allowTools: [${quoted(call.name)}] lets it pass`);
  }

  #checkNetwork({ name, target, port, network }: PolicyCall): PolicyDecision {
    if (target === undefined || target === "") {
      return deny(
        "its host cannot be told; it takes a full URL without a user name in it, https://host/path",
      );
    }
    const aim = { target, ...(port === undefined ? {} : { port }) };
    if (this.#privateHosts.has(aim)) return ALLOW;
    const host = normalHost(target);
    const entry = quoted(isWebPort(port) ? host : `${host}:${port}`);
    if (network === "private") {
      return deny(`${host} lies in a private network; allowPrivateHosts: [${entry}] lets it pass`);
    }
    if (this.#domains.has(aim)) return ALLOW;
    const pass = `allowDomains: [${entry}] lets it pass`;
    if (!isWebPort(port)) return deny(`port ${port} of ${host} is none of the web's; ${pass}`);
    if (this.#tools.has(name)) return ALLOW;
    return ask(`${host} is not among the allowed hosts; ${pass}`);
  }
}

/** Lets every call pass. For programs whose scripts may do whatever the host functions can. */
export class AllowAll implements PolicyChecker {
  /** Allows the call. */
  check(_call: PolicyCall): PolicyDecision {
    return ALLOW;
  }
}

const ALLOW: PolicyDecision = { decision: "allow" };

function deny(reason: string): PolicyDecision {
  return { decision: "deny", reason };
}

function ask(reason: string): PolicyDecision {
  return { decision: "ask", reason };
}

function isNetworkCall({ name, port, network }: PolicyCall): boolean {
  return NETWORK_FUNCTIONS.has(name) || port !== undefined || network !== undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function checkedName(name: unknown): string {
  if (typeof name === "string" && name !== "") return name;
  throw new TypeError(
    `allowTools: expected names of functions such as "writeFile", got ${JSON.stringify(name)}`,
  );
}
