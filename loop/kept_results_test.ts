import assert from "node:assert/strict";
import type { NewRunStep } from "../contracts/step.ts";
import type { CallableTool } from "../contracts/tool.ts";
import type { ScriptedStep } from "../llm/scripted.ts";
import { Redactor } from "../redact/redactor.ts";
import { MemoryStore } from "../stores/memory.ts";
import { fixture, type FixtureOptions } from "./_run_fixture.ts";
import { KeptResults, tellResult } from "./kept_results.ts";

const WHOLE = Array.from({ length: 20_000 }, (_, n) => `line ${n}`).join("\n");

function dump(text: string): CallableTool {
  return {
    declaration: { name: "dump", description: "dumps", parameters: { type: "object" } },
    hostFunction: { name: "dump", execute: () => text },
    safe: false,
  };
}

const CALL: ScriptedStep = { toolCalls: [{ id: "c1", name: "dump" }] };

function read(find: string, id = "r"): ScriptedStep {
  return { toolCalls: [{ id, name: "read_result", arguments: { call_id: "c1", find } }] };
}

function toolLoop(
  replies: readonly ScriptedStep[],
  { text = WHOLE, ...options }: FixtureOptions & { readonly text?: string } = {},
) {
  return fixture(replies, {
    ...options,
    config: { protocol: "tools", tools: { callable: () => [dump(text)] }, ...options.config },
  });
}

/** A store as a program of its own may have it: nothing beside the steps. */
function stepsAlone(store: MemoryStore) {
  return {
    append: (step: NewRunStep) => store.append(step),
    lastN: (id: string, n: number) => store.lastN(id, n),
  };
}

/** What the model was told last. */
function lastTold(run: ReturnType<typeof toolLoop>): string {
  return run.llm.requests.at(-1)!.messages.filter(({ role }) => role === "tool").at(-1)!.content;
}

async function resultSteps(store: MemoryStore): Promise<readonly string[]> {
  return (await store.lastN("s", 50)).filter(({ stepType }) => stepType === "tool_result")
    .map(({ toolArgs }) => toolArgs ?? "");
}

Deno.test("long results: the whole is kept beside the steps, which replaying them does not read, and a later run reads it", async () => {
  const store = new MemoryStore();
  using run = toolLoop([CALL, read("line 15000"), "done"], { store });
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.match(lastTold(run), /\nline 15000\n/);
  const steps = await resultSteps(store);
  assert.equal(steps.length, 2);
  assert.ok(steps[0]!.length < 200, steps[0]);
  assert.equal(await store.results.readResult("s", "c1"), WHOLE);
  using later = toolLoop([read("line 19999"), "done"], { store });
  await later.loop.run({ sessionId: "s", message: "and the end?" });
  assert.match(lastTold(later), /, the end\]\nline 19999$/);
});

Deno.test("long results: without a store for them they stand in the steps, and what stands there is read also where there is one", async () => {
  const store = new MemoryStore();
  using run = toolLoop([CALL, read("line 15000"), "done"], {
    store,
    config: { steps: stepsAlone(store) },
  });
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.match(lastTold(run), /\nline 15000\n/);
  assert.equal(JSON.parse((await resultSteps(store))[0]!).whole, WHOLE);
  assert.equal(await store.results.readResult("s", "c1"), undefined);
  for (const config of [{}, { steps: stepsAlone(store) }]) {
    using later = toolLoop([read("line 19999"), "done"], { store, config });
    await later.loop.run({ sessionId: "s", message: "and the end?" });
    assert.match(lastTold(later), /, the end\]\nline 19999$/);
  }
});

Deno.test("long results: a store of their own is taken before that of the steps", async () => {
  const store = new MemoryStore();
  const { results } = new MemoryStore();
  using run = toolLoop([CALL, "done"], { store, config: { results } });
  await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(await results.readResult("s", "c1"), WHOLE);
  assert.equal(await store.results.readResult("s", "c1"), undefined);
});

Deno.test("long results: one that cannot be kept ends the run before its step is told", async () => {
  const store = new MemoryStore();
  const results = {
    ...store.results,
    keepResult: () => Promise.reject(new Error("disk full")),
    readResult: () => Promise.resolve(undefined),
  };
  using run = toolLoop([CALL], { store, config: { results } as FixtureOptions["config"] });
  const result = await run.loop.run({ sessionId: "s", message: "go" });
  assert.equal(result.error?.code, "store_failed");
  assert.match(result.error!.message, /keep a long result of session s.*disk full/);
  assert.deepEqual(await resultSteps(store), []);
});

Deno.test("long results: secrets are taken out before anything is kept or cut", async () => {
  const secret = "key-0123456789";
  const store = new MemoryStore();
  const text = `${"x".repeat(8_180)}${secret}${"y".repeat(20_000)}${secret}`;
  using run = toolLoop([CALL, "done"], {
    store,
    text,
    config: { redactor: Redactor.fromSecrets({ KEY: secret }) },
  });
  await run.loop.run({ sessionId: "s", message: "go" });
  const kept = await store.results.readResult("s", "c1");
  assert.ok(kept!.length > 28_000);
  assert.ok(!kept!.includes("key-0"));
  assert.ok(!JSON.stringify(run.llm.requests).includes("key-0"));
});

