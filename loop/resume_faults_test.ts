/** Words that come where none is waited for any more, or that could not be kept to: nothing is done twice, and none of them is lost. */
import assert from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import type { LoopConfig, ResumeRequest } from "../contracts/loop.ts";
import type { RunStep, StepStore } from "../contracts/step.ts";
import type { ToolSet } from "../contracts/tool.ts";
import { Redactor } from "../redact/redactor.ts";
import { block } from "./_run_fixture.ts";
import { byName, calls, NO, observed, Waiting, YES } from "./_waiting_fixture.ts";
import { findOpenBatch, findOpenScript } from "./pending.ts";

/** A session that waits at `send`, called by name. */
async function atSend(w: Waiting): Promise<void> {
  using run = w.open([calls("look", "send")], { config: byName(w) });
  const { status } = await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(status, "waiting");
}

Deno.test("resume: a word on a call that was made already is not taken while its run goes on", async () => {
  for (const callId of [undefined, "send1"]) {
    const w = new Waiting();
    await atSend(w);
    const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    using first = w.open([
      () => {
        asked.resolve();
        return { text: "over", until: release.promise };
      },
    ], { config: byName(w) });
    const running = first.loop.resume(YES);
    await asked.promise;
    using second = w.open([], { config: byName(w) });
    const { error } = await second.loop.resume({ ...YES, ...(callId && { callId }) });
    assert.equal(error?.code, "not_waiting");
    release.resolve();
    assert.equal((await running).finalText, "over");
    assert.deepEqual(w.done, ['look {"at":0}', 'send {"at":1}']);
  }
});

Deno.test("resume: a run whose calls were made, and whose model then failed, is gone on with", async () => {
  const w = new Waiting();
  await atSend(w);
  const fails = { error: new AgentLoopError("later", { code: "model_overloaded" }) };
  using first = w.open([fails], { config: byName(w) });
  assert.equal((await first.loop.resume(YES)).status, "error");
  using second = w.open(["over"], { config: byName(w) });
  assert.equal((await second.loop.resume(YES)).finalText, "over");
  assert.deepEqual(w.done, ['look {"at":0}', 'send {"at":1}']);
});

Deno.test("resume: while a process makes the calls, another word in it is not taken, and no call is told as lost", async () => {
  const w = new Waiting();
  await atSend(w);
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  w.onCall = async () => {
    begun.resolve();
    await release.promise;
  };
  using run = w.open(["over"], { config: byName(w) });
  const running = run.loop.resume(YES);
  await begun.promise;
  using other = w.open([], { config: byName(w) });
  assert.equal((await other.loop.resume(YES)).error?.code, "not_waiting");
  release.resolve();
  assert.equal((await running).finalText, "over");
  assert.doesNotMatch(JSON.stringify(run.llm.requests), /under way/);
});

Deno.test("resume: of a slow process and one that took it for dead, the one whose result is told first goes on", async () => {
  const w = new Waiting();
  await atSend(w);
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  w.onCall = async () => {
    begun.resolve();
    await release.promise;
  };
  using slow = w.open([], { config: byName(w) });
  const running = slow.loop.resume(YES);
  await begun.promise;
  const steps: StepStore = {
    results: w.store.results,
    append: (step) => w.store.append(step),
    lastN: (id, n) => w.store.lastN(id, n),
  };
  using other = w.open(["I do not know whether it was sent"], { config: { ...byName(w), steps } });
  assert.equal((await other.loop.resume(YES)).status, "completed");
  assert.match(JSON.stringify(other.llm.requests), /under way/);
  release.resolve();
  assert.equal((await running).error?.code, "not_waiting");
  const kept = await w.store.lastN("s", 50);
  assert.equal(kept.filter(({ stepType }) => stepType === "response").length, 1);
  assert.deepEqual(w.done, ['look {"at":0}', 'send {"at":1}']);
});

