import assert from "node:assert/strict";
import type { ApprovalDecision, Approve } from "../contracts/approval.ts";
import { ASIDE_ARGS } from "../contracts/step.ts";
import type { CallableTool } from "../contracts/tool.ts";
import type { ScriptedStep } from "../llm/scripted.ts";
import { block } from "./_run_fixture.ts";
import { observed, WAIT, Waiting, YES } from "./_waiting_fixture.ts";

const ONE = `async function run() {
  const before = [await look("a"), Math.random(), Date.now()];
  log("before");
  const word = await send({ to: "x" });
  const after = await look("b");
  return { before: before[0], word, after };
}`;

Deno.test("waiting script: the run ends at a call on which there is no word yet; what came before is done, what comes after is not", async () => {
  const w = new Waiting();
  using run = w.open([block(ONE)]);
  const { events, onEvent } = run;
  const result = await run.loop.run({ sessionId: "s", message: "go", onEvent });
  assert.equal(result.status, "waiting");
  assert.equal(result.error, undefined);
  assert.equal(result.finalText, "");
  assert.deepEqual(result.pending, {
    callId: "js_1_1",
    name: "send",
    args: [{ to: "x" }],
    reason: 'it has consequences outside; allowTools: ["send"] lets it pass',
  });
  assert.deepEqual(w.done, ['look "a"']);
  assert.deepEqual(events.filter(({ type }) => type === "approval_pending").length, 1);
  // The call that waits is no call that ended.
  assert.deepEqual(
    events.flatMap((event) => event.type === "sandbox_event" ? [event.args] : []),
    [{ kind: "host_call", name: "look", outcome: "ok", duration_ms: 0 }],
  );
  assert.equal(events.at(-1)?.type, "done");
  assert.deepEqual(await w.audit(), ["look allowed"]);
  const steps = await w.store.lastN("s", 10);
  assert.deepEqual(steps.map(({ stepType }) => stepType), ["user", "execute_js", "approval"]);
  assert.equal((await w.store.list())[0]?.status, "waiting");
});

Deno.test("waiting script: it goes on as the word says, and nothing is done or written down twice", async () => {
  const words: [ApprovalDecision, string[], RegExp, string][] = [
    [{ decision: "approve" }, ['send {"to":"x"}'], /"sent"/, "send approved"],
    [
      { decision: "approve", args: [{ to: "y" }] },
      ['send {"to":"y"}'],
      /note: the user changed the arguments of send to \[\{"to":"y"\}\]/,
      "send changed",
    ],
    [{ decision: "deny", reason: "not him" }, [], /the user said no: not him/, "send denied"],
  ];
  for (const [decision, sent, told, row] of words) {
    const w = new Waiting();
    await w.wait(ONE);
    using run = w.open(["finished"]);
    const result = await run.loop.resume({ sessionId: "s", decision: decision as never });
    assert.deepEqual([result.status, result.finalText], ["completed", "finished"]);
    assert.match(observed(run), told);
    const goesOn = decision.decision === "approve";
    assert.deepEqual(w.done, ['look "a"', ...sent, ...goesOn ? ['look "b"'] : []]);
    assert.deepEqual(await w.audit(), ["look allowed", row, ...goesOn ? ["look allowed"] : []]);
    if (goesOn) {
      const data = JSON.parse((await w.store.get("s")).data!);
      assert.deepEqual(data, { before: 1, word: "sent", after: 2 });
    }
    assert.equal(await w.store.scripts.kept("s"), undefined);
    const again = await run.loop.resume(YES);
    assert.equal(again.error?.code, "not_waiting");
  }
});

Deno.test("waiting script: it is evaluated again with the same seed, args and clock", async () => {
  const w = new Waiting();
  let time = 1_000_000;
  const config = { now: () => new Date(time += 1000), random: () => Math.random() };
  w.store.updateData("s", '{"kept":true}');
  using first = w.open([block(ONE)], { config });
  await first.loop.run({ sessionId: "s", message: "go" });
  time += 86_400_000;
  using second = w.open(["over"], { config });
  await second.loop.resume(YES);
  const [before] = first.sandboxBuilder.evaluated;
  const [again] = second.sandboxBuilder.evaluated;
  assert.deepEqual(
    [again!.seed, again!.argsJson, again!.source],
    [before!.seed, before!.argsJson, before!.source],
  );
  const traced = (await w.store.lastN("s", 10)).find((step) =>
    step.stepType === "execute_js_result"
  );
  const { clock_ms: [start], seed } = JSON.parse(traced!.toolArgs!);
  assert.equal(seed, before!.seed);
  assert.ok(start < 1_100_000, `the clock began at ${start}`);
});

