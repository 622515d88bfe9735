/**
 * The process host: guests in child processes without a permission, one process a scope. A process is started when a run says that it
 * will have scripts, while the model is still being asked, and is ended when the last run that uses it ends, unless it is to be kept warm.
 */
import { refuseUnknown } from "../contracts/known_names.ts";
import type { EvaluateRequest, Execution } from "../contracts/sandbox.ts";
import { failureFor } from "./guest/failure.ts";
import { checkMayStart } from "./guest_command.ts";
import type { GuestProcess } from "./guest_process.ts";
import { disposedHost, type GuestLease, type LeaseOptions, type SandboxHost } from "./host.ts";
import { type Place, ProcessPool, type ProcessPoolOptions } from "./process_pool.ts";
import { LOST, runScript } from "./script_run.ts";
import { failedExecution, refuseLargeSource } from "./source_limit.ts";

/** Options of a {@linkcode createProcessHost}. */
export interface ProcessHostOptions extends ProcessPoolOptions {
  /** How long a process that no run uses is kept, in ms. It never keeps a program from ending. @default 0 */
  readonly idleMs?: number;
}

const OPTIONS: Readonly<Record<keyof ProcessHostOptions, true>> = {
  idleMs: true,
  maxProcesses: true,
  maxGuests: true,
  maxQueue: true,
  spares: true,
  maxExecutions: true,
  maxAgeMs: true,
  maxRssBytes: true,
};

/** The longest that a timer holds. */
const MAX_TIMER_MS = 2_147_483_647;

/** A script whose process goes before it reached outside is run again this often. */
const ATTEMPTS = 2;

/**
 * Makes a host that runs guests in child processes. Owned by the caller; disposing it ends every process.
 *
 * @throws {TypeError} when there is no such option.
 * @throws {RangeError} when a bound is out of range.
 */
export function createProcessHost(options: ProcessHostOptions = {}): SandboxHost {
  refuseUnknown("createProcessHost", options, OPTIONS);
  const { idleMs = 0, ...bounds } = options;
  if (!(idleMs >= 0 && idleMs <= MAX_TIMER_MS)) {
    throw new RangeError(`idleMs must be a number from 0 to ${MAX_TIMER_MS}, not ${idleMs}.`);
  }
  return new ProcessHost(idleMs, new ProcessPool(bounds));
}

/** The runs that use a scope's process. */
interface ScopeUse {
  leases: number;
  /** Its last lease has gone; nothing is started for it any more. */
  ended: boolean;
  idle: ReturnType<typeof setTimeout> | undefined;
}

type KeyedLease = LeaseOptions & { readonly packsKey: string };

class ProcessHost implements SandboxHost {
  readonly #scopes = new Map<string, ScopeUse>();
  readonly #idleMs: number;
  readonly #pool: ProcessPool;
  #disposed = false;

  constructor(idleMs: number, pool: ProcessPool) {
    this.#idleMs = idleMs;
    this.#pool = pool;
  }