Deno.test("resume: one that takes a process for dead tells nothing of a call that waits, once that process has told of the others", async () => {
  const w = new Waiting();
  const config = byName(w, { safe: true });
  using first = w.open([calls("send", "pay")], { config });
  assert.equal((await first.loop.run({ sessionId: "s", message: "go" })).status, "waiting");
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  w.onCall = async () => {
    begun.resolve();
    await release.promise;
  };
  using slow = w.open([], { config });
  const running = slow.loop.resume(YES);
  await begun.promise;
  const [telling, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const steps: StepStore = {
    results: w.store.results,
    append: async (step) => {
      if (step.stepType === "tool_result") {
        telling.resolve();
        await goOn.promise;
      }
      return await w.store.append(step);
    },
    lastN: (id, n) => w.store.lastN(id, n),
  };
  using other = w.open([], { config: { ...config, steps } });
  const late = other.loop.resume(YES);
  await telling.promise;
  release.resolve();
  assert.deepEqual([(await running).status, (await running).pending?.name], ["waiting", "pay"]);
  goOn.resolve();
  assert.equal((await late).error?.code, "not_waiting");
  using last = w.open(["over"], { config });
  assert.equal((await last.loop.resume(YES)).finalText, "over");
  assert.deepEqual(w.done, ['send {"at":0}', 'pay {"at":1}']);
});

function step(
  stepIndex: number,
  { runId, ...rest }: Pick<RunStep, "runId" | "stepType"> & Partial<RunStep>,
): RunStep {
  return {
    sessionId: "s",
    stepIndex,
    runId,
    content: "",
    durationMs: 0,
    promptTokens: 0,
    completionTokens: 0,
    createdAt: new Date(0),
    ...rest,
  };
}

Deno.test("waiting: a question of one run is not that of the calls, or the script, of another that went on beside it", () => {
  const question = (callId: string) => JSON.stringify({ call_id: callId, name: "send", args: [] });
  const call = { id: "b", name: "send", arguments: "{}" };
  const batch = [
    step(0, { runId: "1", stepType: "llm_call", toolArgs: JSON.stringify({ calls: [] }) }),
    step(1, { runId: "2", stepType: "llm_call", toolArgs: JSON.stringify({ calls: [call] }) }),
    step(2, { runId: "1", stepType: "approval", toolArgs: question("a") }),
  ];
  assert.equal(findOpenBatch(batch), undefined);
  const own = step(3, { runId: "2", stepType: "approval", toolArgs: question("b") });
  assert.equal(findOpenBatch([...batch, own])?.pending.callId, "b");
  const script = [
    step(0, { runId: "1", stepType: "execute_js" }),
    step(1, { runId: "2", stepType: "execute_js" }),
    step(2, { runId: "1", stepType: "approval", toolArgs: question("js_0_0") }),
  ];
  assert.equal(findOpenScript(script), undefined);
  const its = step(3, { runId: "2", stepType: "approval", toolArgs: question("js_1_4") });
  assert.equal(findOpenScript([...script, its])?.pending.callId, "js_1_4");
});

Deno.test("resume: where the tool goes by another name, the word is not lost", async () => {
  const w = new Waiting();
  await atSend(w);
  const { tools, protocol } = byName(w);
  const renamed: ToolSet = {
    callable: () =>
      (tools as ToolSet).callable().map((tool) => ({
        ...tool,
        declaration: { ...tool.declaration, name: `${tool.declaration.name}_mail` },
      })),
  };
  using other = w.open([], { config: { protocol: protocol!, tools: renamed } });
  const { error } = await other.loop.resume(YES);
  assert.equal(error?.code, "config");
  assert.match(error!.message, /waits at a call of send, and there is no such/);
  using run = w.open(["over"], { config: byName(w) });
  assert.equal((await run.loop.resume(YES)).finalText, "over");
  assert.deepEqual(w.done, ['look {"at":0}', 'send {"at":1}']);
});

Deno.test("resume: changed arguments that are no list in JSON are the caller's mistake, and nothing is taken up", async () => {
  const w = new Waiting();
  await atSend(w);
  const circle: unknown[] = [];
  circle.push(circle);
  for (const args of [{ to: "y" }, "y", null, [1n], [() => 1], [undefined], [NaN], circle]) {
    using run = w.open([], { config: byName(w) });
    const decision = { decision: "approve", args } as unknown as ResumeRequest["decision"];
    await assert.rejects(run.loop.resume({ sessionId: "s", decision }), {
      name: "TypeError",
      message: /^resume: decision\.args must be a list of values in JSON/,
    });
  }
  const decision = { decision: "approve", args: [{ to: "y" }] } as const;
  using run = w.open(["over"], { config: byName(w) });
  assert.equal((await run.loop.resume({ sessionId: "s", decision })).finalText, "over");
  assert.deepEqual(w.done, ['look {"at":0}', 'send {"to":"y"}']);
});

Deno.test("approve: changed arguments that are no list in JSON are a refusal that says so", async () => {
  const w = new Waiting();
  const approve = () => ({ decision: "approve", args: { to: "y" } }) as never;
  using run = w.open([block(`async function run() { await send(1); }`), "over"], { approve });
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.match(observed(run), /the arguments that it was to be changed to are no list in JSON/);
  assert.deepEqual<string[]>(w.done, []);
});

/** A session that waits at `send`, which was given a secret. */
async function withSecret(w: Waiting, secret: string, id = "c1"): Promise<Partial<LoopConfig>> {
  const config = { ...byName(w), redactor: Redactor.fromSecrets({ KEY: secret }) };
  using run = w.open([{ toolCalls: [{ id, name: "send", arguments: { key: secret } }] }], {
    config,
  });
  assert.equal((await run.loop.run({ sessionId: "s", message: "go" })).status, "waiting");
  return config;
}

Deno.test("resume: where what a call was given is not kept any more, it is not made with what the trace shows of it", async () => {
  const w = new Waiting();
  const config = await withSecret(w, "swordfish-9");
  const { scripts: _, ...sessions } = w.ofAnotherProcess();
  using other = w.open([], { config: { ...config, sessions } });
  const { error } = await other.loop.resume(YES);
  assert.equal(error?.code, "config");
  assert.match(error!.message, /session s .*holds a secret.* store that its run had/);
  assert.deepEqual<string[]>(w.done, []);
  using run = w.open(["over"], { config });
  assert.equal((await run.loop.resume(YES)).finalText, "over");
  assert.deepEqual(w.done, ['send {"key":"swordfish-9"}']);
});

Deno.test("resume: a secret that stands in a call's id, or in the figures of what was spent, changes nothing", async () => {
  const w = new Waiting();
  const config = await withSecret(w, "1234", "call_1234");
  const usage = { prompt: 51_234, completion: 1 };
  using run = w.open([{ toolCalls: [{ id: "x", name: "pay" }], usage }], { config });
  assert.equal((await run.loop.resume(YES)).status, "waiting");
  using last = w.open(["over"], { config: { ...config, limits: { totalTokens: 1_000_000 } } });
  assert.equal((await last.loop.resume(YES)).finalText, "over");
  assert.deepEqual(w.done, ['send {"key":"1234"}', "pay {}"]);
});

Deno.test("resume: a word on a call that was begun already changes nothing, and whoever gave it hears so", async () => {
  const ways = {
    tools: (w: Waiting) => atSend(w),
    code: (w: Waiting) => w.wait(`async function run() { await send(1); }`),
  };
  for (const way of ["tools", "code"] as const) {
    const w = new Waiting();
    const config = way === "tools" ? byName(w) : {};
    await ways[way](w);
    const died = new AbortController();
    w.onCall = () => died.abort();
    using first = w.open([], { config });
    await first.loop.resume({ ...YES, signal: died.signal });
    w.onCall = () => {};
    using second = w.open(["over"], { config });
    const { events, onEvent } = second;
    assert.equal((await second.loop.resume({ ...NO, onEvent })).finalText, "over");
    const warnings = events.flatMap(({ type, content }) => type === "warning" ? [content] : []);
    assert.deepEqual(warnings, [
      "The word on send changes nothing: that call was begun before, and is not made again.",
    ]);
    assert.equal(w.done.filter((one) => one.startsWith("send")).length, 1);
  }
});