Deno.test("waiting script: what was answered before it waited is given when it goes on", async () => {
  const w = new Waiting();
  const source = `async function run() {
    answer("early");
    await send();
    answer("late");
  }`;
  assert.equal((await w.wait(source)).finalText, "");
  using run = w.open([]);
  const result = await run.loop.resume(YES);
  assert.deepEqual([result.status, result.finalText], ["completed", "early"]);
});

Deno.test("waiting script: several calls at once; those under way come to their end and are not made again", async () => {
  const w = new Waiting();
  const slow = Promise.withResolvers<void>();
  w.onCall = async (name, args) => {
    if (name !== "look") return;
    if (args === "slow") await slow.promise;
  };
  const source = `async function run() {
    const [a, b, c, d] = await Promise.all([look("slow"), look("same"), send(), look("same")]);
    return { a, b, c, d, e: await look("after") };
  }`;
  const approve = () => {
    setTimeout(slow.resolve, 5);
    return { decision: "wait" } as const;
  };
  const waited = await w.wait(source, { approve });
  assert.equal(waited.status, "waiting");
  const before = [...w.done];
  assert.deepEqual(before.toSorted(), ['look "same"', 'look "same"', 'look "slow"']);
  using run = w.open(["over"]);
  w.onCall = () => {};
  assert.equal((await run.loop.resume(YES)).finalText, "over");
  assert.deepEqual(w.done.slice(before.length), ["send null", 'look "after"']);
  const { a, b, c, d, e } = JSON.parse((await w.store.get("s")).data!);
  assert.equal(c, "sent");
  assert.deepEqual([a, b, d].toSorted(), [1, 2, 3]);
  assert.equal(e, 4);
});

Deno.test("waiting script: a race is won by whoever won it before", async () => {
  const w = new Waiting();
  const slow = Promise.withResolvers<void>();
  w.onCall = async (name, args) => {
    if (args === "slow") await slow.promise;
    if (name === "look" && args === "quick") setTimeout(slow.resolve, 5);
  };
  const source = `async function run() {
    const all = [look("slow").then(() => "slow"), look("quick").then(() => "quick")];
    const first = await Promise.race(all);
    await Promise.all(all);
    await send(first);
    return first;
  }`;
  const waited = await w.wait(source);
  assert.deepEqual(waited.pending?.args, ["quick"]);
  using run = w.open(["over"]);
  await run.loop.resume(YES);
  assert.equal((await w.store.get("s")).data, '"quick"');
  assert.deepEqual(w.done, ['look "slow"', 'look "quick"', 'send "quick"']);
});

Deno.test("waiting script: it waits twice, and once more in another turn", async () => {
  const w = new Waiting();
  await w.wait(`async function run() { await send(1); await send(2); }`);
  using second = w.open([]);
  const again = await second.loop.resume(YES);
  assert.deepEqual([again.status, again.pending?.callId], ["waiting", "js_1_1"]);
  assert.deepEqual(again.pending?.args, [2]);
  const wrong = await second.loop.resume({ ...YES, callId: "js_1_0" });
  assert.match(wrong.error!.message, /waits at the call js_1_1, not at js_1_0/);
  using third = w.open([block("async function run() { await pay(3); }")]);
  const more = await third.loop.resume({ ...YES, callId: "js_1_1" });
  assert.deepEqual([more.status, more.pending?.name], ["waiting", "pay"]);
  using fourth = w.open(["over"]);
  assert.equal((await fourth.loop.resume(YES)).finalText, "over");
  assert.deepEqual(w.done, ["send 1", "send 2", "pay 3"]);
});

