/** What a run had taken before it waited counts when it goes on: its turns, its limits, its calls. */
import assert from "node:assert/strict";
import type { LoopConfig, RunResult } from "../contracts/loop.ts";
import { block, type Fixture } from "./_run_fixture.ts";
import { byName, calls, NO, Waiting, YES } from "./_waiting_fixture.ts";

async function go({ loop }: Fixture): Promise<RunResult> {
  return await loop.run({ sessionId: "s", message: "go" });
}

Deno.test("resume: turns that were taken before the run waited count", async () => {
  for (const used of [1, 2, 3]) {
    const w = new Waiting();
    const config = { ...byName(w), maxIterations: 3, forceFinalText: false };
    const before = Array.from({ length: used - 1 }, () => calls("look"));
    using first = w.open([...before, calls("send")], { config });
    assert.equal((await go(first)).status, "waiting");
    using second = w.open(Array.from({ length: 3 - used }, () => calls("look")), { config });
    const { events, onEvent } = second;
    const result = await second.loop.resume({ ...YES, onEvent });
    assert.equal(result.status, "max_iterations");
    assert.equal(w.done.filter((one) => one.startsWith("send")).length, 1);
    assert.deepEqual(
      events.flatMap(({ type, turn }) => type === "turn_start" ? [turn] : []),
      [2, 3].slice(used - 1),
    );
    // What the person had decided on is kept, and the session goes on.
    assert.equal((await second.loop.resume(YES)).error?.code, "not_waiting");
    using third = w.open(["fine"], { config });
    assert.equal((await go(third)).finalText, "fine");
    assert.match(JSON.stringify(third.llm.requests[0]?.messages), /:"sent"/);
  }
});

Deno.test("resume: turns count over several waits, in tools and in scripts, also where a process died", async () => {
  const script = (name: string) => block(`async function run() { await ${name}(1); }`);
  for (const protocol of ["tools", "code"] as const) {
    const w = new Waiting();
    const reply = (name: string) => protocol === "tools" ? calls(name) : script(name);
    const config = {
      ...(protocol === "tools" ? byName(w) : {}),
      maxIterations: 3,
      forceFinalText: false,
    };
    using first = w.open([reply("send")], { config });
    assert.equal((await go(first)).status, "waiting");
    using second = w.open([reply("pay")], { config });
    assert.equal((await second.loop.resume(YES)).status, "waiting");
    const died = new AbortController();
    w.onCall = () => died.abort();
    using lost = w.open([], { config });
    assert.equal((await lost.loop.resume({ ...YES, signal: died.signal })).reason, "aborted");
    w.onCall = () => {};
    using third = w.open([reply("look")], { config });
    assert.equal((await third.loop.resume(YES)).status, "max_iterations");
    assert.deepEqual(w.done.map((one) => one.split(" ")[0]), ["send", "pay", "look"]);
  }
});

Deno.test("resume: the answer that is forced at the last turn is asked for where it would have been, and where all turns were taken", async () => {
  const w = new Waiting();
  const config = { ...byName(w), maxIterations: 3 };
  using first = w.open([calls("look"), calls("send")], { config });
  assert.equal((await go(first)).status, "waiting");
  using second = w.open(["it is sent"], { config });
  const result = await second.loop.resume(YES);
  assert.deepEqual([result.finalText, result.forced], ["it is sent", true]);
  assert.equal(second.llm.requests[0]?.toolChoice, "none");

  const other = new Waiting();
  using begun = other.open([calls("look"), calls("send")], { config: byName(other) });
  await go(begun);
  using less = other.open(["sent"], { config: byName(other) });
  const end = await less.loop.resume({ ...YES, maxIterations: 1 });
  assert.deepEqual([end.finalText, end.forced], ["sent", true]);
  assert.equal(less.llm.requests[0]?.toolChoice, "none");
});

Deno.test("resume: a script of the last turn goes on to its end; what it gives is the answer", async () => {
  const ends: [string, Partial<LoopConfig>, string[], [string, string]][] = [
    [`answer("sent");`, {}, [], ["completed", "sent"]],
    ["return 1;", {}, [], ["max_iterations", ""]],
    ["return 1;", { forceFinalText: true }, ["so it is"], ["completed", "so it is"]],
  ];
  for (const [end, more, replies, expected] of ends) {
    const w = new Waiting();
    const config = { maxIterations: 1, ...more };
    await w.wait(`async function run() { await send(1); ${end} }`, { config });
    using run = w.open(replies, { config });
    const { status, finalText } = await run.loop.resume(YES);
    assert.deepEqual([status, finalText], expected);
    assert.deepEqual(w.done, ["send 1"]);
  }
});

