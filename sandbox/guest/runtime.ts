/**
 * The guest runtime of one thread: the loaded engine, the next realm made ahead of need, and the executions under way.
 * Used by the guest process and, in the calling process, by whoever cannot start one. It knows no pipes.
 */
import type { Execution, SandboxLimits } from "../../contracts/sandbox.ts";
import { type Engine, loadEngine } from "./engine.ts";
import { type GuestPort, type GuestScript, startExecution } from "./execution.ts";
import { createRealm, type Realm } from "./realm.ts";
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
  /** Lets go of what keeps the event loop alive. Scripts that still run are not ended. */
  close(): void;
}

/**
 * Loads the engine and checks, by running a script, that everything the guest relies on is there.
 *
 * @throws {Error} saying what is missing.
 */
export async function createGuestRuntime(limits: SandboxLimits): Promise<GuestRuntime> {
  const engine = await loadEngine();
  const source = realmSource();
  const thread = createThread();
  const runtime = assemble(engine, source, thread);
  await selfCheck(runtime, limits);
  runtime.prepare(limits);
  return runtime;
}

function assemble(engine: Engine, source: string, thread: Thread): GuestRuntime {
  const ready = new Map<string, Promise<Realm>>();
  const make = ({ memoryBytes, stackBytes }: SandboxLimits): Promise<Realm> => {
    const made = createRealm(engine, { memoryBytes, stackBytes, source });
    made.catch(() => {}); // whoever takes it sees the failure
    return made;
  };
  const key = (limits: SandboxLimits): string => `${limits.memoryBytes}/${limits.stackBytes}`;
  const prepare = (limits: SandboxLimits): void => {
    if (!ready.has(key(limits))) ready.set(key(limits), make(limits));
  };
  const take = (limits: SandboxLimits): Promise<Realm> => {
    const prepared = ready.get(key(limits));
    ready.delete(key(limits));
    return prepared ?? make(limits);
  };
  return {
    prepare,
    start(script, port) {
      const begun = take(script.limits).then((realm) =>
        startExecution(realm, script, { port, thread })
      );
      let cancelled = false;
      const done = begun.then((execution) => {
        if (cancelled) execution.cancel();
        return execution.done;
      });
      return {
        done: done.finally(() => prepare(script.limits)),
        cancel() {
          cancelled = true;
          begun.then((execution) => execution.cancel(), () => {});
        },
      };
    },
    close: () => thread.close(),
  };
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
