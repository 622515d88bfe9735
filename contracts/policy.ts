/**
 * Whether a call out of a script may happen. Asked by the gate for every call, nested ones too.
 */
import type { JsonValue } from "./json.ts";
import type { Scope } from "./scope.ts";

/** What a call is aimed at. */
export interface CallAim {
  /** What a person would name it by: a host for `fetch`, a file, a command. */
  readonly target: string;
  /** The port, for an aim in a network. */
  readonly port?: number;
  /** Whether the aim, an address or a name that stands for this machine, lies in a private network; absent while that is not known. */
  readonly network?: "public" | "private";
}

/** What a policy sees of a call. */
export interface PolicyCall extends Partial<CallAim> {
  /** The function that is called, e.g. `fetch`. */
  readonly name: string;
  /** The arguments as the script gave them. */
  readonly args: readonly JsonValue[];
  /** Whether the function is registered as having consequences outside. */
  readonly sideEffect: boolean;
  /** The tenant, if the run has one. */
  readonly scope?: Scope;
  /** The session. */
  readonly sessionId: string;
}

/** A policy's word on a call. `ask` with nobody to ask is a refusal. */
export type PolicyDecision =
  | { readonly decision: "allow" }
  | { readonly decision: "deny"; readonly reason: string }
  | { readonly decision: "ask"; readonly reason: string };

/**
 * Decides over calls. Called for each call, and again for what it comes to on its way, such as the network in which its host turns out to lie; when it throws, the call is
 * refused.
 */
export interface PolicyChecker {
  /** Decides over one call. */
  check(call: PolicyCall): PolicyDecision | Promise<PolicyDecision>;
}