Deno.test("resume: limits of the run count what was spent before it waited", async () => {
  const w = new Waiting();
  const limits = { hostCalls: 3 };
  await w.wait(
    `async function run() { await look(1); await look(2); await send(3); await look(4); }`,
    { config: { limits } },
  );
  using run = w.open([], { config: { limits } });
  const { status, reason, toolCalls, spent } = await run.loop.resume(YES);
  assert.deepEqual([status, reason, toolCalls, spent?.hostCalls], ["limit", "host_calls", 1, 1]);
  assert.deepEqual(w.done, ["look 1", "look 2", "send 3"]);

  const other = new Waiting();
  const config = { ...byName(other), limits: { totalTokens: 100_000 } };
  const usage = { prompt: 60_000, completion: 1 };
  using first = other.open([{ ...calls("send") as object, usage }], { config });
  assert.equal((await go(first)).status, "waiting");
  using second = other.open([{ text: "far", usage }], { config });
  assert.equal((await second.loop.resume(YES)).finalText, "far");
  using third = other.open([{ ...calls("send") as object, usage }], { config });
  assert.equal((await go(third)).status, "waiting");
  using fourth = other.open([], { config: { ...config, limits: { totalTokens: 60_050 } } });
  const last = await fourth.loop.resume(YES);
  assert.deepEqual([last.status, last.reason, last.spent?.tokens], ["limit", "total_tokens", 0]);
});

Deno.test("resume: where a limit leaves nothing for the call, the word is not taken, and the run goes on waiting", async () => {
  for (const protocol of ["tools", "code"] as const) {
    const w = new Waiting();
    const by = protocol === "tools" ? byName(w) : {};
    const reply = protocol === "tools"
      ? calls("look", "send")
      : block(`async function run() { await look(1); await send(2); }`);
    const scope = { workspaceId: "w" };
    const of = { ...by, ledger: w.store };
    using first = w.open([reply], { config: of });
    assert.equal(
      (await first.loop.run({ sessionId: "s", message: "go", scope })).status,
      "waiting",
    );
    const short: Partial<LoopConfig>[] = [
      { limits: { hostCalls: 1 } },
      { scopeLimits: { hostCalls: 1, periodMs: 1e12 } },
    ];
    for (const config of short) {
      using run = w.open([], { config: { ...of, ...config } });
      const { status, reason } = await run.loop.resume({ ...YES, scope });
      assert.deepEqual([status, /host_calls$/.test(reason ?? "")], ["limit", true]);
    }
    using last = w.open(["over"], { config: { ...of, limits: { hostCalls: 2 } } });
    assert.equal((await last.loop.resume({ ...YES, scope })).finalText, "over");
    assert.deepEqual(w.done.map((one) => one.split(" ")[0]), ["look", "send"]);
  }
});

Deno.test("toolCalls: a call that waits counts once, where it is decided on", async () => {
  for (const word of [YES, NO]) {
    const w = new Waiting();
    const config = { ...byName(w), ledger: w.store };
    using first = w.open([calls("look", "send", "look")], { config });
    const { events, onEvent } = first;
    const waited = await first.loop.run({ sessionId: "s", message: "go", onEvent });
    assert.deepEqual([waited.toolCalls, waited.spent?.hostCalls], [1, 1]);
    const { summary } = events.at(-1) as { readonly summary?: { readonly toolCalls: number } };
    assert.equal(summary?.toolCalls, 1);
    using second = w.open(["over"], { config });
    assert.equal((await second.loop.resume(word)).toolCalls, 2);
    assert.equal((await w.store.spendSince("[]", new Date(0))).hostCalls, 3);
  }
});

Deno.test("toolCalls: of calls at once that all wait each counts once", async () => {
  const w = new Waiting();
  const config = { ...byName(w, { safe: true }), ledger: w.store };
  using first = w.open([calls("send", "look", "pay")], { config });
  assert.equal((await go(first)).toolCalls, 1);
  using second = w.open([], { config });
  const again = await second.loop.resume(YES);
  assert.deepEqual([again.status, again.pending?.name, again.toolCalls], ["waiting", "pay", 1]);
  using third = w.open(["over"], { config });
  const end = await third.loop.resume(YES);
  assert.deepEqual([end.finalText, end.toolCalls], ["over", 1]);
  assert.deepEqual(w.done, ['look {"at":1}', 'send {"at":0}', 'pay {"at":2}']);
});

Deno.test("toolCalls: calls of a script that are not decided on when another comes to wait count when they are made", async () => {
  const w = new Waiting();
  const policy: LoopConfig["policy"] = {
    check: ({ name }) => {
      if (name === "send") return { decision: "ask", reason: "so" };
      if (name === "pay") return new Promise(() => {});
      return { decision: "allow" };
    },
  };
  const source = `async function run() {
    const all = await Promise.all([look(1), pay(2), send(3)]);
    return all.length;
  }`;
  const waited = await w.wait(source, { config: { policy, ledger: w.store } });
  assert.deepEqual([waited.status, waited.toolCalls], ["waiting", 1]);
  using run = w.open(["over"], {
    config: { ledger: w.store },
    approve: () => ({ decision: "approve" }),
  });
  assert.equal((await run.loop.resume(YES)).toolCalls, 2);
  assert.deepEqual(w.done.toSorted(), ["look 1", "pay 2", "send 3"]);
  assert.equal((await w.store.spendSince("[]", new Date(0))).hostCalls, 3);
});
