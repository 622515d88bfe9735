/** Where guests run: the one interface behind which each kind of host stands. */
import type { EvaluateRequest, Execution, SandboxLimits } from "../contracts/sandbox.ts";
import type { GuestPack } from "./guest/realm_bridge.ts";

/** What a run's scripts are executed with. */
export interface LeaseOptions {
  /** Guests of different keys never share a process. */
  readonly scopeKey: string;
  /** Limits of each script. */
  readonly limits: SandboxLimits;
  /** What scripts can call. */
  readonly packs: readonly GuestPack[];
}

/** One run's claim on a host. Disposed by the run; what it alone used is then ended. */
export interface GuestLease extends AsyncDisposable {
  /** Starts in the background what the scripts will need. A failure to start shows in `evaluate`. */
  warmUp(): void;
  /** Replaces what scripts can call, from the next one on. */
  usePacks(packs: readonly GuestPack[]): void;
  /**
   * Runs one script.
   *
   * @throws {AgentLoopError} `sandbox_start` or `sandbox_permission` when no guest can be started.
   * @throws {TypeError} when the lease or its host is disposed.
   */
  evaluate(request: EvaluateRequest): Promise<Execution>;
}

/** A host of guests. Owned by whoever made it; disposing it ends every guest. */
export interface SandboxHost extends AsyncDisposable {
  /**
   * Claims a place; starts nothing yet.
   *
   * @throws {AgentLoopError} `sandbox_permission` when a guest may not be started at all.
   * @throws {TypeError} when the host is disposed.
   */
  lease(options: LeaseOptions): GuestLease;
}

/** For whoever wants something of a host that is disposed: a run that is told of its scripts alone would ask its model again and again. */
export function disposedHost(): TypeError {
  return new TypeError(
    "The sandbox host was disposed: dispose it, or the builder that made it, when no run needs it any more.",
  );
}
