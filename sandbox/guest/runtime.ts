/**
 * The guest runtime of one thread: the loaded engine, the next realm made ahead of need, and the executions under way.
 * Used by the guest process and, in the calling process, by whoever cannot start one. It knows no pipes.
 */
import type { Execution, ExecutionFailure, SandboxLimits } from "../../contracts/sandbox.ts";
import { type Engine, loadEngine } from "./engine.ts";
import {
  type GuestExecution,
  type GuestPort,
  type GuestScript,
  startExecution,
} from "./execution.ts";
import { failureFor, printable } from "./failure.ts";
import { measureLayout } from "./memory_template.ts";
import { RealmError } from "./realm.ts";
import type { GuestPack } from "./realm_bridge.ts";
import { createRealmFactory } from "./realm_factory.ts";
import { createRealmStocks, type RealmStocks } from "./realm_stocks.ts";
import { createThread, type Thread } from "./thread.ts";

/** A script under way. */
export interface RunningScript {
  readonly done: Promise<Omit<Execution, "answerJson">>;
  /** Ends the script at its next poll. */
  cancel(): void;
}

/** Runs scripts. */
export interface GuestRuntime {
  /** Makes the next realm for these limits and packs ahead of need. */
  prepare(limits: SandboxLimits, packs: readonly GuestPack[]): void;
  /** Runs one script in a fresh realm. */
  start(script: GuestScript, port: GuestPort): RunningScript;
  /** Whether every script waits for its host, and nothing is being made. Told truly once all microtasks have run. */
  isQuiet(): boolean;
  /** Renews the realms that were used since. For when nobody waits: otherwise whoever takes such a realm waits for it. */
  tidy(): void;
  /** Lets go of what keeps the event loop alive, and of what is kept for later scripts. Scripts that still run are not ended. */
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
  const factory = createRealmFactory(engine, layout);
  const stocks = createRealmStocks(factory);
  const runtime = assemble(stocks, { engine, thread: createThread() });
  await selfCheck(runtime, limits);
  stocks.clear();
  return runtime;
}

/** With so many scripts begun, a new one begins only when none of them wants the thread: each holds a realm of a megabyte. */
const ENOUGH_REALMS = 16;

function assemble(
  stocks: RealmStocks,
  { engine, thread }: { readonly engine: Engine; readonly thread: Thread },
): GuestRuntime {
  let begun = 0;
  let live = 0;
  return {
    prepare: (limits, packs) => stocks.of(limits, packs).prepare(),
    start(script, port) {
      const stock = stocks.of(script.limits, script.packs);
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
        if (cancelled) return neverRan(script, failureFor("cancelled", script.limits));
        let realm;
        try {
          const taken = stock.take();
          realm = taken instanceof Promise ? await taken : taken;
        } catch (error) {
          if (error instanceof RealmError) return neverRan(script, failureOfSetup(error));
          throw error;
        }
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
          if (execution === undefined) {
            done.resolve(neverRan(script, failureFor("cancelled", script.limits)));
          } else execution.cancel();
        },
      };
    },
    isQuiet: () => thread.isQuiet() && !stocks.isMaking,
    tidy: stocks.tidy,
    close() {
      thread.close();
      engine.close();
    },
  };
}

/** The outcome of a script that did not begin. */
function neverRan(
  { nowMs }: GuestScript,
  failure: ExecutionFailure,
): Omit<Execution, "answerJson"> {
  return { failure, logs: "", notes: [], guestMs: 0, hostCalls: 0, clockMs: [nowMs] };
}

/** The code of a pack is no fault of the script's, but the model is told why nothing of it ran. */
function failureOfSetup({ message }: RealmError): ExecutionFailure {
  return { kind: "threw", message: printable(`the sandbox could not be set up: ${message}`) };
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
