import { deepEqual, equal, ok } from "node:assert/strict";
import type { CompletionRequest, Message } from "../contracts/model.ts";
import { MemoryStore } from "../stores/memory.ts";
import { block, fixture } from "./_run_fixture.ts";

function texts(messages: readonly Message[]): string[] {
  return messages.map(({ role, content }) => `${role}: ${content}`);
}

/** Checks that a request begins with all of the one before it but its last exchange: the script that was verbatim, and its result. */
function assertShares(before: CompletionRequest, after: CompletionRequest): void {
  const [old, now] = [texts(before.messages), texts(after.messages)];
  const shared = old.findIndex((text, at) => text !== now[at]);
  const until = shared < 0 ? old.length : shared;
  ok(until >= old.length - 2, `only ${until} of ${old.length} messages are shared`);
}

/** A reply for each turn: scripts of different shapes, some of which fail. */
function script(turn: number): string {
  const body = turn % 7 === 3 ? 'throw new Error("x")' : `return { turn: ${turn}, args }`;
  return `Step ${turn}.\n${
    block(`// step ${turn}\nfunction run(args) {\n  log(${turn});\n  ${body};\n}`)
  }`;
}

Deno.test("prompt stability: over 40 turns each request shares with the one before all but its last exchange", async () => {
  const turns = Array.from({ length: 40 }, (_, turn) => script(turn));
  using made = fixture([...turns, "the end"]);
  await made.loop.run({ sessionId: "s", message: "Go.", maxIterations: 50, turnContext: "noon" });
  const { requests } = made.llm;
  equal(requests.length, 41);
  requests.slice(1).forEach((request, at) => {
    const before = requests[at];
    ok(before !== undefined);
    assertShares(before, request);
  });
});

Deno.test("prompt stability: an old script's line is the same in every later request", async () => {
  using made = fixture([...Array.from({ length: 10 }, (_, turn) => script(turn)), "the end"]);
  await made.loop.run({ sessionId: "s", message: "Go." });
  const line = "assistant: [script of 5 lines, already run: step 0]";
  for (const request of made.llm.requests.slice(2)) equal(texts(request.messages)[2], line);
});

Deno.test("prompt stability: the next run sends the same bytes for the same steps as the run that made them", async () => {
  const store = new MemoryStore();
  using made = fixture([script(1), script(3), block("answer(1)"), script(4), "4", "5"], { store });
  await made.loop.run({ sessionId: "s", message: "Go." });
  await made.loop.run({ sessionId: "s", message: "More?" });
  const [last, next] = made.llm.requests.slice(-2);
  const own = texts(last?.messages ?? []);
  deepEqual(texts(next?.messages ?? []).slice(0, own.length), own);
  deepEqual(texts(next?.messages ?? []).slice(own.length), ["assistant: 4", "user: More?"]);
});

Deno.test("prompt stability: over many runs of a session longer than its window the beginning moves in strides", async () => {
  using made = fixture([], { model: { otherwise: (_request, call) => `reply ${call}` } });
  for (let run = 0; run < 120; run++) {
    await made.loop.run({ sessionId: "s", message: `message ${run}` });
  }
  const firsts = new Set(made.llm.requests.map((request) => request.messages[1]?.content));
  // 240 steps in strides of 20, of which the first 80 move nothing.
  ok(firsts.size <= 10, `${firsts.size} beginnings`);
});

Deno.test("prompt stability: what a crash left half is told as such, in the same bytes in every later run", async () => {
  const store = new MemoryStore();
  const step = { sessionId: "s", runId: "crashed", createdAt: new Date(0) };
  await store.append({ ...step, stepType: "user", content: "Count." });
  await store.append({ ...step, stepType: "execute_js", content: "function run() {}" });
  using made = fixture(["1", "2"], { store });
  await made.loop.run({ sessionId: "s", message: "Go on." });
  await made.loop.run({ sessionId: "s", message: "And?" });
  const [first, second] = made.llm.requests.map(({ messages }) => texts(messages).slice(1));
  deepEqual(first?.slice(0, 2), [
    "user: Count.",
    "assistant: ```javascript\nfunction run() {}\n```",
  ]);
  equal(
    first?.[2],
    "user: [The run ended before this script's result was kept.]\n\n[The run ended without an answer.]\n\nGo on.",
  );
  deepEqual(second?.slice(0, 3), first);
});
