/**
 * The guest runtime of one thread: the loaded engine, the next realm made ahead of need, and the executions under way.
 * Used by the guest process and, in the calling process, by whoever cannot start one. It knows no pipes.
 */
import type { Execution, SandboxLimits } from "../../contracts/sandbox.ts";
import { type Engine, loadEngine } from "./engine.ts";
import {
  type GuestExecution,
  type GuestPort,
  type GuestScript,
  startExecution,
} from "./execution.ts";
import { failureFor } from "./failure.ts";
import { measureLayout } from "./memory_template.ts";
import { createRealmFactory, type Realm, type RealmFactory } from "./realm.ts";
import { realmSource } from "./realm_source.ts";
import { createThread, type Thread } from "./thread.ts";

/** A script under way. */
export interface RunningScript {
  readonly done: Promise<Omit<Execution, "answerJson">>;
  /** Ends the script at its next poll. */
  cancel(): void;
}

/** Runs scripts. */
export interface GuestRuntime {
  /** Makes the next realm for these limits ahead of need. */
  prepare(limits: SandboxLimits): void;
  /** Runs one script in a fresh realm. */
  start(script: GuestScript, port: GuestPort): RunningScript;
  /** Whether every script waits for its host, and nothing is being made. Told truly once all microtasks have run. */
  isQuiet(): boolean;
  /** Renews the realms that were used since. For when nobody waits: otherwise whoever takes such a realm waits for it. */
  tidy(): void;
  /** Lets go of what keeps the event loop alive. Scripts that still run are not ended. */
  close(): void;
}

/**
 * Loads the engine and checks, by running a script, that everything the guest relies on is there. Tests hand in engines that behave otherwise.
 *
 * @throws {Error} saying what is missing.
 */
export async function createGuestRuntime(
  limits: SandboxLimits,
  load: () => Promise<Engine> = loadEngine,
): Promise<GuestRuntime> {
  const engine = await load();
  const layout = await measureLayout(engine);
  const source = realmSource();
  const stocks = new Map<string, RealmStock>();
  const stockFor = ({ memoryBytes, stackBytes }: SandboxLimits): RealmStock => {
    const key = `${memoryBytes}/${stackBytes}`;
    const known = stocks.get(key);
    if (known !== undefined) return known;
    const made = createStock(
      createRealmFactory(engine, { memoryBytes, stackBytes, source, layout }),
    );
    stocks.set(key, made);
    return made;
  };
  const runtime = assemble({ stocks, stockFor, thread: createThread() });
  await selfCheck(runtime, limits);
  runtime.prepare(limits);
  return runtime;
}

/** Fresh realms of one kind. */
interface RealmStock {
  /** Sees to it that one is there. */
  prepare(): void;
  take(): Realm | Promise<Realm>;
  /** Takes a used realm back; it is renewed later. */
  giveBack(realm: Realm): void;
  /** Renews what was given back, and drops what cannot be renewed. */
  tidy(): void;
  /** Whether a realm is being made. */
  readonly isMaking: boolean;
}

/** With so many scripts begun, a new one begins only when none of them wants the thread: each holds a realm of a megabyte. */
const ENOUGH_REALMS = 16;

/** Used realms that are kept at most: more than this are seldom busy at one moment, and each holds about a megabyte. */
const MAX_STOCK = 32;

function createStock(factory: RealmFactory): RealmStock {
  const fresh: Realm[] = [];
  const used: Realm[] = [];
  let making = 0;
  let ahead: Promise<Realm> | undefined;
  const make = (): Promise<Realm> => {
    making++;
    return factory.create().finally(() => making--);
  };
  const renewed = (): Realm | undefined => {
    for (;;) {
      const realm = used.pop();
      if (realm === undefined || realm.renew()) return realm;
    }
  };
  return {
    prepare() {
      if (fresh.length > 0 || used.length > 0 || ahead !== undefined) return;
      ahead = make();
      ahead.catch(() => {}); // whoever takes it sees the failure
    },
    take() {
      const ready = fresh.pop() ?? renewed();
      if (ready !== undefined) return ready;
      const made = ahead ?? make();
      ahead = undefined;
      return made;
    },
    giveBack(realm) {
      if (fresh.length + used.length < MAX_STOCK) used.push(realm);
    },
    tidy() {
      for (let realm = renewed(); realm !== undefined; realm = renewed()) fresh.push(realm);
    },
    get isMaking() {
      return making > 0;
    },
  };
}

function assemble(
  { stocks, stockFor, thread }: {
    readonly stocks: ReadonlyMap<string, RealmStock>;
    readonly stockFor: (limits: SandboxLimits) => RealmStock;
    readonly thread: Thread;
  },
): GuestRuntime {
  let begun = 0;
  let live = 0;
  return {
    prepare: (limits) => stockFor(limits).prepare(),
    start(script, port) {
      const stock = stockFor(script.limits);
      const done = Promise.withResolvers<Omit<Execution, "answerJson">>();
      let cancelled = false;
      let execution: GuestExecution | undefined;
      async function run(): Promise<Omit<Execution, "answerJson">> {
        begun++;
        try {
          if (live >= ENOUGH_REALMS) await thread.whenIdle();
          live++;
          return await execute().finally(() => live--);
        } finally {
          // Nothing of ours keeps a program from ending while no script is under way.
          if (--begun === 0) thread.close();
        }
      }
      async function execute(): Promise<Omit<Execution, "answerJson">> {
        if (cancelled) return neverRan(script);
        const taken = stock.take();
        const realm = taken instanceof Promise ? await taken : taken;
        execution = startExecution(realm, script, { port, thread });
        if (cancelled) execution.cancel();
        const outcome = await execution.done;
        if (execution.clean) stock.giveBack(realm);
        stock.prepare();
        return outcome;
      }
      run().then(done.resolve, done.reject);
      return {
        done: done.promise,
        cancel() {
          cancelled = true;
          if (execution === undefined) done.resolve(neverRan(script));
          else execution.cancel();
        },
      };
    },
    isQuiet: () => thread.isQuiet() && ![...stocks.values()].some((stock) => stock.isMaking),
    tidy() {
      for (const stock of stocks.values()) stock.tidy();
    },
    close: () => thread.close(),
  };
}

/** The outcome of a script that was cancelled before it began. */
function neverRan({ limits, nowMs }: GuestScript): Omit<Execution, "answerJson"> {
  const failure = failureFor("cancelled", limits);
  return { failure, logs: "", notes: [], guestMs: 0, hostCalls: 0, clockMs: [nowMs] };
}

/** Calls, logs, a promise, a value and the clock, through everything that was found in the minified build. */
async function selfCheck(runtime: GuestRuntime, limits: SandboxLimits): Promise<void> {
  const { done } = runtime.start({
    source: `async function run(args) {
  log("ready", await echo(args.n));
  return { n: args.n, now: Date.now(), zone: new Date().getTimezoneOffset() };
}`,
    argsJson: '{"n":7}',
    seed: 1,
    nowMs: 1000,
    limits,
    packs: [{ functions: ["echo"] }],
  }, {
    call: (_sequence, _name, argsJson) =>
      Promise.resolve({ nowMs: 2000, ok: true, json: JSON.parse(argsJson)[0].toString() }),
    answer() {},
    enter() {},
    leave() {},
  });
  const { failure, valueJson, logs } = await done;
  if (logs !== "ready 7" || valueJson !== '{"n":7,"now":2000,"zone":0}') {
    throw new Error(
      `The QuickJS build does not behave as expected: ${
        failure?.message ?? valueJson ?? "no value"
      }.`,
    );
  }
}
