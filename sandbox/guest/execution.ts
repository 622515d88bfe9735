/**
 * One script in one realm, from its text to its outcome. Keeps the account of its computing time, lets go of the thread every few
 * milliseconds, suspends the guest in host calls, and drives its promises. A script's own failures are outcomes, never throws.
 */
import type {
  Execution,
  ExecutionFailure,
  ReplyText,
  SandboxLimits,
} from "../../contracts/sandbox.ts";
import type { Pointer } from "./engine.ts";
import { type FailureCause, failureFor, printable } from "./failure.ts";
import { formatForRealm } from "./format.ts";
import { createLogBuffer } from "./log_buffer.ts";
import { overLimit, readOutcome } from "./outcome.ts";
import { type MeasuredText, type Realm, RealmError } from "./realm.ts";
import type { GuestPack } from "./realm_bridge.ts";
import { SLICE_MS, type Thread } from "./thread.ts";

/** Digits of a length in a reply, as `decodeReply` in realm_bridge.ts reads them. */
const LENGTH_DIGITS = 10;
/** The call that reaches nothing outside. */
const SLEEP = "sleep";

/** Calls that nobody waited for and whose failures are told one by one. */
const MAX_UNHEARD = 5;

/** One script to run. */
export interface GuestScript {
  readonly source: string;
  readonly argsJson?: string;
  readonly seed: number;
  /** The clock at the start, in ms since the epoch. */
  readonly nowMs: number;
  readonly limits: SandboxLimits;
  readonly packs: readonly GuestPack[];
}

/** The answer to a call, with the clock at that moment. */
export interface GuestReply {
  readonly nowMs: number;
  readonly ok: boolean;
  /** JSON of the result when `ok`; absent for no value, and where the text is all of it. */
  readonly json?: string;
  readonly text?: ReplyText;
  readonly name?: string;
  readonly message?: string;
}

/** Where an execution reaches out of its thread. */
export interface GuestPort {
  /** Answers a host call. Never rejects. */
  call(sequence: number, name: string, argsJson: string): Promise<GuestReply>;
  /** Takes the first answer, as JSON, the moment it is given. */
  answer(json: string): void;
  /** Told when guest code begins to run that must have ended or polled within `budgetMs`. */
  enter(budgetMs: number): void;
  /** Told when it does not run any more. */
  leave(): void;
}

/** An execution under way. */
export interface GuestExecution {
  readonly done: Promise<Omit<Execution, "answerJson">>;
  /** Whether the script came to an end of its own, so that its realm may be renewed. Known once `done` has settled. */
  readonly clean: boolean;
  /** Ends the script at its next poll. */
  cancel(): void;
}

