/**
 * Keeps what a session's capabilities built across its runs. What is kept is on our side of the border only; realms are fresh as ever.
 * A capability's `build` closes over its context once, so the context that a pool hands on follows the run: its fields read the values of the
 * run that is going on. Runs of one session take turns, since they share what was built.
 */
import { AgentLoopError } from "../contracts/errors.ts";
import { refuseUnknown } from "../contracts/known_names.ts";
import type { Sandbox, SandboxBuilder, SandboxBuildRequest } from "../contracts/sandbox.ts";

/** Options of a {@linkcode SandboxPool}. */
export interface SandboxPoolOptions {
  /** How long a session's sandbox is kept after its last run, in ms; `Infinity` for as long as there is room. @default 1_800_000 (30 minutes) */
  readonly idleTimeoutMs?: number;
  /** Sandboxes that are kept at most; the least recently used goes first. @default 256 */
  readonly maxSandboxes?: number;
  /** Runs of one session that wait for it at most. @default 100 */
  readonly maxWaiting?: number;
}

/** The longest time that a timer holds: more than three weeks. */
const MAX_TIMER_MS = 2_147_483_647;

/** A session's sandbox and the run that has it. */
interface Entry {
  readonly sandbox: Promise<Sandbox>;
  /** What the capabilities' context reads from. */
  readonly relay: Relay;
  busy: boolean;
  readonly waiting: Waiter[];
  idle: ReturnType<typeof setTimeout> | undefined;
  lastUse: number;
  disposed: boolean;
}

/** A run that waits for the one before it. */
interface Waiter {
  /** The sandbox is its own now. */
  own(): void;
  /** What it waited for is gone: it looks again. */
  again(): void;
}

/** A request whose fields are those of the run that is going on. */
interface Relay {
  current: SandboxBuildRequest;
  readonly request: SandboxBuildRequest;
}

const OPTIONS: Readonly<Record<keyof SandboxPoolOptions, true>> = {
  idleTimeoutMs: true,
  maxSandboxes: true,
  maxWaiting: true,
};

/** A builder that wraps another and reuses what it built. Owned by the caller; closing it disposes every sandbox it keeps. */
export class SandboxPool implements SandboxBuilder, AsyncDisposable {
  readonly #delegate: SandboxBuilder;
  readonly #idleTimeoutMs: number;
  readonly #maxSandboxes: number;
  readonly #maxWaiting: number;
  readonly #entries = new Map<string, Entry>();
  #uses = 0;
  #closed = false;

  /**
   * Creates a pool around a builder, which stays the caller's to dispose.
   *
   * @throws {TypeError} when the first is no builder, or there is no such option.
   * @throws {RangeError} when an option is out of range.
   */
  constructor(delegate: SandboxBuilder, options: SandboxPoolOptions = {}) {
    if (typeof delegate?.build !== "function") {
      throw new TypeError(
        "SandboxPool: expected a sandbox builder first, such as new DefaultSandboxBuilder(…)",
      );
    }
    refuseUnknown("SandboxPool", options, OPTIONS);
    const { idleTimeoutMs = 1_800_000, maxSandboxes = 256, maxWaiting = 100 } = options;
    for (
      const [name, value, least] of [
        ["idleTimeoutMs", idleTimeoutMs, 0],
        ["maxSandboxes", maxSandboxes, 1],
        ["maxWaiting", maxWaiting, 0],
      ] as const
    ) {
      if (!(value >= least)) {
        throw new RangeError(`${name} must be a number of at least ${least}, not ${value}.`);
      }
    }
    this.#delegate = delegate;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#maxSandboxes = maxSandboxes;
    this.#maxWaiting = maxWaiting;
  }

  /** Sandboxes that are kept now. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * The session's sandbox, built if there is none. Waits for a run of the same session to end first.
   *
   * @throws {AgentLoopError} `aborted` when the run ends while it waits, `sandbox_busy` when too many wait.
   */
  async build(request: SandboxBuildRequest): Promise<Sandbox> {
    const key = entryKey(request);
    const entry = await this.#own(key, request);
    entry.lastUse = ++this.#uses;
    entry.relay.current = request;
    if (entry.idle !== undefined) clearTimeout(entry.idle);
    this.#evict();
    try {
      return this.#lend(key, entry, await entry.sandbox);
    } catch (error) {
      // What could not be built is not kept; those that wait for it look again.
      this.#entries.delete(key);
      for (const waiter of entry.waiting.splice(0)) waiter.again();
      throw error;
    }
  }

