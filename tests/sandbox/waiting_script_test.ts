/** Scripts that wait for a word, in real guests: what a script can tell from one evaluation to the next is what it is given again. */
import assert from "node:assert/strict";
import type { ApprovalDecision } from "../../contracts/approval.ts";
import type { JsonValue } from "../../contracts/json.ts";
import type { RunResult } from "../../contracts/loop.ts";
import type { HostFunction } from "../../contracts/sandbox.ts";
import { scriptedClient } from "../../llm/scripted.ts";
import { tryRandomScripts } from "../../loop/_waiting_property.ts";
import { createLoop } from "../../loop/create_loop.ts";
import { DefaultPolicy } from "../../loop/policy.ts";
import { DefaultSandboxBuilder } from "../../sandbox/default_builder.ts";
import type { SandboxHost } from "../../sandbox/host.ts";
import { createInlineHost } from "../../sandbox/inline_host.ts";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { MemoryStore } from "../../stores/memory.ts";

/** A session whose scripts can wait at `ask`, and what was called in it. */
class Session implements AsyncDisposable {
  readonly store = new MemoryStore();
  readonly calls: string[] = [];
  /** Called when a word is asked for. */
  onAsk: () => void = () => {};
  readonly #host: SandboxHost;
  readonly #functions: Record<string, (arg: JsonValue) => unknown>;

  constructor(host: SandboxHost, functions: Record<string, (arg: JsonValue) => unknown> = {}) {
    this.#host = host;
    this.#functions = { ask: (arg) => arg, ...functions };
  }

  async run(source: string): Promise<RunResult> {
    using llm = scriptedClient(["```js\n" + source + "\n```"]);
    return await this.#loop(llm).run({ sessionId: "s", message: "go" });
  }

  /** Goes on, and gives what the model is told and what the session carries. */
  async resume(
    decision: Exclude<ApprovalDecision, { decision: "wait" }> = { decision: "approve" },
    without: readonly string[] = [],
  ): Promise<{ result: RunResult; told: string; data: unknown }> {
    using llm = scriptedClient(["over"]);
    const result = await this.#loop(llm, without).resume({ sessionId: "s", decision });
    const { data } = await this.store.get("s");
    return {
      result,
      told: llm.requests.at(-1)?.messages.at(-1)?.content ?? "",
      data: data === undefined ? undefined : JSON.parse(data),
    };
  }

