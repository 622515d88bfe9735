/**
 * The policy of the command: the default one, opened by options, with reasons that name those options.
 */
import type { PolicyCall, PolicyChecker, PolicyDecision } from "../contracts/policy.ts";
import { DefaultPolicy } from "../loop/policy.ts";
import { usageError } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";
import type { SecretValues } from "./secret_values.ts";

/** The options that open the policy, and what the policy calls them. */
const OPENED_BY = {
  allowDomains: "--allow-net",
  allowPrivateHosts: "--allow-private-net",
  allowTools: "--allow-tools",
} as const;

/** Decides over calls, and remembers why it said no. */
export interface CommandPolicy extends PolicyChecker {
  /** Decides over one call, at once. */
  check(call: PolicyCall): PolicyDecision;
  /** Why a call with this name and target, or with none, was not let through last; `undefined` when it was. */
  whyRefused(name: string, target?: string): string | undefined;
}

/**
 * Makes the policy that the options ask for.
 *
 * @throws {CliError} `usage` when a value is no list of hosts.
 */
export function commandPolicy(
  options:
    & Pick<CliOptions, "allowNet" | "allowPrivateNet" | "allowTools" | "allowExec">
    & Partial<Pick<CliOptions, "assistant">>,
  secrets: SecretValues = new Map(),
): CommandPolicy {
  const policy = defaultPolicy(options);
  const commands = checkedCommands(options.allowExec ?? []);
  const reasons = new Map<string, string>();

  function decide(call: PolicyCall): PolicyDecision {
    if (call.name === "exec") return checkExec(call, commands);
    if (call.name === "secret") return checkSecret(call, secrets);
    const decision = policy.check(call);
    return decision.decision === "allow"
      ? decision
      : { ...decision, reason: inOptions(decision.reason) };
  }

  return {
    check(call: PolicyCall): PolicyDecision {
      const decision = decide(call);
      if (decision.decision !== "allow") {
        reasons.set(keyOf(call.name, call.target), decision.reason);
      }
      return decision;
    },
    whyRefused: (name, target) => reasons.get(keyOf(name, target)),
  };
}

/**
 * A command that was named runs without a question, as long as the name alone decides what runs: a path is another command, and variables can make a
 * command do anything.
 */
function checkExec({ target, args }: PolicyCall, commands: ReadonlySet<string>): PolicyDecision {
  const options = args[1];
  const setsVariables = typeof options === "object" && options !== null && "env" in options;
  if (target !== undefined && commands.has(target) && !setsVariables) {
    return { decision: "allow" };
  }
  const reason = target === undefined || setsVariables
    ? "it runs a command"
    : `it runs a command; --allow-exec ${target} lets it pass`;
  return { decision: "ask", reason };
}

/** To name a secret on the command line is to grant it, and nobody is asked about another: there is none. */
function checkSecret({ args }: PolicyCall, secrets: SecretValues): PolicyDecision {
  if (secrets.has(String(args[0]))) return { decision: "allow" };
  const names = [...secrets.keys()].join(", ");
  return { decision: "deny", reason: `--secret gives this run ${names} and no other` };
}

function checkedCommands(names: readonly string[]): ReadonlySet<string> {
  for (const name of names) {
    if (/^[^\s/\\]+$/.test(name)) continue;
    throw usageError(
      `--allow-exec takes names of commands such as git, not ${
        JSON.stringify(name)
      }: a path is asked about each time`,
    );
  }
  return new Set(names);
}

/** Functions that pass by options of their own, where they pass at all. */
const NAMED_OTHERWISE: Readonly<Record<string, string>> = {
  exec: "--allow-exec names commands",
  secret: "--secret names secrets",
};

/** What whoever asks for an assistant has agreed to: it reaches nothing but the store, and a page of it reaches nothing at all. */
const OF_AN_ASSISTANT: readonly string[] = ["artifact_save"];

function checkedTools(names: readonly string[]): readonly string[] {
  for (const name of names) {
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) {
      throw usageError(
        `--allow-tools takes names of functions such as writeFile, not ${JSON.stringify(name)}`,
      );
    }
    const otherwise = Object.hasOwn(NAMED_OTHERWISE, name) ? NAMED_OTHERWISE[name] : undefined;
    if (otherwise !== undefined) {
      throw usageError(`--allow-tools does not take ${name}: ${otherwise}`);
    }
  }
  return names;
}

function defaultPolicy(
  { allowNet = [], allowPrivateNet = [], allowTools = [], assistant = false }:
    & Pick<CliOptions, "allowNet" | "allowPrivateNet" | "allowTools">
    & Partial<Pick<CliOptions, "assistant">>,
): DefaultPolicy {
  try {
    return new DefaultPolicy({
      allowDomains: allowNet,
      allowPrivateHosts: allowPrivateNet,
      allowTools: [...checkedTools(allowTools), ...(assistant ? OF_AN_ASSISTANT : [])],
    });
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
    if (option === undefined) return whole;
    const named = `${option} ${host}`;
    return field === "allowTools" ? `--approve auto or ${named}` : named;
  });
}

function keyOf(name: string, target = ""): string {
  return `${name}\n${target}`;
}