Deno.test("waiting script: two calls at once on which there is no word; each gets its own, one after the other", async () => {
  const w = new Waiting();
  const first = await w.wait(
    `async function run() { return (await Promise.allSettled([send(1), pay(2)])).map((end) => end.status); }`,
  );
  assert.equal(first.pending?.name, "send");
  using second = w.open([]);
  const again = await second.loop.resume({ ...YES, decision: { decision: "deny" } });
  assert.deepEqual([again.status, again.pending?.callId], ["waiting", "js_1_1"]);
  assert.deepEqual<string[]>(w.done, []);
  using third = w.open(["over"]);
  assert.equal((await third.loop.resume(YES)).finalText, "over");
  assert.deepEqual<string[]>(w.done, ["pay 2"]);
  assert.equal((await w.store.get("s")).data, '["rejected","fulfilled"]');
  assert.deepEqual(await w.audit(), ["send denied", "pay approved"]);
});

Deno.test("waiting script: one that goes another way is stopped, the model is told, and nothing is done twice", async () => {
  const other: [string, RegExp][] = [
    // Calls something else where the first evaluation is known.
    [`await look(globalThis.__way);`, /it called look in another way, or in another place/],
    // Ends without having called it.
    [
      `if (globalThis.__way === 1) await look("a");`,
      /it did not call look, send again|it did not call/,
    ],
  ];
  for (const [first, told] of other) {
    const w = new Waiting();
    Object.assign(globalThis, { __way: 1 });
    const end = first.startsWith("if")
      ? "if (globalThis.__way === 1) await send();"
      : "await send();";
    await w.wait(`async function run() { ${first} ${end} }`);
    Object.assign(globalThis, { __way: 2 });
    using run = w.open(["I see"]);
    const result = await run.loop.resume(YES);
    Reflect.deleteProperty(globalThis, "__way");
    assert.equal(result.finalText, "I see");
    assert.match(observed(run), /went another way/);
    assert.match(observed(run), told);
    assert.match(observed(run), /Called before, and not called again: look/);
    assert.equal(w.done.length, 1);
    assert.equal((await run.loop.resume(YES)).error?.code, "not_waiting");
  }
});

Deno.test("waiting script: one that hangs where it went on before is stopped", async () => {
  const w = new Waiting();
  Object.assign(globalThis, { __way: 1 });
  await w.wait(
    `async function run() { await Promise.all(globalThis.__way === 1 ? [look("a"), look("b")] : [look("b")]); await send(); }`,
  );
  Object.assign(globalThis, { __way: 2 });
  using run = w.open(["I see"], { sandbox: { limits: { guestTimeMs: 20 } } });
  const result = await run.loop.resume(YES);
  Reflect.deleteProperty(globalThis, "__way");
  assert.equal(result.finalText, "I see");
  assert.match(observed(run), /went another way: it did not call look again/);
  assert.equal(w.done.length, 2);
});

Deno.test("waiting script: a process that died while it made the call leaves one whose outcome is not known; it is not made again", async () => {
  const w = new Waiting();
  await w.wait(ONE);
  const died = new AbortController();
  w.onCall = (name) => name === "send" && died.abort();
  using first = w.open([]);
  await first.loop.resume({ ...YES, signal: died.signal });
  assert.deepEqual(w.done.at(-1), 'send {"to":"x"}');
  using second = w.open(["looked"]);
  const result = await second.loop.resume(YES);
  assert.equal(result.finalText, "looked");
  assert.match(observed(second), /the program ended while send was under way/);
  assert.match(observed(second), /Called before, and not called again: look\./);
  assert.deepEqual(w.done, ['look "a"', 'send {"to":"x"}']);
});

Deno.test("waiting script: a process that died between two calls is gone on from where it was", async () => {
  const w = new Waiting();
  await w.wait(`async function run() {
    await send("x");
    await look("b");
    await look("c");
    return "all";
  }`);
  const died = new AbortController();
  using first = w.open([], {
    sandbox: {
      evaluate(request) {
        // Dies when the script has been told of its second call, and makes no third.
        const { onCall } = request;
        let calls = 0;
        Object.assign(request, {
          onCall: (call: Parameters<typeof onCall>[0]) => {
            if (++calls === 3) died.abort();
            return calls === 3 ? new Promise(() => {}) : onCall(call);
          },
        });
        return undefined;
      },
    },
  });
  const broken = await first.loop.resume({ ...YES, signal: died.signal });
  assert.equal(broken.reason, "aborted");
  assert.deepEqual(w.done, ['send "x"', 'look "b"']);
  using second = w.open(["over"]);
  // The word is about a call that was made already.
  const result = await second.loop.resume({ ...YES, decision: { decision: "deny" } });
  assert.equal(result.finalText, "over");
  assert.deepEqual(w.done, ['send "x"', 'look "b"', 'look "c"']);
  assert.equal((await w.store.get("s")).data, '"all"');
});

