/**
 * The calls of one script that may have to wait for a person's word. It remembers how each of them ended, in the order in which the script was told, with the clock
 * that it was given: a script that is evaluated again with these answers comes to the same place. There the calls of the earlier evaluation are answered from what
 * is kept, and none of them is made again; only when all of them are told does anything go on live.
 */
import type { PendingApproval } from "../contracts/approval.ts";
import type { HostCall, HostCallHandler, HostReply } from "../contracts/sandbox.ts";
import { type CallEntry, type CallEntryEnd, namesOf, sizeOfEntry } from "./call_entry.ts";
import { shown } from "./passage.ts";

/** What is known of an earlier evaluation of the script. */
export interface PastCalls {
  /**
   * Its calls, in the order in which they were made. Those between them that nothing is known of had not begun: where a process died, not all that it was asked for
   * was written down.
   */
  readonly entries: readonly CallEntry[];
  /** The clock at its start. */
  readonly startMs: number;
  /** The position of the call on which the word is given now; nothing where it was made already. */
  readonly pending?: number | undefined;
}

/** What the calls are made of. */
export interface ScriptCallsOptions {
  /** The clock. */
  readonly now: () => Date;
  /** Ends with the run. */
  readonly signal: AbortSignal;
  /** Names the calls of the script: `PREFIX_POSITION`. */
  readonly idPrefix: string;
  /** What is remembered at most; above it the script cannot wait. */
  readonly maxBytes: number;
  /** So long a script that is evaluated again may compute between two calls. */
  readonly stuckMs: number;
  /** Whether a call only looks for something that the run itself has to be told of again. */
  readonly isSearch: (name: string) => boolean;
  /** The earlier evaluation; nothing for the first. */
  readonly past?: PastCalls;
  /** Keeps a call before it begins and when it has ended, for a script that goes on. Rejects when nothing may be written any more. */
  readonly keep?: (entry: CallEntry) => Promise<void>;
}

/** Why a script was stopped. */
export type ScriptStop =
  | { readonly kind: "waiting"; readonly pending: PendingApproval; readonly position: number }
  | { readonly kind: "diverged"; readonly message: string }
  | { readonly kind: "failed"; readonly cause: unknown };

/** Answers calls: as the gate does, and the one that waited as the word says. */
export interface Answering {
  readonly live: HostCallHandler;
  readonly word?: HostCallHandler | undefined;
}