  #loop(llm: ReturnType<typeof scriptedClient>, without: readonly string[] = []) {
    const functions = Object.entries(this.#functions)
      .filter(([name]) => !without.includes(name))
      .map(([name, does]): HostFunction => ({
        name,
        sideEffect: name === "ask",
        execute: ([arg = null]) => {
          this.calls.push(name);
          return does(arg);
        },
      }));
    const pack = { name: "test", prompt: "", functions };
    const capabilities = [{ name: "test", description: "", build: () => [pack] }];
    return createLoop({
      llm,
      sessions: this.store,
      steps: this.store,
      sandboxBuilder: new DefaultSandboxBuilder({ host: this.#host, capabilities }),
      policy: new DefaultPolicy(),
      approve: () => {
        this.onAsk();
        return { decision: "wait" };
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host[Symbol.asyncDispose]();
  }
}

/** Hosts, and how many scripts of any shape are tried in each. */
const HOSTS: readonly [string, () => SandboxHost, number][] = [
  ["in a process", () => createProcessHost({ idleMs: 10_000 }), 150],
  ["inline", () => createInlineHost(), 100],
];

for (const [where, makeHost, rounds] of HOSTS) {
  Deno.test(`waiting ${where}: scripts of any shape, ended anywhere, do nothing twice and lose nothing`, async () => {
    await using host = makeHost();
    await tryRandomScripts({
      from: 5000,
      rounds,
      sandboxFor(functions) {
        const pack = { name: "test", prompt: "", functions };
        const capabilities = [{ name: "test", description: "", build: () => [pack] }];
        return new DefaultSandboxBuilder({ host, capabilities });
      },
    });
  });

  Deno.test(`waiting ${where}: both styles go on with time, chance and args as they were`, async () => {
    for (const [run, wait] of [["function run", ""], ["async function run", "await "]]) {
      await using session = new Session(makeHost(), {
        tick: () => new Promise((r) => setTimeout(r, 3)),
      });
      await session.store.updateData("s", '{"n":7}');
      const waited = await session.run(`${run}(args) {
        const seen = [args.n, Math.random(), Date.now()];
        ${wait}tick();
        seen.push(Date.now(), Math.random());
        const given = ${wait}ask(seen);
        return [seen, given, Date.now() >= seen[3]];
      }`);
      assert.equal(waited.status, "waiting");
      const { data, result } = await session.resume();
      assert.equal(result.finalText, "over");
      const [seen, given, isLater] = data as [number[], number[], boolean];
      assert.deepEqual(seen, waited.pending!.args[0]);
      assert.deepEqual(given, seen);
      assert.equal(isLater, true);
      assert.deepEqual(session.calls, ["tick", "ask"]);
    }
  });

  Deno.test(`waiting ${where}: a call that lost a race against a sleep loses it again, and nobody sleeps twice`, async () => {
    const hang = Promise.withResolvers<string>();
    await using session = new Session(makeHost(), { late: () => hang.promise });
    const source = `async function run() {
      const slow = late("x");
      const won = await Promise.race([slow, sleep(5).then(() => "sleep")]);
      await sleep(20);
      const given = await ask(won);
      return [won, given, await slow];
    }`;
    // It comes to its end while the other call waits.
    session.onAsk = () => hang.resolve("late");
    const waited = await session.run(source);
    assert.deepEqual([waited.status, waited.pending?.args], ["waiting", ["sleep"]]);
    const { data } = await session.resume();
    assert.deepEqual(data, ["sleep", "sleep", "late"]);
    assert.deepEqual(session.calls, ["late", "ask"]);
  });

  Deno.test(`waiting ${where}: many calls at once, which end in any order, are each given their own`, async () => {
    await using session = new Session(makeHost(), {
      look: (arg) => new Promise((resolve) => setTimeout(() => resolve(arg), Math.random() * 20)),
    });
    const source = `async function run() {
      const order = [];
      const chain = async (n) => {
        for (let step = 0; step < 3; step++) {
          const got = await look(n % 5 + ":" + step);
          order.push(n + "=" + got);
        }
        return n;
      };
      const all = await Promise.all(Array.from({ length: 20 }, (_, n) => chain(n)));
      const given = await ask(order.length);
      return [order, all, given, await look("after")];
    }`;
    const waited = await session.run(source);
    assert.equal(waited.status, "waiting");
    const { data, told } = await session.resume();
    const [order, all, given, after] = data as [string[], number[], number, string];
    assert.equal(order.length, 60, told);
    assert.deepEqual([all.length, given, after], [20, 60, "after"]);
    assert.ok(order.every((line) => {
      const [n, got = ""] = line.split("=");
      return got.startsWith(`${Number(n) % 5}:`);
    }));
    assert.equal(session.calls.length, 62);
  });

  Deno.test(`waiting ${where}: long texts and values of all kinds are given again as they were, errors too`, async () => {
    const long = 'é\u2028"\\'.repeat(10_000);
    await using session = new Session(makeHost(), {
      text: () => long,
      page: () => ({ status: 200, body: long, headers: { a: "b" } }),
      nothing: () => undefined,
      fails: () => {
        throw Object.assign(new Error("no way"), { name: "RangeError" });
      },
    });
    const source = `function run() {
      const seen = [text("x"), page("y"), typeof nothing()];
      try { fails(); } catch (error) { seen.push(error.name, error.message); }
      ask(1);
      return seen;
    }`;
    assert.equal((await session.run(source)).status, "waiting");
    const { data } = await session.resume();
    assert.deepEqual(data, [
      long,
      { status: 200, body: long, headers: { a: "b" } },
      "undefined",
      "RangeError",
      "no way",
    ]);
    assert.deepEqual(session.calls, ["text", "page", "nothing", "fails", "ask"]);
  });

  Deno.test(`waiting ${where}: a call that nobody awaits waits too`, async () => {
    await using session = new Session(makeHost());
    const source = `async function run() { ask("left"); return "end"; }`;
    assert.equal((await session.run(source)).status, "waiting");
    assert.deepEqual(session.calls, []);
    const { data } = await session.resume();
    assert.equal(data, "end");
    assert.deepEqual(session.calls, ["ask"]);
  });

  Deno.test(`waiting ${where}: where functions have changed meanwhile, a script that goes another way is stopped`, async () => {
    await using session = new Session(makeHost(), { look: (arg) => arg, extra: (arg) => arg });
    const source = `function run() {
      look("first");
      if (typeof extra === "function") extra("there"); else look("instead");
      ask(1);
    }`;
    assert.equal((await session.run(source)).status, "waiting");
    const { told, result } = await session.resume({ decision: "approve" }, ["extra"]);
    assert.equal(result.finalText, "over");
    assert.match(told, /went another way: it called look in another way, or in another place/);
    assert.match(told, /Called before, and not called again: look, extra/);
    assert.deepEqual(session.calls, ["look", "extra"]);
  });
}