  lease(options: LeaseOptions): GuestLease {
    if (this.#disposed) throw disposedHost();
    checkMayStart();
    const scope = this.#scope(options.scopeKey);
    scope.leases++;
    if (scope.idle !== undefined) clearTimeout(scope.idle);
    let keyed = keyedLease(options);
    const closing = new AbortController();
    const join = joiner(closing.signal);
    return {
      warmUp: () => {
        if (closing.signal.aborted || scope.ended) return;
        const place = this.#pool.prepare(options.scopeKey);
        // What goes wrong here goes wrong again in evaluate, where somebody listens.
        place?.starting.then((process) => sendPacks(place, process, keyed), () => {});
      },
      usePacks: (packs) => keyed = keyedLease({ ...options, packs }),
      evaluate: (request) => {
        if (closing.signal.aborted) {
          return Promise.reject(new TypeError("The sandbox was disposed; build another one."));
        }
        if (this.#disposed) return Promise.reject(disposedHost());
        const refused = refuseLargeSource(request, options.limits);
        return refused === undefined
          ? this.#evaluate(scope, { ...request, signal: join(request.signal) }, keyed)
          : Promise.resolve(refused);
      },
      [Symbol.asyncDispose]: async () => {
        if (closing.signal.aborted) return;
        closing.abort();
        await this.#leave(options.scopeKey, scope);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    for (const scope of this.#scopes.values()) {
      scope.ended = true;
      clearTimeout(scope.idle);
    }
    this.#scopes.clear();
    await this.#pool.close();
  }

  async #evaluate(
    scope: ScopeUse,
    request: EvaluateRequest,
    options: KeyedLease,
  ): Promise<Execution> {
    const { limits, scopeKey } = options;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const place = scope.ended ? undefined : await this.#pool.take(scopeKey, request.signal);
      if (place === undefined) return failedExecution(request, failureFor("cancelled", limits));
      try {
        if (scope.ended) continue;
        const process = readyNow(place, request.signal) ?? await untilReady(place, request.signal);
        if (process === undefined) {
          return failedExecution(request, failureFor("cancelled", limits));
        }
        const packs = sendPacks(place, process, options);
        const end = await runScript(process, request, { limits, packs });
        if ("execution" in end) return end.execution;
      } catch (error) {
        // A process that its own host ended has not failed to start.
        if (!scope.ended) throw error;
      } finally {
        this.#pool.release(place);
      }
    }
    if (scope.ended) return failedExecution(request, failureFor("cancelled", limits));
    return failedExecution(request, { kind: "lost", message: LOST });
  }

  #scope(key: string): ScopeUse {
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const made: ScopeUse = { leases: 0, ended: false, idle: undefined };
    this.#scopes.set(key, made);
    return made;
  }

  async #leave(key: string, scope: ScopeUse): Promise<void> {
    scope.leases--;
    if (scope.leases > 0 || scope.ended) return;
    if (this.#idleMs <= 0) return await this.#end(key, scope);
    scope.idle = setTimeout(() => void this.#end(key, scope), this.#idleMs);
    Deno.unrefTimer(scope.idle);
  }

  async #end(key: string, scope: ScopeUse): Promise<void> {
    scope.ended = true;
    this.#scopes.delete(key);
    await this.#pool.endScope(key);
  }
}

function keyedLease(options: LeaseOptions): KeyedLease {
  return { ...options, packsKey: JSON.stringify(options.packs) };
}

/** Joins a lease's own end with the signals of its scripts, which are mostly one and the same. */
function joiner(own: AbortSignal): (signal: AbortSignal | undefined) => AbortSignal {
  let last: { readonly of: AbortSignal; readonly joined: AbortSignal } | undefined;
  return (signal) => {
    if (signal === undefined) return own;
    if (last?.of !== signal) last = { of: signal, joined: AbortSignal.any([own, signal]) };
    return last.joined;
  };
}

/** The process where it is ready already, as it mostly is. */
function readyNow({ process }: Place, signal: AbortSignal | undefined): GuestProcess | undefined {
  return process?.isReady && !signal?.aborted ? process : undefined;
}

/** The process once it is ready; `undefined` when the signal ends first. */
async function untilReady(
  place: Place,
  signal: AbortSignal | undefined,
): Promise<GuestProcess | undefined> {
  const process = await place.starting;
  const ended = Promise.withResolvers<undefined>();
  const onAbort = (): void => ended.resolve(undefined);
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  const release = process.hold();
  try {
    return await Promise.race([process.ready.then(() => process), ended.promise]);
  } finally {
    release();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Packs cross the pipe once a process. */
function sendPacks(place: Place, process: GuestProcess, options: KeyedLease): number {
  process.allow(options.limits);
  const known = place.packs.get(options.packsKey);
  if (known !== undefined) return known;
  const key = place.packs.size + 1;
  place.packs.set(options.packsKey, key);
  process.send({ type: "packs", key, packs: options.packs, limits: options.limits });
  return key;
}
