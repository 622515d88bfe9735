import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { LoopConfig } from "../contracts/loop.ts";
import type { ScriptedReply } from "../llm/scripted.ts";
import { block, fixture, returning } from "./_run_fixture.ts";

const REQUEST = { sessionId: "s", message: "x" };

const UNUSABLE: { readonly [kind: string]: { reply: ScriptedReply; reminder: RegExp } } = {
  cut: {
    reply: { text: `${block("function run() { return 1; }")}\nand`, finishReason: "length" },
    reminder: /hit the output limit/,
  },
  missing_run: { reply: { text: block("answer(4)") }, reminder: /does not define run/ },
  wrong_form: { reply: { text: "```python\nanswer(4)\n```" }, reminder: /marked javascript/ },
  unfinished_reasoning: {
    reply: { text: `<think>maybe\n${returning(1)}` },
    reminder: /before your reasoning did/,
  },
};
for (const [kind, { reply, reminder }] of Object.entries(UNUSABLE)) {
  Deno.test(`run reply: ${kind} is reminded of the form, never run and never an answer`, async () => {
    using made = fixture([reply, returning(7), "7"], {
      model: { usage: { prompt: 5, completion: 1 } },
    });
    const result = await made.loop.run({ ...REQUEST, onEvent: made.onEvent });
    equal(result.finalText, "7");
    equal(made.sandboxBuilder.evaluated.length, 1);
    match(made.llm.requests[1]?.messages.at(-1)?.content ?? "", reminder);
    // Forgotten once a script has come.
    ok(!made.llm.requests[2]?.messages.some(({ content }) => reminder.test(content)));
    const step = (await made.store.lastN("s", Infinity))[1];
    deepEqual([step?.stepType, JSON.parse(step?.toolArgs ?? "{}").kind], ["error", kind]);
    deepEqual([step?.promptTokens, step?.completionTokens], [5, 1]);
    ok(made.events.some(({ type, content }) => type === "warning" && `${content}`.includes(kind)));
  });
}

Deno.test("run reply: what could not be used is kept in the trace also where requests are bounded", async () => {
  using made = fixture([block("answer(4)"), "4"], {
    config: { contextBudget: { maxTokens: 8000 } },
  });
  await made.loop.run(REQUEST);
  const step = (await made.store.lastN("s", Infinity))[1];
  const { kind, reply, estimated_tokens: tokens } = JSON.parse(step?.toolArgs ?? "{}");
  deepEqual([kind, reply, tokens > 0], ["missing_run", block("answer(4)"), true]);
});

Deno.test("run reply: a block of another language is known by the functions that it calls, also after an empty try", async () => {
  using made = fixture(["", "```python\nload(1)\n```", "4"], {
    sandbox: { functions: [{ name: "load", execute: () => 1 }] },
  });
  equal((await made.loop.run(REQUEST)).finalText, "4");
});

Deno.test("run reply: what was said around a script is kept in the trace, and in no prompt", async () => {
  using made = fixture([`First I count.\n${returning(1)}\nThat is all.`, "4"]);
  await made.loop.run(REQUEST);
  const step = (await made.store.lastN("s", Infinity))[1];
  equal(step?.toolArgs, JSON.stringify({ said: "First I count.\nThat is all." }));
  ok(!JSON.stringify(made.llm.requests[1]).includes("First I count"));
});

Deno.test("run reply: each reminder costs a turn, so a model that never finds the form ends", async () => {
  using made = fixture([], { model: { otherwise: "answer(4)" } });
  const result = await made.loop.run({ ...REQUEST, maxIterations: 3 });
  deepEqual([result.status, made.llm.requests.length], ["max_iterations", 3]);
  // What it sent and was told stands in the next request while it goes on.
  deepEqual(made.llm.requests[2]?.messages.slice(1).map(({ role }) => role), [
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
  ]);
});

Deno.test("run reply: prose with an example block becomes the answer after two reminders, bare code never does", async () => {
  const explained = `Debouncing waits.\n${block("const debounce = (f) => f;")}\nThat is all.`;
  using made = fixture([explained, explained, explained]);
  const result = await made.loop.run(REQUEST);
  deepEqual([result.status, result.finalText], ["completed", explained]);
  const bare = block("answer(4)");
  using other = fixture([bare, bare, bare, bare]);
  equal((await other.loop.run({ ...REQUEST, maxIterations: 4 })).status, "max_iterations");
});

