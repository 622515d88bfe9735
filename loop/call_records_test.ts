/** When calls get into the trace: those of tools that only look may come with their results, all others come before. */
import { deepEqual, equal, match } from "node:assert/strict";
import type { CallableTool, ToolSet } from "../contracts/tool.ts";
import type { RunSummary } from "../contracts/event.ts";
import type { NewRunStep } from "../contracts/step.ts";
import type { CallContext } from "../contracts/sandbox.ts";
import { MemoryStore } from "../stores/memory.ts";
import { type Fixture, fixture, type FixtureOptions } from "./_run_fixture.ts";
import { AllowAll } from "./policy.ts";

/** A store that tells what each transaction held, and may fail. */
class WatchedStore extends MemoryStore {
  readonly appended: string[][] = [];
  failsAt = Infinity;

  override append(step: NewRunStep) {
    this.#note([step]);
    return super.append(step);
  }

  override appendAll(steps: readonly NewRunStep[]) {
    this.#note(steps);
    return super.appendAll(steps);
  }

  #note(steps: readonly NewRunStep[]): void {
    if (this.appended.length >= this.failsAt) throw new Error("the disk is full");
    this.appended.push(steps.map(({ stepType }) => stepType));
  }
}

type Execute = (context: CallContext) => unknown;

function lookup(
  execute: Execute,
  { safe = true, sideEffect = false }: { safe?: boolean; sideEffect?: boolean } = {},
): ToolSet {
  const callable: CallableTool[] = ["look", "see"].map((name) => ({
    declaration: { name, description: name, parameters: { type: "object" } },
    hostFunction: { name, sideEffect, execute: (_args, context) => execute(context) },
    safe,
  }));
  return { callable: () => callable };
}

/** One reply with these calls, and an answer. */
function looking(
  tools: ToolSet,
  { store, calls = ["look"], ...options }: FixtureOptions & {
    readonly store: WatchedStore;
    readonly calls?: readonly string[];
  },
): Fixture {
  const toolCalls = calls.map((name, at) => ({ id: `c${at}`, name }));
  return fixture([{ toolCalls }, "done"], {
    ...options,
    store,
    config: { protocol: "tools", tools, policy: new AllowAll(), ...options.config },
  });
}

function run({ loop, onEvent }: Fixture, signal?: AbortSignal) {
  return loop.run({ sessionId: "s", message: "m", onEvent, ...(signal && { signal }) });
}

Deno.test("records: a call that only looks and ends at once is one transaction with its reply and its result", async () => {
  const store = new WatchedStore();
  using one = looking(lookup(() => 1), { store });
  equal((await run(one)).finalText, "done");
  deepEqual(store.appended.slice(1, -1), [["llm_call", "tool_call", "tool_result"]]);
});

Deno.test("records: so are several that are made at once", async () => {
  const store = new WatchedStore();
  using one = looking(lookup(() => Promise.resolve(1)), { store, calls: ["look", "see"] });
  equal((await run(one)).finalText, "done");
  deepEqual(store.appended.slice(1, -1), [
    ["llm_call", "tool_call", "tool_call", "tool_result", "tool_result"],
  ]);
});

Deno.test("records: events come in their order, those of the function between call and result", async () => {
  for (const safe of [true, false]) {
    const store = new WatchedStore();
    using one = looking(
      lookup((context) => {
        context.emit({ type: "sandbox_event", name: "seen", args: {} } as never);
        return 1;
      }, { safe }),
      { store },
    );
    await run(one);
    const types = one.events.map(({ type }) => type);
    const from = types.indexOf("llm_call");
    deepEqual(types.slice(from, from + 5), [
      "llm_call",
      "tool_call",
      "sandbox_event",
      "sandbox_event",
      "tool_result",
    ]);
  }
});

Deno.test("records: a call is in the trace before the program turns to anything outside", async () => {
  const store = new WatchedStore();
  const seen: string[] = [];
  using one = looking(
    lookup(async () => {
      await new Promise((resolve) => setTimeout(resolve, 0));
      seen.push(...(await store.lastN("s", 9)).map(({ stepType }) => stepType));
      return 1;
    }),
    { store },
  );
  await run(one);
  deepEqual(seen, ["user", "llm_call", "tool_call"]);
});

for (const kind of [{ safe: false }, { safe: true, sideEffect: true }]) {
  Deno.test(`records: ${JSON.stringify(kind)}: a call is in the trace before it is made`, async () => {
    const store = new WatchedStore();
    const seen: string[] = [];
    using one = looking(lookup(() => void seen.push(...store.appended.flat()), kind), { store });
    await run(one);
    deepEqual(seen, ["user", "llm_call", "tool_call"]);
  });
}

Deno.test("records: where the store fails the run ends so, and what was told meanwhile is told", async () => {
  const store = new WatchedStore();
  store.failsAt = 1;
  using one = fixture([{ toolCalls: [{ id: "c", name: "look" }] }], {
    store,
    config: { protocol: "tools", tools: lookup(() => 1), policy: new AllowAll() },
  });
  const { status, reason } = await run(one);
  deepEqual([status, reason], ["error", "store_failed"]);
  const types = one.events.map(({ type }) => type);
  equal(types.includes("tool_call"), false);
  equal(types.includes("sandbox_event"), true);
  match(JSON.stringify(one.events), /the disk is full/);
});

Deno.test("records: a call whose function ends the run is in the trace", async () => {
  const store = new WatchedStore();
  const caller = new AbortController();
  using one = fixture([{ toolCalls: [{ id: "c", name: "look" }] }], {
    store,
    config: {
      protocol: "tools",
      tools: lookup(() => caller.abort()),
      policy: new AllowAll(),
    },
  });
  const { reason } = await run(one, caller.signal);
  equal(reason, "aborted");
  deepEqual(store.appended.slice(0, 2), [["user"], ["llm_call", "tool_call"]]);
});

Deno.test("records: what a function tells is told as it was then, also where it is kept back until its call is written", async () => {
  for (const safe of [true, false]) {
    const store = new WatchedStore();
    using one = looking(
      lookup((context) => {
        const args = { rows: [1] };
        context.emit({ type: "sandbox_event", args });
        args.rows.push(2);
        context.emit({ type: "sandbox_event", args });
        return 1;
      }, { safe }),
      { store },
    );
    const told: string[] = [];
    await one.loop.run({
      sessionId: "s",
      message: "m",
      onEvent(event) {
        if (event.type === "sandbox_event" && "rows" in event.args) {
          told.push(JSON.stringify(event.args));
        }
      },
    });
    deepEqual(told, ['{"rows":[1]}', '{"rows":[1,2]}']);
  }
});

Deno.test("records: a call whose function ends the run at once is told before what it told itself", async () => {
  for (const safe of [true, false]) {
    const store = new WatchedStore();
    const caller = new AbortController();
    using one = fixture([{ toolCalls: [{ id: "c", name: "look" }] }], {
      store,
      config: {
        protocol: "tools",
        tools: lookup((context) => {
          context.emit({ type: "sandbox_event", args: {} });
          caller.abort();
        }, { safe }),
        policy: new AllowAll(),
      },
    });
    equal((await run(one, caller.signal)).reason, "aborted");
    const { summary } = one.events.at(-1) as { summary: RunSummary };
    deepEqual(one.events.map(({ type }) => type).slice(2), [
      "llm_call",
      "tool_call",
      "sandbox_event",
      "sandbox_event",
      "error",
      "done",
    ]);
    equal(summary.steps, store.appended.flat().length);
  }
});