/** The calls of one evaluation. */
export class ScriptCalls {
  readonly #options: ScriptCallsOptions;
  readonly #entries: CallEntry[];
  readonly #past: ReadonlySet<CallEntry>;
  readonly #bySequence = new Map<number, CallEntry>();
  /** Calls of the earlier evaluation that were not made again yet. */
  readonly #unmade: Set<CallEntry>;
  /** Positions of calls of the earlier evaluation of which nothing is known. */
  readonly #gaps: number[];
  /** So many of its calls had ended. */
  readonly #pastEnds: number;
  /** Calls that come to their end also when the script is stopped: they have begun, or a person has decided on them. */
  readonly #busy = new Set<CallEntry>();
  readonly #stopped = Promise.withResolvers<ScriptStop>();
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #turns = new Map<number, () => void>();
  /** Clocks of replies that the script has not been given yet. */
  readonly #clocks: number[] = [];
  #stop: ScriptStop | undefined;
  #startMs = 0;
  /** The position of the next new call. */
  #next: number;
  #ended = 0;
  #delivered = 0;
  #bytes = 0;
  #isTooLarge = false;
  #isClosed = false;
  #newNotes: string[] = [];
  #allNotes: string[] = [];
  #writes: Promise<void> = Promise.resolve();
  #drained: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ScriptCallsOptions) {
    this.#options = options;
    const { past } = options;
    this.#entries = [...past?.entries ?? []];
    this.#past = new Set(this.#entries);
    this.#unmade = new Set(this.#entries);
    this.#next = 1 + (this.#entries.at(-1)?.position ?? -1);
    const known = new Set(this.#entries.map(({ position }) => position));
    this.#gaps = [...Array(this.#next).keys()].filter((position) => !known.has(position));
    this.#pastEnds = this.#entries.filter(({ end }) => end !== undefined).length;
    this.#ended = this.#pastEnds;
    this.#bytes = this.#entries.reduce((sum, entry) => sum + sizeOfEntry(entry), 0);
    if (this.#pastEnds === 0) this.#caughtUp.resolve();
  }

  /** Resolves when the script is to be stopped; never rejects. */
  get stopped(): Promise<ScriptStop> {
    return this.#stopped.promise;
  }

  /** The calls that were made, in their order. */
  get entries(): readonly CallEntry[] {
    return this.#entries;
  }

  /** The clock at the script's start. */
  get startMs(): number {
    return this.#startMs;
  }

  /** What the model is to be told of the calls, those of the earlier evaluation first. */
  get notes(): readonly string[] {
    return this.#allNotes;
  }

  /** Takes what the model is to be told of a call that is under way. */
  readonly note = (text: string): void => {
    this.#newNotes.push(text);
    this.#allNotes.push(text);
  };

  /** The clock for the sandbox: at each reply the one that belongs to it. */
  readonly now = (): Date => {
    const { past, now } = this.#options;
    const clock = this.#clocks.shift();
    if (clock !== undefined) return new Date(clock);
    if (this.#delivered > 0) return now();
    const start = past === undefined ? now() : new Date(past.startMs);
    this.#startMs = start.getTime();
    this.#watch();
    return start;
  };

  /** Answers a call. Settles at the latest when the script ends. */
  async answer(call: HostCall, { live, word }: Answering): Promise<HostReply> {
    const entry = this.#take(call);
    if (entry === undefined) return await held(call);
    this.#watch();
    const { end } = entry;
    if (end !== undefined) {
      if (this.#options.isSearch(call.name)) await live(call);
      return await this.#again(call, end, { tellsNotes: !this.#options.isSearch(call.name) });
    }
    const isMeant = this.#past.has(entry) && entry.position === this.#options.past?.pending;
    if (this.#delivered < this.#pastEnds) {
      const over = await Promise.race([this.#caughtUp.promise, held(call)]);
      if (over !== undefined) return over;
    }
    if (this.#stop !== undefined) return await held(call);
    const decided = isMeant ? word : undefined;
    if (decided !== undefined) this.#busy.add(entry);
    const reply = await (decided ?? live)(call);
    if (this.#stop === undefined || entry.begun === true) {
      return await this.#endLive(call, { entry, reply });
    }
    this.#letGo(entry);
    return await held(call);
  }

  /** Told by the gate of a call that was decided on, before anything comes of that. False when nothing must. */
  readonly begin = async ({ sequence }: HostCall): Promise<boolean> => {
    const entry = this.#bySequence.get(sequence);
    if (entry === undefined) return false;
    if (this.#stop !== undefined && !this.#busy.has(entry)) return false;
    entry.begun = true;
    this.#busy.add(entry);
    if (await this.#keep(entry)) return true;
    this.#letGo(entry);
    return false;
  };

  /** Told by the gate that there is no word yet on a call. Gives the reason why the script cannot wait for it; nothing when it does. */
  readonly wait = (
    asked: Omit<PendingApproval, "callId">,
    { sequence }: HostCall,
  ): string | undefined => {
    const entry = this.#bySequence.get(sequence);
    if (this.#isTooLarge || entry === undefined) {
      const { maxBytes } = this.#options;
      return `what the script has fetched until now is too large to be kept until somebody decides (more than ${maxBytes} bytes)`;
    }
    if (this.#stop !== undefined) return undefined;
    const { position } = entry;
    const pending = { callId: `${this.#options.idPrefix}_${position}`, ...asked };
    this.#halt({ kind: "waiting", pending, position });
    return undefined;
  };

  /** Whether a call was neither decided on nor answered: then it is made again where the script goes on. */
  isOpen({ sequence }: HostCall): boolean {
    const entry = this.#bySequence.get(sequence);
    return entry !== undefined && entry.begun !== true && entry.end === undefined;
  }

  /** Resolves when the calls that have begun have ended. */
  async drain(): Promise<void> {
    if (this.#busy.size > 0) await new Promise<void>((resolve) => this.#drained = resolve);
  }

  /** Why the script has not come to where it waited, although it ended by itself; nothing when it has. */
  divergence(): string | undefined {
    const { past } = this.#options;
    if (past === undefined) return undefined;
    const open = [...this.#unmade].filter(({ end, position }) =>
      end !== undefined || position === past.pending
    );
    return open.length === 0 ? undefined : this.#diverged(`it did not call ${namesOf(open)} again`);
  }

  /** The script has ended: what it still calls comes to nothing. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** The entry of a call: one of the earlier evaluation, or a new one. Nothing when it can be none. */
  #take({ sequence, name, argsJson }: HostCall): CallEntry | undefined {
    if (this.#isClosed || (this.#stop !== undefined && this.#stop.kind !== "waiting")) {
      return undefined;
    }
    for (const entry of this.#unmade) {
      if (entry.name !== name || entry.argsJson !== argsJson) continue;
      this.#unmade.delete(entry);
      this.#bySequence.set(sequence, entry);
      return entry;
    }
    const gap = this.#gaps.shift();
    // A script makes its calls in the same order again: one that is not known comes after all that are.
    if (gap === undefined && this.#unmade.size > 0) {
      const message = this.#diverged(
        `it called ${shown(name)} in another way, or in another place, than before`,
      );
      this.#halt({ kind: "diverged", message });
      return undefined;
    }
    const entry: CallEntry = { position: gap ?? this.#next++, name, argsJson };
    this.#bySequence.set(sequence, entry);
    this.#entries.push(entry);
    this.#grow(argsJson.length);
    return entry;
  }

  /** Gives the reply of the earlier evaluation, when it is its turn. */
  async #again(
    call: HostCall,
    { order, clockMs, reply, notes }: CallEntryEnd,
    { tellsNotes }: { readonly tellsNotes: boolean },
  ): Promise<HostReply> {
    if (order > this.#delivered) {
      const turn = new Promise<void>((resolve) => this.#turns.set(order, resolve));
      const over = await Promise.race([turn, held(call)]);
      if (over !== undefined) return over;
    }
    if (this.#stop !== undefined) return await held(call);
    if (tellsNotes) this.#allNotes.push(...notes);
    return this.#deliver(reply, clockMs);
  }

  async #endLive(
    call: HostCall,
    { entry, reply }: { readonly entry: CallEntry; readonly reply: HostReply },
  ): Promise<HostReply> {
    const { now, signal } = this.#options;
    // Whoever is ended by an end of run or script does not know what became of the call: it stays one that began.
    if (call.signal.aborted || signal.aborted) {
      this.#letGo(entry);
      return reply;
    }
    const clockMs = now().getTime();
    const end = { order: this.#ended++, clockMs, reply, notes: this.#newNotes.splice(0) };
    if (!this.#isTooLarge) {
      entry.end = end;
      this.#grow(sizeOfEntry(entry) - entry.argsJson.length);
    }
    // What is too large to be kept stays begun: whoever went on after this process would be told that its end is not known.
    await (entry.end === undefined ? undefined : this.#keep(entry));
    this.#letGo(entry);
    if (this.#stop !== undefined) return await held(call);
    return this.#deliver(reply, clockMs);
  }

  #deliver(reply: HostReply, clockMs: number): HostReply {
    this.#clocks.push(clockMs);
    this.#delivered++;
    this.#turns.get(this.#delivered)?.();
    this.#turns.delete(this.#delivered);
    if (this.#delivered === this.#pastEnds) this.#caughtUp.resolve();
    this.#watch();
    return reply;
  }

  /** Writes an entry down, after those before it. False when that failed: then the script is stopped. */
  async #keep(entry: CallEntry): Promise<boolean> {
    const { keep } = this.#options;
    if (keep === undefined) return true;
    const written = this.#writes.then(() => keep(entry));
    this.#writes = written.catch(() => {});
    try {
      await written;
      return true;
    } catch (cause) {
      this.#halt({ kind: "failed", cause });
      return false;
    }
  }

  #letGo(entry: CallEntry): void {
    this.#busy.delete(entry);
    if (this.#busy.size === 0) this.#drained?.();
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#options.maxBytes || this.#isTooLarge) return;
    this.#isTooLarge = true;
    // Nobody will ask for them any more, unless they are still to be told to the script.
    for (const entry of this.#entries) if (!this.#past.has(entry)) delete entry.end;
  }

  #halt(stop: ScriptStop): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    clearTimeout(this.#timer);
    this.#stopped.resolve(stop);
  }

  /** A script that does not come to its next call while it is evaluated again goes another way than before. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#stop !== undefined || this.#delivered >= this.#pastEnds) return;
    this.#timer = setTimeout(() => {
      const open = [...this.#unmade].filter(({ end }) => end !== undefined);
      const message = this.#diverged(`it did not call ${namesOf(open)} again`);
      this.#halt({ kind: "diverged", message });
    }, this.#options.stuckMs);
  }

  #diverged(how: string): string {
    const done = (this.#options.past?.entries ?? []).filter(({ begun }) => begun === true);
    const before = done.length === 0
      ? "Nothing had been called before."
      : `Called before, and not called again: ${namesOf(done)}.`;
    return `this script waited for a person's word and was run again to go on from there, but went another way: ${how}. It was stopped. ${before} Look before you do anything again.`;
  }
}

/** What the calls of a script that is stopped get: an error, and not before the script has ended. */
function held({ name, signal }: HostCall): Promise<HostReply> {
  return new Promise((resolve) => {
    const end = () =>
      resolve({
        ok: false,
        name: "AbortError",
        message: `${shown(name)} was ended with the script`,
      });
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
