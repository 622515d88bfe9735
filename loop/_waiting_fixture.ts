/** What the tests of scripts that wait share: functions that note what was really done, and loops over one store, each a process of its own. */
import type { Approve } from "../contracts/approval.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { LoopConfig, RunResult } from "../contracts/loop.ts";
import type { HostFunction } from "../contracts/sandbox.ts";
import type { ScriptJournal } from "../contracts/script_journal.ts";
import type { SessionStore } from "../contracts/session.ts";
import type { CallableTool } from "../contracts/tool.ts";
import type { ScriptedStep } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import type { FakeSandboxOptions } from "./_fake_sandbox.ts";
import { block, type Fixture, fixture } from "./_run_fixture.ts";
import { DefaultPolicy } from "./policy.ts";

/** No word yet. */
export const WAIT: Approve = () => ({ decision: "wait" });

/** A store, and what was really done over it. */
export class Waiting {
  readonly store = new MemoryStore();
  readonly done: string[] = [];
  /** Called when a function runs, before it gives its result. */
  onCall: (name: string, args: JsonValue | undefined) => unknown = () => {};
  #count = 0;

  /** Functions: `look` passes and gives another number each time, `send` is asked about. */
  readonly functions: HostFunction[] = [
    this.#function("look", false, () => ++this.#count),
    this.#function("send", true, () => "sent"),
    this.#function("pay", true, () => "paid"),
  ];

  /** One process. */
  open(
    replies: readonly ScriptedStep[],
    { config, sandbox, approve = WAIT }: {
      readonly config?: Partial<LoopConfig>;
      readonly sandbox?: FakeSandboxOptions;
      readonly approve?: Approve;
    } = {},
  ): Fixture {
    return fixture(replies, {
      store: this.store,
      sandbox: { functions: this.functions, ...sandbox },
      config: { policy: new DefaultPolicy(), approve, calls: this.store, ...config },
    });
  }

  /** The sessions as another process has them: the same data behind objects of its own. */
  ofAnotherProcess(): SessionStore {
    const { store } = this;
    const scripts: ScriptJournal = {
      keep: (script) => store.scripts.keep(script),
      kept: (sessionId) => store.scripts.kept(sessionId),
      claim: (claim) => store.scripts.claim(claim),
      keepCall: (claim, call) => store.scripts.keepCall(claim, call),
      drop: (script) => store.scripts.drop(script),
    };
    return {
      scripts,
      get: (id) => store.get(id),
      exists: (id) => store.exists(id),
      updateData: (id, json) => store.updateData(id, json),
      finalize: (id, summary) => store.finalize(id, summary),
    };
  }

  /** Runs a script until it waits. */
  async wait(source: string, options: Parameters<Waiting["open"]>[1] = {}): Promise<RunResult> {
    using run = this.open([block(source)], options);
    return await run.loop.run({ sessionId: "s", message: "go" });
  }

  /** Names of the calls in the audit log, with what was decided. */
  async audit(): Promise<string[]> {
    return (await this.store.calls("s")).map(({ name, decision }) => `${name} ${decision}`);
  }

  #function(name: string, sideEffect: boolean, result: () => JsonValue): HostFunction {
    return {
      name,
      sideEffect,
      execute: async (args) => {
        this.done.push(`${name} ${JSON.stringify(args[0] ?? null)}`);
        await this.onCall(name, args[0]);
        return result();
      },
    };
  }
}

/** The observation that the model was sent last. */
export function observed({ llm }: Fixture): string {
  return llm.requests.at(-1)?.messages.at(-1)?.content ?? "";
}

/** A word that says yes. */
export const YES = { sessionId: "s", decision: { decision: "approve" } } as const;

/** A word that says no. */
export const NO = { sessionId: "s", decision: { decision: "deny" } } as const;

/** The same functions as tools that are called by name, and the protocol for that. */
export function byName(w: Waiting, { safe = false } = {}): Partial<LoopConfig> {
  const all = w.functions.map((hostFunction): CallableTool => ({
    declaration: {
      name: hostFunction.name,
      description: hostFunction.name,
      parameters: { type: "object" },
    },
    hostFunction,
    safe,
  }));
  return { protocol: "tools", tools: { callable: () => all } };
}

/** A reply that calls these, each by an id of its own. */
export function calls(...names: readonly string[]): ScriptedStep {
  return { toolCalls: names.map((name, at) => ({ id: `${name}${at}`, name, arguments: { at } })) };
}