Deno.test("waiting script: of two that go on at once one does", async () => {
  const w = new Waiting();
  await w.wait(ONE);
  using run = w.open(["once"]);
  const ends = await Promise.all([1, 2].map(() => run.loop.resume(YES)));
  assert.deepEqual(ends.map(({ status }) => status).sort(), ["completed", "error"]);
  assert.equal(ends.find(({ status }) => status === "error")?.error?.code, "not_waiting");
  assert.deepEqual(w.done, ['look "a"', 'send {"to":"x"}', 'look "b"']);
});

Deno.test("waiting script: who is overtaken while a call is under way does nothing more", async () => {
  const w = new Waiting();
  await w.wait(ONE);
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  w.onCall = async (name) => {
    if (name !== "send") return;
    begun.resolve();
    await goOn.promise;
  };
  using slow = w.open([]);
  const first = slow.loop.resume(YES);
  await begun.promise;
  // In this process nobody takes it away; another one cannot know that this one is alive.
  using same = w.open([]);
  assert.equal((await same.loop.resume(YES)).error?.code, "not_waiting");
  using quick = w.open(["looked"], { config: { sessions: w.ofAnotherProcess() } });
  const second = await quick.loop.resume(YES);
  assert.equal(second.finalText, "looked");
  goOn.resolve();
  assert.equal((await first).error?.code, "not_waiting");
  assert.deepEqual(w.done, ['look "a"', 'send {"to":"x"}']);
});

Deno.test("waiting script: a message in place of a word is answered, and what was kept is forgotten", async () => {
  const w = new Waiting();
  await w.wait(ONE);
  using run = w.open(["fine"]);
  await run.loop.run({ sessionId: "s", message: "never mind" });
  const said = run.llm.requests[0]!.messages.map(({ content }) => content);
  assert.ok(said.some((text) => text.includes("ended before this script's result was kept")));
  assert.equal(await w.store.scripts.kept("s"), undefined);
  assert.equal((await run.loop.resume(YES)).error?.code, "not_waiting");
  assert.deepEqual(w.done, ['look "a"']);
});

Deno.test("waiting script: one that has fetched too much to be kept cannot wait, and is told so", async () => {
  const w = new Waiting();
  const big = "x".repeat(5_000_000);
  w.functions.push({ name: "fetchAll", execute: () => big });
  using run = w.open([block(`async function run() {
    await fetchAll(1); await fetchAll(2);
    try { await send(); } catch (error) { answer(error.message); }
  }`)]);
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.match(result.finalText, /nobody has decided yet.*too large to be kept.*8388608 bytes/);
  assert.equal(await w.store.scripts.kept("s"), undefined);
});

Deno.test("waiting script: sub-calls of models and limits count what is really done, once", async () => {
  const w = new Waiting();
  w.functions.push({
    name: "think",
    execute: (_args, { spend }) => {
      w.done.push("think");
      spend({ prompt: 100, completion: 10 });
      return "thought";
    },
  });
  await w.wait(`async function run() { await think(); await send(); await look(); }`);
  using run = w.open(["over"]);
  const result = await run.loop.resume(YES);
  assert.deepEqual(w.done, ["think", "send null", "look null"]);
  assert.equal(result.toolCalls, 2);
  assert.ok(result.tokens.prompt < 100, "the sub-call was charged again");
});

Deno.test("waiting script: as a call of the one tool, and under auto, it goes on too; under another protocol it says which is needed", async () => {
  for (const protocol of ["code-tool", "auto"] as const) {
    const w = new Waiting();
    const reply = protocol === "auto"
      ? block(ONE)
      : { toolCalls: [{ id: "c1", name: "run_javascript", arguments: { code: ONE } }] };
    using first = w.open([reply], { config: { protocol } });
    const waited = await first.loop.run({ sessionId: "s", message: "go" });
    assert.equal(waited.status, "waiting");
    using tools = w.open([], {
      config: { protocol: "tools", tools: { callable: () => [] } },
    });
    const wrong = await tools.loop.resume(YES);
    assert.equal(wrong.error?.code, "config");
    assert.match(wrong.error!.message, /waits in a script: go on with it under the protocol code/);
    using run = w.open(["over"], { config: { protocol } });
    assert.equal((await run.loop.resume(YES)).finalText, "over");
    assert.deepEqual(w.done, ['look "a"', 'send {"to":"x"}', 'look "b"']);
    if (protocol === "code-tool") {
      const [, call, result] = run.llm.requests[0]!.messages.slice(-3);
      assert.equal(call?.toolCalls?.[0]?.id, "c1");
      assert.equal(result?.toolCallId, "c1");
    }
  }
});

