/**
 * The guest processes of a host: one for each scope, a cap on how many live, seats in each for scripts that run at once, and one queue in
 * order of arrival for those that find no seat. A process that is idle may be ended for another scope's sake: realms are fresh, so nothing
 * of it is missed. Processes are replaced on age, use and memory, and spares are started ahead of need.
 */
import { AgentLoopError } from "../contracts/errors.ts";
import { guestCommand } from "./guest_command.ts";
import { type GuestProcess, startGuestProcess } from "./guest_process.ts";

/** Bounds of a pool. */
export interface ProcessPoolOptions {
  /** Processes that live at once, spares included. @default 8 */
  readonly maxProcesses?: number;
  /** Scripts that run at once in one process; most of them wait for the host. @default 1_024 */
  readonly maxGuests?: number;
  /** Scripts that wait for a seat at most; one more is refused. @default 10_000 */
  readonly maxQueue?: number;
  /** Processes that are started before a scope needs them. @default 0 */
  readonly spares?: number;
  /** Scripts that one process runs before another takes its place. @default 10_000 (memory is flat while realms are renewed; `maxRssBytes` holds where they are not) */
  readonly maxExecutions?: number;
  /** Age in ms at which a process is replaced. @default 3_600_000 (1 hour) */
  readonly maxAgeMs?: number;
  /** Resident memory in bytes at which a process is replaced once no script runs in it. @default 536_870_912 (512 MiB) */
  readonly maxRssBytes?: number;
}

/** A process with what its parent keeps beside it. */
export interface Place {
  readonly scopeKey: string;
  readonly starting: Promise<GuestProcess>;
  /** The process, once it was spawned. */
  process: GuestProcess | undefined;
  /** Keys under which packs were sent to it. */
  readonly packs: Map<string, number>;
  readonly startedAtMs: number;
  /** Scripts that hold a seat. */
  seats: number;
  /** Position in the order of use: the least is the longest idle. */
  lastUse: number;
}

interface Waiter {
  readonly scopeKey: string;
  /** Gives it a seat, or none. */
  readonly take: (place: Place | undefined) => void;
}

interface Spare {
  readonly starting: Promise<GuestProcess>;
  readonly startedAtMs: number;
}

/** Hands out seats in guest processes. Owned by a host, which closes it. */
export class ProcessPool {
  readonly #options: Required<ProcessPoolOptions>;
  readonly #places = new Map<string, Place>();
  /** Replaced or ended, but not gone yet. */
  readonly #leaving = new Set<Place>();
  readonly #spares: Spare[] = [];
  #queue: Waiter[] = [];
  #uses = 0;
  #closed = false;

  constructor(options: ProcessPoolOptions) {
    this.#options = {
      maxProcesses: 8,
      maxGuests: 1024,
      maxQueue: 10_000,
      spares: 0,
      maxExecutions: 10_000,
      maxAgeMs: 3_600_000,
      maxRssBytes: 512 * 1024 * 1024,
      ...options,
    };
    for (const [name, value] of Object.entries(this.#options)) {
      const least = name === "spares" || name === "maxQueue" ? 0 : 1;
      if (!(value >= least)) {
        throw new RangeError(`${name} must be a number of at least ${least}, not ${value}.`);
      }
    }
  }

  /** Starts the process of a scope ahead of need, where there is room for one. */
  prepare(scopeKey: string): Place | undefined {
    return this.#placeFor(scopeKey, { evict: false });
  }