/** Starts a script in a realm that has run none. */
export function startExecution(
  realm: Realm,
  script: GuestScript,
  surroundings: { readonly port: GuestPort; readonly thread: Thread },
): GuestExecution {
  const { port, thread } = surroundings;
  const { limits } = script;
  const log = createLogBuffer(limits.logBytes);
  const replies: { id: string; name: string; reply: GuestReply }[] = [];
  /** Calls that failed when `run` was over: it did not wait for them, and nobody else would tell the model. */
  const unheard: string[] = [];
  const clockMs = [script.nowMs];
  let nowMs = script.nowMs;
  let stopped: FailureCause | undefined;
  let usedMs = 0;
  let sliceStart = 0;
  let calls = 0;
  /** Calls under way that the script did not wait for so far, and how many of them are mere sleeps. */
  let outstanding = 0;
  let sleeping = 0;
  let wake: (() => void) | undefined;
  let clean = false;
  const cancelled = Promise.withResolvers<GuestReply>();

  /** The script was given up while it did not run: it is never let in again. */
  let abandoned = false;
  let running = false;
  const gone = Promise.withResolvers<Omit<Execution, "answerJson">>();

  function resume(): void {
    running = true;
    sliceStart = performance.now();
    port.enter(Math.max(0, limits.guestTimeMs - usedMs));
  }
  function pause(): void {
    running = false;
    usedMs += performance.now() - sliceStart;
    port.leave();
  }
  /** Does something of ours while guest code waits for it, outside of the guest's time. */
  function outside<T>(work: () => T): T {
    pause();
    try {
      return work();
    } finally {
      resume();
    }
  }
  /** Runs the realm's code with the thread held and the clock of computing time on. */
  async function guest<T>(work: () => Promise<T>): Promise<T> {
    await letIn();
    try {
      refuseAbandoned();
      return await work();
    } finally {
      pause();
      thread.release();
    }
  }
  /** Lets go of the thread inside guest code until something has come, which must not be a rejection. */
  async function suspend<T>(wait: () => Promise<T>): Promise<T> {
    pause();
    thread.release();
    const come = await wait();
    await letIn();
    refuseAbandoned();
    return come;
  }
  async function letIn(): Promise<void> {
    const turn = thread.acquire();
    if (turn !== undefined) await turn;
    resume();
  }
  /** Unwinds the stack of a script that was given up, without a step of guest code: V8 keeps a suspended stack, and all it refers to, for ever. */
  function refuseAbandoned(): void {
    if (abandoned) throw new AbandonedError();
  }

  function poll(): boolean | Promise<boolean> {
    if (stopped !== undefined) return true;
    const slice = performance.now() - sliceStart;
    if (usedMs + slice > limits.guestTimeMs) {
      stopped = "time";
      return true;
    }
    if (slice < SLICE_MS) return false;
    return suspend(() => thread.nextTask()).then(() => stopped !== undefined);
  }

  function onCall(argv: Pointer): Pointer | Promise<Pointer> {
    const { operation, text, bytes } = realm.readCall(argv);
    switch (operation) {
      case "log":
        log.add(JSON.parse(text));
        return 0;
      case "format":
        return realm.newString(formatForRealm(text));
      case "seed":
        return realm.newString(String(script.seed));
      case "answer": {
        const max = limits.argsBytes;
        if (bytes > max) return realm.newString("!" + overLimit("the answer", bytes, max));
        outside(() => port.answer(text));
        return realm.newString("");
      }
      case "call":
      case "start": {
        const split = text.indexOf("\n");
        const name = text.slice(0, split);
        const argumentBytes = bytes - name.length - 1;
        const max = limits.callArgumentBytes;
        if (argumentBytes > max) {
          return realm.newString("!" + overLimit(`the arguments of ${name}`, argumentBytes, max));
        }
        const call = { name, argsJson: text.slice(split + 1) };
        if (operation === "start") return realm.newString(outside(() => startCall(call)));
        return suspend(() => callHost(call)).then((reply) =>
          realm.newString(replyText(take(reply)))
        );
      }
      default:
        return 0;
    }
  }

  /** Answered at the latest when the script is cancelled. */
  function callHost({ name, argsJson }: GuestCall): Promise<GuestReply> {
    return Promise.race([port.call(calls++, name, argsJson), cancelled.promise]);
  }
  function startCall(call: GuestCall): string {
    const id = String(calls);
    const sleeps = call.name === SLEEP;
    outstanding++;
    if (sleeps) sleeping++;
    callHost(call).then((reply) => {
      outstanding--;
      if (sleeps) sleeping--;
      replies.push({ id, name: call.name, reply });
      wake?.();
    });
    return id;
  }
  /** The clock jumps to the host's time at each reply. */
  function take(reply: GuestReply): GuestReply {
    nowMs = reply.nowMs;
    clockMs.push(nowMs);
    return reply;
  }

  async function runScript(): Promise<MeasuredText> {
    const evaluated = await guest(() => realm.evaluate(script.source));
    if (evaluated.threw) return await describe(evaluated.value);
    const given = script.argsJson === undefined ? [] : [script.argsJson];
    return await pump(await guest(() => realm.control("run", ...given)));
  }
  /** What the script threw before there was a `run` to call. */
  async function describe(thrown: Pointer): Promise<MeasuredText> {
    const described = await guest(() => realm.control("describe", thrown));
    const text = JSON.stringify({ ...JSON.parse(described!.text), parsing: true }) + "\n";
    return { text, bytes: text.length };
  }

  /** Runs jobs and delivers replies until the outcome is there and no call is under way. */
  async function pump(known: MeasuredText | undefined): Promise<MeasuredText> {
    let outcome = known;
    const ask = async () => outcome ??= await guest(() => realm.control("outcome"));
    while (stopped === undefined) {
      if (thread.isDue()) await thread.nextTask();
      if (realm.hasJob()) {
        await guest(() => realm.runJob());
        continue;
      }
      const next = replies.shift();
      if (next !== undefined) {
        if (!next.reply.ok && await ask() !== undefined) unheard.push(unheardFailure(next));
        await guest(() => realm.control("settle", next.id, replyText(take(next.reply))));
        continue;
      }
      // Calls may have effects and are waited for, awaited or not; a sleep that lost a race is not.
      if (outstanding === sleeping && await ask() !== undefined) return outcome!;
      // A reply may have come while the outcome was asked for.
      if (replies.length > 0) continue;
      if (outstanding > 0) await new Promise<void>((resolve) => wake = resolve);
      else stopped = "unsettled";
    }
    return { text: "", bytes: 0 };
  }

  async function run(): Promise<Omit<Execution, "answerJson">> {
    realm.setHooks({ onCall, onPoll: poll, onClock: () => nowMs });
    let failure: ExecutionFailure | undefined;
    let valueJson: string | undefined;
    let notes: readonly string[] = [];
    try {
      const outcome = await runScript();
      if (stopped === undefined) {
        const { memoryRanOut } = realm;
        ({ failure, valueJson, notes } = readOutcome(outcome, {
          limits,
          source: script.source,
          memoryRanOut,
        }));
        if (failure === undefined) notes = [...notes, ...shortened(unheard)];
      }
      clean = stopped === undefined && !realm.memoryRanOut;
    } catch (error) {
      failure = failureFor(causeOf(error), limits);
    }
    if (stopped !== undefined) failure = failureFor(stopped, limits);
    return report(failure, valueJson, notes);
  }

  function report(
    failure: ExecutionFailure | undefined,
    valueJson: string | undefined,
    notes: readonly string[],
  ): Omit<Execution, "answerJson"> {
    return {
      ...(failure && { failure }),
      ...(valueJson !== undefined && { valueJson }),
      logs: log.text(),
      notes,
      guestMs: Math.round(usedMs),
      hostCalls: calls,
      clockMs,
    };
  }

  function causeOf(error: unknown): FailureCause {
    if (realm.memoryRanOut) return "memory";
    // V8 ends the wasm stack with a RangeError; the engine's own code inside the realm meets the same limit as an InternalError.
    if (error instanceof RangeError) return "stack";
    if (error instanceof RealmError) {
      return error.message.includes("out of memory") ? "memory" : "stack";
    }
    return "engine";
  }

  run().then(gone.resolve, gone.reject);
  return {
    done: gone.promise,
    get clean() {
      return clean;
    },
    cancel() {
      stopped ??= "cancelled";
      cancelled.resolve({ nowMs, ok: false, message: "the run was ended" });
      wake?.();
      if (running) return;
      abandoned = true;
      gone.resolve(report(failureFor(stopped, limits), undefined, []));
    },
  };
}

/** Unwinds a script that was given up; nobody waits for it. */
class AbandonedError extends Error {}

interface GuestCall {
  readonly name: string;
  readonly argsJson: string;
}

function replyText(reply: GuestReply): string {
  if (!reply.ok) {
    return "-" + JSON.stringify({ name: reply.name ?? "Error", message: reply.message ?? "" });
  }
  const { json, text } = reply;
  if (text === undefined) return json === undefined ? "=" : "+" + json;
  const { key = "", value } = text;
  if (json === undefined) return "~" + value;
  return "#" + digits(key.length) + digits(json.length) + key + json + value;
}

/** A length in as many digits as the realm reads. */
function digits(length: number): string {
  return String(length).padStart(LENGTH_DIGITS, "0");
}

function unheardFailure(
  { name, reply: { message = "" } }: { readonly name: string; readonly reply: GuestReply },
): string {
  return `run was over when ${name} failed, since nothing awaited it: ${printable(message)}`;
}

function shortened(unheard: readonly string[]): string[] {
  const more = unheard.length - MAX_UNHEARD;
  return [
    ...unheard.slice(0, MAX_UNHEARD),
    ...(more > 0 ? [`so did ${more} more ${more === 1 ? "call" : "calls"}`] : []),
  ];
}