  /** Disposes every sandbox that is kept. Runs that wait are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const entry of entries) for (const waiter of entry.waiting.splice(0)) waiter.again();
    await Promise.all(entries.map((entry) => dispose(entry)));
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The session's entry, once no other run has it; from then on it is busy. */
  async #own(key: string, request: SandboxBuildRequest): Promise<Entry> {
    for (;;) {
      if (this.#closed) throw new TypeError("The sandbox pool was closed.");
      const entry = this.#entries.get(key) ?? this.#create(key, request);
      // Taken at once, not when this has resolved: another run may look in between.
      const isFree = !entry.busy;
      entry.busy = true;
      if (isFree || await this.#wait(entry, request)) return entry;
    }
  }

  #create(key: string, request: SandboxBuildRequest): Entry {
    const relay = createRelay(request);
    const entry: Entry = {
      relay,
      sandbox: this.#delegate.build(relay.request),
      busy: false,
      waiting: [],
      idle: undefined,
      lastUse: 0,
      disposed: false,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  /** What a run gets: disposing it gives the sandbox back. */
  #lend(key: string, entry: Entry, sandbox: Sandbox): Sandbox {
    let lent = true;
    return {
      prompt: sandbox.prompt,
      functions: sandbox.functions,
      limits: sandbox.limits,
      ...(sandbox.secrets === undefined ? {} : { secrets: sandbox.secrets }),
      warmUp: () => sandbox.warmUp?.(),
      ...(sandbox.extend && { extend: (functions) => sandbox.extend?.(functions) }),
      evaluate: (script) => sandbox.evaluate(script),
      [Symbol.asyncDispose]: () => {
        if (lent) {
          sandbox.extend?.([]); // what one run found is not the next one's
          this.#giveBack(key, entry);
        }
        lent = false;
        return Promise.resolve();
      },
    };
  }

  #giveBack(key: string, entry: Entry): void {
    if (this.#next(entry)) return;
    if (this.#entries.get(key) !== entry) return void dispose(entry);
    if (this.#idleTimeoutMs <= MAX_TIMER_MS) {
      entry.idle = setTimeout(() => {
        this.#entries.delete(key);
        dispose(entry);
      }, this.#idleTimeoutMs);
      Deno.unrefTimer(entry.idle);
    }
    this.#evict();
  }

  /** Lets the run that waits longest go on; false when none waits. */
  #next(entry: Entry): boolean {
    const next = entry.waiting.shift();
    if (next === undefined) {
      entry.busy = false;
      return false;
    }
    next.own();
    return true;
  }

  /** Waits for an entry; true when it is handed over, false when it is gone. */
  #wait(entry: Entry, { signal, session }: SandboxBuildRequest): Promise<boolean> {
    if (entry.waiting.length >= this.#maxWaiting) {
      throw new AgentLoopError(
        `${entry.waiting.length} runs of the session ${
          JSON.stringify(session.id)
        } wait already (maxWaiting).`,
        { code: "sandbox_busy" },
      );
    }
    return new Promise((resolve, reject) => {
      const end = (owns: boolean): void => {
        signal.removeEventListener("abort", leave);
        resolve(owns);
      };
      const waiter: Waiter = { own: () => end(true), again: () => end(false) };
      const leave = (): void => {
        const at = entry.waiting.indexOf(waiter);
        if (at >= 0) entry.waiting.splice(at, 1);
        reject(
          new AgentLoopError("The run was ended while it waited for another run of its session.", {
            code: "aborted",
            cause: signal.reason,
          }),
        );
      };
      if (signal.aborted) return leave();
      signal.addEventListener("abort", leave, { once: true });
      entry.waiting.push(waiter);
    });
  }

  /** Lets the least recently used go while there are too many; those in use stay. */
  #evict(): void {
    while (this.#entries.size > this.#maxSandboxes) {
      let oldest: [string, Entry] | undefined;
      for (const each of this.#entries) {
        const [, entry] = each;
        if (entry.busy) continue;
        if (oldest === undefined || entry.lastUse < oldest[1].lastUse) oldest = each;
      }
      if (oldest === undefined) return;
      this.#entries.delete(oldest[0]);
      dispose(oldest[1]);
    }
  }
}

/** Sessions of different tenants never share, whatever their ids. */
function entryKey({ session, scope }: SandboxBuildRequest): string {
  return JSON.stringify([scope?.workspaceId ?? null, scope?.projectId ?? null, session.id]);
}

function createRelay(first: SandboxBuildRequest): Relay {
  const relay = {
    current: first,
    request: {
      get session() {
        return relay.current.session;
      },
      get runId() {
        return relay.current.runId;
      },
      get scope() {
        return relay.current.scope;
      },
      get userId() {
        return relay.current.userId;
      },
      get signal() {
        return relay.current.signal;
      },
      emit: (event: Parameters<SandboxBuildRequest["emit"]>[0]) => relay.current.emit(event),
    },
  };
  return relay;
}

async function dispose(entry: Entry): Promise<void> {
  if (entry.disposed) return;
  entry.disposed = true;
  if (entry.idle !== undefined) clearTimeout(entry.idle);
  const sandbox = await entry.sandbox.catch(() => undefined);
  await sandbox?.[Symbol.asyncDispose]();
}