  /**
   * A seat for one script, at once or in its turn. `undefined` when the signal ended the wait, or the pool was closed.
   *
   * @throws {AgentLoopError} `sandbox_busy` when too many wait already.
   */
  async take(scopeKey: string, signal?: AbortSignal): Promise<Place | undefined> {
    if (this.#closed || signal?.aborted) return undefined;
    const place = this.#seat(scopeKey);
    if (place !== undefined) return place;
    if (this.#queue.length >= this.#options.maxQueue) {
      throw new AgentLoopError(
        `${this.#queue.length} scripts wait for a guest process already (maxQueue). Run fewer at once, or raise maxProcesses or maxGuests.`,
        { code: "sandbox_busy" },
      );
    }
    return await this.#wait(scopeKey, signal);
  }

  /** Gives a seat back. */
  release(place: Place): void {
    place.seats--;
    place.lastUse = ++this.#uses;
    if (this.#isSpent(place)) this.#replace(place);
    if (place.seats === 0 && this.#leaving.has(place)) this.#end(place);
    this.#serve();
  }

  /** Ends the process of a scope and resolves when it is gone. */
  async endScope(scopeKey: string): Promise<void> {
    const own = [...this.#leaving].filter((place) => place.scopeKey === scopeKey);
    const place = this.#places.get(scopeKey);
    if (place !== undefined) own.push(place);
    this.#places.delete(scopeKey);
    await Promise.all(own.map((each) => this.#end(each)));
  }

  /** Ends every process and resolves when they are gone; those that wait for a seat get none. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#queue.splice(0)) waiter.take(undefined);
    const places = [...this.#places.values(), ...this.#leaving];
    this.#places.clear();
    const spares = this.#spares.splice(0);
    await Promise.all([
      ...places.map((place) => this.#end(place)),
      ...spares.map(async (spare) => await (await spare.starting.catch(() => undefined))?.kill()),
    ]);
  }

  #wait(scopeKey: string, signal?: AbortSignal): Promise<Place | undefined> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        scopeKey,
        take(place) {
          signal?.removeEventListener("abort", leave);
          resolve(place);
        },
      };
      const leave = (): void => {
        this.#queue = this.#queue.filter((each) => each !== waiter);
        resolve(undefined);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#queue.push(waiter);
    });
  }

  /** Seats those that wait, in order, as far as there is room. */
  #serve(): void {
    for (let i = 0; i < this.#queue.length;) {
      const waiter = this.#queue[i]!;
      const place = this.#closed ? undefined : this.#seat(waiter.scopeKey);
      if (place === undefined) {
        i++;
        continue;
      }
      this.#queue.splice(i, 1);
      waiter.take(place);
      // One seat was given back: at most one more can be taken, unless a process went.
      if (!this.#hasRoom()) return;
    }
  }

  #hasRoom(): boolean {
    return this.#live() < this.#options.maxProcesses ||
      [...this.#places.values()].some((place) => place.seats < this.#options.maxGuests);
  }

  #seat(scopeKey: string): Place | undefined {
    const place = this.#placeFor(scopeKey, { evict: true });
    if (place === undefined || place.seats >= this.#options.maxGuests) return undefined;
    place.seats++;
    place.lastUse = ++this.#uses;
    return place;
  }

  /** The scope's process; started where there is none, with `evict` also at the price of an idle one. */
  #placeFor(scopeKey: string, { evict }: { readonly evict: boolean }): Place | undefined {
    if (this.#closed) return undefined;
    const known = this.#places.get(scopeKey);
    if (known !== undefined && known.process?.alive !== false) return known;
    this.#places.delete(scopeKey);
    if (this.#live() >= this.#options.maxProcesses && this.#spares.length === 0) {
      const idle = evict ? this.#longestIdle() : undefined;
      if (idle === undefined) return undefined;
      this.#places.delete(idle.scopeKey);
      this.#end(idle);
    }
    return this.#start(scopeKey);
  }

  #longestIdle(): Place | undefined {
    let found: Place | undefined;
    for (const place of this.#places.values()) {
      if (place.seats > 0) continue;
      if (found === undefined || place.lastUse < found.lastUse) found = place;
    }
    return found;
  }

  /** Processes that live or start; one that is being killed does not count any more. */
  #live(): number {
    let leaving = 0;
    for (const place of this.#leaving) if (place.seats > 0) leaving++;
    return this.#places.size + leaving + this.#spares.length;
  }

  #start(scopeKey: string): Place {
    const { starting, startedAtMs } = this.#spares.shift() ?? spawnGuest();
    const place: Place = {
      scopeKey,
      starting,
      process: undefined,
      packs: new Map(),
      startedAtMs,
      seats: 0,
      lastUse: ++this.#uses,
    };
    const drop = (): void => {
      if (this.#places.get(scopeKey) === place) this.#places.delete(scopeKey);
      this.#serve();
    };
    starting.then((process) => {
      place.process = process;
      process.ready.catch(drop);
      process.gone.then(drop);
    }, drop);
    this.#places.set(scopeKey, place);
    this.#refillSpares();
    return place;
  }

  #refillSpares(): void {
    while (
      !this.#closed && this.#spares.length < this.#options.spares &&
      this.#live() < this.#options.maxProcesses
    ) {
      const spare = spawnGuest();
      this.#spares.push(spare);
      spare.starting.then((process) => process.ready).catch(() => {
        const at = this.#spares.indexOf(spare);
        if (at >= 0) this.#spares.splice(at, 1);
      });
    }
  }

  #isSpent(place: Place): boolean {
    const { process } = place;
    if (process === undefined) return false;
    const { maxExecutions, maxAgeMs, maxRssBytes } = this.#options;
    return process.started >= maxExecutions || process.rssBytes > maxRssBytes ||
      performance.now() - place.startedAtMs > maxAgeMs;
  }

  /** Lets another process take over, started now so that nobody waits for it. */
  #replace(place: Place): void {
    if (this.#places.get(place.scopeKey) !== place) return;
    this.#places.delete(place.scopeKey);
    this.#leaving.add(place);
    this.#placeFor(place.scopeKey, { evict: false });
  }

  async #end(place: Place): Promise<void> {
    this.#leaving.add(place);
    const process = await place.starting.catch(() => undefined);
    await process?.kill();
    this.#leaving.delete(place);
  }
}

function spawnGuest(): Spare {
  const starting = Promise.try(() => startGuestProcess(guestCommand()));
  starting.catch(() => {}); // whoever takes it sees the failure
  return { starting, startedAtMs: performance.now() };
}