Deno.test("waiting script: where the function is not there that it waits at, it says so and goes on waiting", async () => {
  const w = new Waiting();
  await w.wait(ONE);
  using without = w.open([], { sandbox: { functions: [w.functions[0]!] } });
  const { status, error } = await without.loop.resume(YES);
  assert.deepEqual([status, error?.code], ["error", "config"]);
  assert.match(error!.message, /session s waits at a call of send, and there is no such function/);
  using run = w.open(["over"]);
  assert.equal((await run.loop.resume(YES)).finalText, "over");
  assert.deepEqual(w.done, ['look "a"', 'send {"to":"x"}', 'look "b"']);
});

Deno.test("waiting script: tools that it had found before it waited can be called when it has gone on", async () => {
  const w = new Waiting();
  let searched = 0;
  const found: CallableTool = {
    declaration: { name: "paint", description: "Paints", parameters: { type: "object" } },
    hostFunction: { name: "paint", execute: () => "painted" },
    safe: false,
  };
  const config = {
    toolExpander: {
      expand: () => {
        searched++;
        return [found];
      },
    },
  };
  await w.wait(
    `async function run() { const names = await discover_tools({ names: ["paint"] }); await send(); return names; }`,
    { config },
  );
  using run = w.open([block("async function run() { answer(await paint()); }")], { config });
  const result = await run.loop.resume(YES);
  assert.equal(result.finalText, "painted");
  const [told] = run.llm.requests.map(({ messages }) => messages.at(-1)!.content);
  assert.match(told!, /paint/);
  assert.equal(told!.match(/declare function paint/g)?.length, 1);
  assert.ok(searched >= 1);
  assert.deepEqual(w.done, ["send null"]);
});

Deno.test("waiting script: what is asked while it goes on can wait, where somebody can be asked; else it is refused", async () => {
  const source = `async function run() {
    await send(1);
    try { await pay(2); } catch (error) { answer(error.message); }
  }`;
  const w = new Waiting();
  await w.wait(source);
  using run = w.open([], { config: { approve: undefined as never } });
  const result = await run.loop.resume(YES);
  assert.match(result.finalText, /needs an approval that nobody is here to give/);
  assert.deepEqual(w.done, ["send 1"]);
});

Deno.test("waiting script: a store that fails to keep it ends the run, and nothing waits", async () => {
  const w = new Waiting();
  w.store.scripts.keep = () => Promise.reject(new Error("the disk is full"));
  const result = await w.wait(ONE);
  assert.deepEqual([result.status, result.error?.code], ["error", "store_failed"]);
  assert.match(result.error!.message, /keep the script.*the disk is full/);
  using run = w.open([]);
  assert.equal((await run.loop.resume(YES)).error?.code, "not_waiting");
});

Deno.test("waiting script: a call that could not be written down does not happen, and the script can be taken up again", async () => {
  const w = new Waiting();
  await w.wait(ONE);
  const { keepCall } = w.store.scripts;
  w.store.scripts.keepCall = () => Promise.reject(new Error("the disk is full"));
  using first = w.open([]);
  const failed = await first.loop.resume(YES);
  assert.equal(failed.error?.code, "store_failed");
  assert.deepEqual(w.done, ['look "a"']);
  w.store.scripts.keepCall = keepCall;
  using second = w.open(["over"]);
  assert.equal((await second.loop.resume(YES)).finalText, "over");
  assert.deepEqual(w.done, ['look "a"', 'send {"to":"x"}', 'look "b"']);
});