Deno.test("run reply: later runs are sent neither the reply nor the reminder", async () => {
  using made = fixture([block("answer(4)"), "4", "again 4"]);
  await made.loop.run(REQUEST);
  await made.loop.run({ sessionId: "s", message: "again" });
  deepEqual(made.llm.requests[2]?.messages.slice(1), [
    { role: "user", content: "x" },
    { role: "assistant", content: "4" },
    { role: "user", content: "again" },
  ]);
});

Deno.test("run reply: of a huge reply that cannot be used only its ends are sent back and kept", async () => {
  const huge = block(`// ${"🎉".repeat(50_000)}\nanswer(4)`);
  using made = fixture([huge, "4"]);
  await made.loop.run(REQUEST);
  const sent = made.llm.requests[1]?.messages[2]?.content ?? "";
  ok(sent.length < 5000 && sent.isWellFormed() && sent.endsWith("answer(4)\n```"));
  ok(((await made.store.lastN("s", 2))[0]?.toolArgs?.length ?? 0) < 6000);
});

Deno.test("EXT-04: the model is told of the blocks that did not run", async () => {
  using made = fixture([`${returning(1)}\nThen:\n${returning(2)}`, "done"]);
  await made.loop.run(REQUEST);
  match(made.llm.requests[1]?.messages.at(-1)?.content ?? "", /1 more block was not/);
  equal((await made.store.get("s")).data, "1");
});

Deno.test("run reply: a name that an earlier script of the run defined is to be defined again", async () => {
  using made = fixture([
    block("const rows = [1]; function run() {}"),
    block("function run() { return rows; }"),
    "4",
    block("function run() { return rows; }"),
    "4",
  ]);
  await made.loop.run(REQUEST);
  match(
    made.llm.requests[2]?.messages.at(-1)?.content ?? "",
    /rows: define it again: only args survives a turn/,
  );
  await made.loop.run(REQUEST);
  ok(!made.llm.requests[4]?.messages.at(-1)?.content.includes("define it again"));
});

Deno.test("QJS-13: the line of a failure reaches the model", async () => {
  using made = fixture([returning(1), "4"], {
    sandbox: {
      evaluate: () =>
        Promise.resolve({
          failure: { kind: "threw", message: "TypeError: bad", line: 12 },
          logs: "before\n",
          notes: [],
          guestMs: 0,
          hostCalls: 0,
          clockMs: [],
        }),
    },
  });
  await made.loop.run(REQUEST);
  equal(
    made.llm.requests[1]?.messages.at(-1)?.content,
    "log:\nbefore\nfailed at line 12: TypeError: bad\nargs is unchanged",
  );
});

Deno.test("run reply: a script that fails or returns nothing keeps args", async () => {
  using made = fixture([
    returning({ n: 1 }),
    block("function run() { throw new Error('x'); }"),
    block("function run() {}"),
    block("function run() { return null; }"),
    block("function run(args) { answer(args === null); }"),
  ]);
  equal((await made.loop.run(REQUEST)).finalText, "true");
  deepEqual(made.sandboxBuilder.evaluated.map((request) => request.argsJson), [
    undefined,
    '{"n":1}',
    '{"n":1}',
    '{"n":1}',
    "null",
  ]);
});

for (const protocol of ["code", "code-tool", "auto", "tools"] as const) {
  Deno.test(`reply (${protocol}): at the last turn an answer that was cut off is given as far as it came, and says so`, async () => {
    const config: Partial<LoopConfig> = {
      protocol,
      maxIterations: 1,
      forceFinalText: true,
      ...(protocol === "tools" ? { tools: { callable: () => [] } } : {}),
    };
    using run = fixture([{ text: "There are three: red,", finishReason: "length" }], { config });
    const result = await run.loop.run({ sessionId: "s", message: "go" });
    deepEqual([result.status, result.forced], ["completed", true]);
    equal(result.finalText, "There are three: red,\n\n[The answer was cut off here.]");
    // Of a script that was cut off nothing is told.
    using half = fixture([{ text: "```js\nfunction run() {", finishReason: "length" }], { config });
    const none = await half.loop.run({ sessionId: "s", message: "go" });
    if (protocol !== "tools") deepEqual([none.status, none.finalText], ["max_iterations", ""]);
  });
}
