/** Secrets that scripts may use: where they come from, where they may go, and what is asked before they do. */
import type { Scope } from "./scope.ts";

/** A secret with a bound on where it goes. */
export interface Secret {
  /** Its value: at least 4 characters without the white space around it, or it cannot be kept out of logs. */
  readonly value: string;
  /**
   * Hosts that it may be sent to, written as in `allowDomains` of the default policy. With them it is filled into requests to these hosts and used in no
   * other way: neither scripts nor commands get it. Requests without encryption get it only where the entry names their port, such as `example.com:80`.
   * @default wherever the policy lets it go, encrypted
   */
  readonly hosts?: readonly string[];
}

/** For whom a secret is looked up. */
export interface SecretRequest {
  /** Ends with the run, or with the call. */
  readonly signal: AbortSignal;
  /** The session. */
  readonly sessionId: string;
  /** The tenant, if the run has one. */
  readonly scope?: Scope;
  /** The invoking user; absent for runs that a system started. */
  readonly userId?: string;
}

/** Where secrets come from. */
export interface SecretSource {
  /** Names that are known beforehand; scripts are told them. */
  readonly names?: readonly string[];
  /**
   * Looks a secret up by its name; `undefined` when there is none. Asked once a call, after the policy and a person have agreed. What it throws reaches
   * the script, message only.
   */
  get(
    name: string,
    request: SecretRequest,
  ): string | Secret | undefined | Promise<string | Secret | undefined>;
}

/** Where a secret is filled in: a request to a host, or a command. */
export type SecretUse =
  | {
    readonly host: string;
    readonly port?: number;
    /** Whether it would travel unencrypted over a network; a request to this machine does not. @default false */
    readonly plain?: boolean;
  }
  | { readonly command: string };