Deno.test("waiting script: the trace and the events hold no secret, what is kept holds results whole", async () => {
  const { Redactor } = await import("../redact/redactor.ts");
  const w = new Waiting();
  w.functions.push({ name: "read", execute: () => "swordfish-9" });
  const redactor = Redactor.fromSecrets({ KEY: "swordfish-9" });
  const source = `async function run() {
    const key = await read();
    await send({ key });
    log(key);
    return key.length;
  }`;
  using first = w.open([block(source)], { config: { redactor } });
  const { events, onEvent } = first;
  await first.loop.run({ sessionId: "s", message: "go", onEvent });
  const kept = await w.store.scripts.kept("s");
  assert.ok(JSON.stringify(kept).includes("swordfish-9"));
  using second = w.open(["over"], { config: { redactor } });
  await second.loop.resume({ ...YES, onEvent });
  assert.deepEqual(w.done, ['send {"key":"swordfish-9"}']);
  assert.equal((await w.store.get("s")).data, "11");
  const seen = JSON.stringify([events, await w.store.lastN("s", 20), second.llm.requests]);
  assert.equal(seen.includes("swordfish-9"), false);
});

Deno.test("waiting script: secrets that it used stay unseen when it goes on", async () => {
  const source = `async function run() {
    const token = await secret("TOKEN");
    const echoed = await post("{{secret:OTHER}}");
    await send();
    log(token, echoed, await post("again"));
    return 1;
  }`;
  const w = new Waiting();
  w.functions.push({ name: "secret", execute: ([name], { secret }) => secret(name as string) }, {
    name: "post",
    execute: async ([text], { fill }) => {
      const filled = await fill(text as string, { host: "a.test" });
      return text === "again" ? "it was: other-value" : filled;
    },
  });
  const sandboxOf = (asked: string[]) => ({
    names: ["TOKEN", "OTHER"],
    get: (name: string) => {
      asked.push(name);
      return name === "TOKEN" ? "token-value" : "other-value";
    },
  });
  const approve = ({ name }: { readonly name: string }) =>
    name === "send" ? { decision: "wait" } as const : { decision: "approve" } as const;
  const withSecrets = (asked: string[]) => {
    const { build } = w.open([]).sandboxBuilder;
    return {
      build: async (request: Parameters<typeof build>[0]) =>
        Object.assign(await build(request), { secrets: sandboxOf(asked) }),
    };
  };
  using first = w.open([block(source)], {
    approve,
    config: { sandboxBuilder: withSecrets([]) },
  });
  assert.equal((await first.loop.run({ sessionId: "s", message: "go" })).status, "waiting");
  const kept = JSON.stringify(await w.store.scripts.kept("s"));
  assert.equal(kept.includes("other-value"), false);
  const asked: string[] = [];
  using second = w.open(["over"], { approve, config: { sandboxBuilder: withSecrets(asked) } });
  const { events, onEvent } = second;
  await second.loop.resume({ ...YES, onEvent });
  assert.deepEqual(asked, ["OTHER"]);
  const seen = JSON.stringify([events, await w.store.lastN("s", 20), second.llm.requests]);
  assert.equal(seen.includes("token-value"), false);
  assert.equal(seen.includes("other-value"), false);
});

Deno.test("waiting script: a listener, a script and a policy cannot keep it from waiting by what they do meanwhile", async () => {
  // The script catches everything and goes on calling; nothing of that is done.
  const w = new Waiting();
  const result = await w.wait(
    `async function run() {
    for (let n = 0; n < 3; n++) try { await send(n); } catch {}
  }`,
    { approve: WAIT },
  );
  assert.equal(result.status, "waiting");
  assert.deepEqual(w.done, []);
});

Deno.test("waiting script: what is put into the session beside its runs does not end the wait, and is told behind it", async () => {
  const w = new Waiting();
  await w.wait(ONE);
  const aside = {
    sessionId: "s",
    runId: "aside",
    toolArgs: ASIDE_ARGS,
    createdAt: new Date(0),
  };
  await w.store.append({ ...aside, stepType: "user", content: "[A reminder is due.]" });
  await w.store.append({ ...aside, stepType: "response", content: "Tea!" });
  using run = w.open(["finished", "yes"]);
  const result = await run.loop.resume(YES);
  assert.deepEqual([result.status, result.finalText], ["completed", "finished"]);
  assert.match(observed(run), /"sent"/);
  assert.equal(JSON.stringify(run.llm.requests[0]?.messages).includes("Tea!"), false);
  await run.loop.run({ sessionId: "s", message: "and?" });
  const said = (run.llm.requests[1]?.messages ?? []).map(({ content }) => content).slice(-3);
  assert.deepEqual(said.map((text) => text.replace(/^finished.*reminder/s, "…")).slice(-2), [
    "Tea!",
    "and?",
  ]);
  assert.match(said[0] ?? "", /A reminder is due/);
});