Deno.test("long results: a run without the tool that reads on is not told of it, and says the past the same way again; one with it is", async () => {
  for (const protocol of ["code", "code-tool", "auto"] as const) {
    const store = new MemoryStore();
    using run = toolLoop([CALL, read("line 15000"), "done"], { store });
    await run.loop.run({ sessionId: "s", message: "go" });
    const told: string[] = [];
    for (const message of ["one", "two"]) {
      using later = fixture(["fine"], { store, config: { protocol } });
      await later.loop.run({ sessionId: "s", message });
      told.push(JSON.stringify(later.llm.requests[0]?.messages.slice(0, 6)));
    }
    assert.match(told[0]!, /the result has \d+ characters; the rest is not at hand here\]/);
    assert.match(told[0]!, /\[characters \d+ to \d+ of \d+\]/);
    assert.doesNotMatch(told[0]!, /shows the rest|go on from/);
    assert.equal(told[1], told[0]);
    using back = toolLoop([read("line 19999", "r2"), "done"], { store });
    await back.loop.run({ sessionId: "s", message: "and the end?" });
    assert.match(JSON.stringify(back.llm.requests[0]?.messages), /shows the rest.*go on from/);
    assert.match(lastTold(back), /, the end\]\nline 19999$/);
  }
});

Deno.test("long results: what a result says itself is told as it is, under any protocol", async () => {
  const text =
    '[shortened: the result has 9 characters; read_result({"call_id": "c1", "from": …}) shows the rest]';
  const store = new MemoryStore();
  using run = toolLoop([CALL, "done"], {
    store,
    text: `[characters 1 to 2 of 3, go on from 2]\n${text}`,
  });
  await run.loop.run({ sessionId: "s", message: "go" });
  using later = fixture(["fine"], { store });
  await later.loop.run({ sessionId: "s", message: "then" });
  const told = later.llm.requests[0]!.messages.map(({ content }) => content).join("\n");
  assert.ok(told.includes(`[characters 1 to 2 of 3, go on from 2]\n${text}`), told);
});

Deno.test("HIS-09: the case's own text at its caps", () => {
  const text = `${"a".repeat(7999)}🎉🎉🎉`;
  for (const maxBytes of [8000, 8001, 8002, 8003]) {
    const { content, whole } = tellResult(text, { callId: "c", maxBytes });
    assert.equal(whole, text);
    assert.ok(content.isWellFormed());
    const [head = "", note = "", tail = "", pointer = ""] = content.split("\n");
    assert.ok(new TextEncoder().encode(head + tail).length <= maxBytes, `${maxBytes}`);
    assert.match(note, /^… \d+ bytes left out …$/);
    assert.match(pointer, /^\[shortened: /);
  }
  assert.deepEqual(tellResult(text, { callId: "c", maxBytes: 8011 }), { content: text });
});

Deno.test("HIS-09: a result is cut at whole characters, never longer than the cap, with a note of what is missing", async () => {
  const limit = 16 * 1024;
  for (const before of [8_189, 8_190, 8_191, 8_192]) {
    const text = `${"a".repeat(before)}${"🎉".repeat(8_000)}${"b".repeat(before)}`;
    using run = toolLoop([CALL, read("🎉", "r1"), "done"], { text });
    await run.loop.run({ sessionId: "s", message: "go" });
    for (const request of run.llm.requests) {
      for (const { role, content } of request.messages) {
        assert.ok(content.isWellFormed());
        if (role !== "tool") continue;
        const bytes = new TextEncoder().encode(content).length;
        assert.ok(bytes <= limit + 300, `${bytes}`);
        assert.match(content, /^\[characters|\[shortened: the result has \d+ characters/);
      }
    }
  }
});

Deno.test("HIS-09: a long result that is read piece by piece comes whole, also from within a character", async () => {
  const whole = `a${"🎉é".repeat(3_000)}`;
  const kept = new KeptResults({
    sessionId: "s",
    steps: new MemoryStore(),
    results: undefined,
    signal: new AbortController().signal,
  });
  await kept.keep("c", whole);
  const read = async (from: number) =>
    (await kept.answer(JSON.stringify({ call_id: "c", from }), 1000)).text;
  let text = "";
  for (let from = 0, more = true; more;) {
    const [head = "", part = ""] = (await read(from)).split("\n");
    assert.ok(part.isWellFormed());
    text += part;
    const next = /go on from (\d+)/.exec(head);
    more = next !== null;
    from = Number(next?.[1]);
  }
  assert.equal(text, whole);
  // Half of the first party popper: it is given whole.
  assert.match(await read(2), /^\[characters 1 to \d+ of 9001.*\]\n🎉/);
});
