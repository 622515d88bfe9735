/**
 * The process host: guests in child processes without a permission, one process a scope. A process is started when a run claims its
 * place, while the model is still being asked, and is ended when the last run that uses it ends, unless it is to be kept warm.
 */
import type { EvaluateRequest, Execution } from "../contracts/sandbox.ts";
import { failureFor } from "./guest/failure.ts";
import { guestCommand } from "./guest_command.ts";
import { type GuestProcess, startGuestProcess } from "./guest_process.ts";
import type { GuestLease, LeaseOptions, SandboxHost } from "./host.ts";
import { LOST, runScript } from "./script_run.ts";
import { failedExecution, refuseLargeSource } from "./source_limit.ts";

/** Options of a {@linkcode createProcessHost}. */
export interface ProcessHostOptions {
  /** How long a process that no run uses is kept, in ms. It never keeps a program from ending. @default 0 */
  readonly idleMs?: number;
  /** Scripts that one process runs before another takes its place. @default 2_000 (memory was flat over 3,000) */
  readonly maxExecutions?: number;
}

/** A script whose process goes before it reached outside is run again this often. */
const ATTEMPTS = 2;

/** Makes a host that runs guests in child processes. Owned by the caller; disposing it ends every process. */
export function createProcessHost(options: ProcessHostOptions = {}): SandboxHost {
  const { idleMs = 0, maxExecutions = 2_000 } = options;
  return new ProcessHost(idleMs, maxExecutions);
}

/** A process with what its parent keeps beside it. */
interface Place {
  readonly starting: Promise<GuestProcess>;
  /** The process, once it was spawned. */
  process: GuestProcess | undefined;
  /** Keys under which packs were sent to it. */
  readonly packs: Map<string, number>;
}

/** What the runs of one scope share. */
interface ScopePlaces {
  leases: number;
  /** Its last lease has gone; nothing is started for it any more. */
  ended: boolean;
  current: Place | undefined;
  /** Replaced, but with scripts that still run. */
  readonly retired: Set<Place>;
  idle: ReturnType<typeof setTimeout> | undefined;
}

class ProcessHost implements SandboxHost {
  readonly #scopes = new Map<string, ScopePlaces>();
  readonly #idleMs: number;
  readonly #maxExecutions: number;

  constructor(idleMs: number, maxExecutions: number) {
    this.#idleMs = idleMs;
    this.#maxExecutions = maxExecutions;
  }

  lease(options: LeaseOptions): GuestLease {
    const scope = this.#scope(options.scopeKey);
    scope.leases++;
    clearTimeout(scope.idle);
    const packsKey = JSON.stringify(options.packs);
    // What goes wrong here goes wrong again in evaluate, where somebody listens.
    const place = this.#place(scope);
    place.starting.then(
      (process) => this.#sendPacks(place, process, { ...options, packsKey }),
      () => {},
    );
    let open = true;
    return {
      evaluate: async (request) => {
        if (!open) throw new TypeError("The sandbox was disposed; build another one.");
        return await this.#evaluate(scope, request, { ...options, packsKey });
      },
      [Symbol.asyncDispose]: async () => {
        if (!open) return;
        open = false;
        await this.#leave(options.scopeKey, scope);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const scopes = [...this.#scopes.values()];
    this.#scopes.clear();
    await Promise.all(scopes.map((scope) => this.#end(scope)));
  }

  async #evaluate(
    scope: ScopePlaces,
    request: EvaluateRequest,
    options: LeaseOptions & { readonly packsKey: string },
  ): Promise<Execution> {
    const refused = refuseLargeSource(request, options.limits);
    if (refused !== undefined) return refused;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (scope.ended) return failedExecution(request, failureFor("cancelled", options.limits));
      const place = this.#place(scope);
      const process = await place.starting;
      await process.ready;
      const packs = this.#sendPacks(place, process, options);
      const end = await runScript(process, request, { limits: options.limits, packs });
      this.#retireSpent(scope, place);
      if ("execution" in end) return end.execution;
    }
    return failedExecution(request, { kind: "lost", message: LOST });
  }

  #scope(key: string): ScopePlaces {
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const made: ScopePlaces = {
      leases: 0,
      ended: false,
      current: undefined,
      retired: new Set(),
      idle: undefined,
    };
    this.#scopes.set(key, made);
    return made;
  }

  /** The scope's process, started anew when it is gone. */
  #place(scope: ScopePlaces): Place {
    if (scope.current?.process?.alive === false) scope.current = undefined;
    return scope.current ??= this.#start(scope);
  }

  #start(scope: ScopePlaces): Place {
    const starting = guestCommand().then(startGuestProcess);
    const place: Place = { starting, process: undefined, packs: new Map() };
    const drop = (): void => {
      if (scope.current === place) scope.current = undefined;
    };
    starting.then((process) => {
      place.process = process;
      process.ready.catch(drop);
    }, drop);
    return place;
  }

  /** Replaces a process that has run its share, ahead of need, and ends it when its last script has ended. */
  #retireSpent(scope: ScopePlaces, place: Place): void {
    const process = place.process!;
    if (process.started < this.#maxExecutions || scope.ended) return;
    if (scope.current === place) {
      scope.current = undefined;
      scope.retired.add(place);
      this.#place(scope);
    }
    if (process.active === 0) process.kill().then(() => scope.retired.delete(place));
  }

  /** Packs cross the pipe once a process. */
  #sendPacks(
    place: Place,
    process: GuestProcess,
    options: LeaseOptions & { readonly packsKey: string },
  ): number {
    const known = place.packs.get(options.packsKey);
    if (known !== undefined) return known;
    const key = place.packs.size + 1;
    place.packs.set(options.packsKey, key);
    process.allow(options.limits);
    process.send({ type: "packs", key, packs: options.packs, limits: options.limits });
    return key;
  }

  async #leave(key: string, scope: ScopePlaces): Promise<void> {
    scope.leases--;
    if (scope.leases > 0) return;
    if (this.#idleMs <= 0) {
      this.#scopes.delete(key);
      return await this.#end(scope);
    }
    scope.idle = setTimeout(() => {
      this.#scopes.delete(key);
      this.#end(scope);
    }, this.#idleMs);
    Deno.unrefTimer(scope.idle);
  }

  async #end(scope: ScopePlaces): Promise<void> {
    scope.ended = true;
    clearTimeout(scope.idle);
    const places = [scope.current, ...scope.retired].filter((place) => place !== undefined);
    scope.current = undefined;
    scope.retired.clear();
    await Promise.all(places.map(async (place) => {
      const process = await place.starting.catch(() => undefined);
      await process?.kill();
    }));
  }
}