Deno.test("waiting script: what is gone on with is told to the model whatever the window, and forgotten with a message whatever the window", async () => {
  for (const historyWindow of [0, 1, 4]) {
    const config = { historyWindow };
    const w = new Waiting();
    using first = w.open(["hi", block("async function run() { return await send(1); }")], {
      config,
    });
    await first.loop.run({ sessionId: "s", message: "before" });
    await first.loop.run({ sessionId: "s", message: "go" });
    using run = w.open([block("async function run() { return await send(2); }")], { config });
    assert.equal((await run.loop.resume(YES)).pending?.args[0], 2);
    const roles = (messages: readonly { readonly role: string }[] = []) =>
      messages.slice(-3).map(({ role }) => role);
    assert.deepEqual(roles(run.llm.requests[0]?.messages), ["user", "assistant", "user"]);
    assert.match(run.llm.requests[0]!.messages.at(-3)!.content, /go$/);
    // What went on and waits again belongs to the same exchange.
    using again = w.open(["over"], { config });
    assert.equal((await again.loop.resume(YES)).finalText, "over");
    const told = again.llm.requests[0]!.messages;
    assert.ok(told.some(({ content }) => /go$/.test(content)), JSON.stringify(told));
    const other = new Waiting();
    await other.wait("async function run() { return await send(1); }", { config });
    using message = other.open(["fine"], { config });
    await message.loop.run({ sessionId: "s", message: "never mind" });
    assert.equal(await other.store.scripts.kept("s"), undefined);
  }
});

Deno.test("waiting script: who takes it from a process that is between two calls goes on from what that has done until then", async () => {
  const w = new Waiting();
  await w.wait(
    `async function run() { await send("x"); await look("b"); await pay("c"); return "all"; }`,
  );
  const approve: Approve = ({ name }) => ({ decision: name === "send" ? "wait" : "approve" });
  // The first process is held before it may write that it begins its second call.
  const [held, release, did] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const sessions = w.ofAnotherProcess();
  const { keepCall } = sessions.scripts!;
  let writes = 0;
  sessions.scripts!.keepCall = async (claim, call) => {
    if (++writes === 3) {
      held!.resolve();
      await release!.promise;
    }
    const isKept = await keepCall(claim, call);
    // It dies, or is too slow, when its second call has ended and is written down.
    if (writes === 4) {
      did!.resolve();
      await new Promise(() => {});
    }
    return isKept;
  };
  const gone = new AbortController();
  using first = w.open([], { approve, config: { sessions } });
  const running = first.loop.resume({ ...YES, signal: gone.signal });
  await held!.promise;
  const onBuild = async () => {
    release!.resolve();
    await did!.promise;
  };
  using second = w.open(["over"], { approve, sandbox: { onBuild } });
  assert.equal((await second.loop.resume(YES)).finalText, "over");
  assert.deepEqual(w.done, ['send "x"', 'look "b"', 'pay "c"']);
  gone.abort();
  await running;
});

Deno.test("waiting script: who was overtaken after the last call does not tell its outcome too", async () => {
  const w = new Waiting();
  await w.wait(`async function run() { return await send("x"); }`);
  const [ended, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const sessions = w.ofAnotherProcess();
  const { keepCall } = sessions.scripts!;
  let writes = 0;
  sessions.scripts!.keepCall = async (claim, call) => {
    const isKept = await keepCall(claim, call);
    if (++writes === 2) {
      ended.resolve();
      await taken.promise;
    }
    return isKept;
  };
  using first = w.open([], { config: { sessions } });
  const running = first.loop.resume(YES);
  await ended.promise;
  const answering: ScriptedStep = () => {
    taken.resolve();
    return running.then(() => "over");
  };
  using second = w.open([answering]);
  assert.equal((await second.loop.resume(YES)).finalText, "over");
  assert.equal((await running).error?.code, "not_waiting");
  const steps = await w.store.lastN("s", 20);
  assert.equal(steps.filter(({ stepType }) => stepType === "execute_js_result").length, 1);
  assert.deepEqual(w.done, ['send "x"']);
});
