import { deepEqual, equal, ok } from "node:assert/strict";
import type { CompletionRequest, Message } from "../contracts/model.ts";
import { MemoryStore } from "../stores/memory.ts";
import { keepFacts, promptTokens } from "./_fact_keeper.ts";
import { fakeSandboxBuilder } from "./_fake_sandbox.ts";
import { block } from "./_run_fixture.ts";
import { createLoop } from "./create_loop.ts";
import { profileFor } from "./profile.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";

const WINDOW = 8192;
const TURNS = 1000;
const TURNS_A_RUN = 4;
const FACT = "FACT: the vault opens with 7319.";

/** What a request looked like; the requests themselves would fill the memory. */
interface Figures {
  readonly tokens: number;
  readonly reply: number;
  readonly messages: number;
  readonly knowsFact: boolean;
  /** Whether it shares with the request before it all of that but the newest script and what followed it. */
  readonly goesOn: boolean;
}

function figuresOf(
  { messages, maxTokens = 0 }: CompletionRequest,
  before: readonly Message[] = [],
): Figures {
  const shared = before.findIndex(({ content }, at) => content !== messages[at]?.content);
  return {
    // At most: the script, its result, the answer and the next message.
    goesOn: shared < 0 || shared >= before.length - 4,
    tokens: promptTokens(messages),
    reply: maxTokens,
    messages: messages.length,
    knowsFact: messages.some(({ content }) => content.includes(FACT)),
  };
}

/** A model that plays scripts of some 150 tokens, whose logs take as much, and answers in each so manieth turn. The third turn finds a fact. */
function playing(figures: Figures[], turnsARun: number) {
  let before: readonly Message[] = [];
  return {
    complete: (request: CompletionRequest) => {
      const turn = figures.push(figuresOf(request, before));
      before = request.messages;
      const note = "// one more step of a long piece of work\n".repeat(10);
      const line = turn === 3 ? FACT : `row ${turn}: ${"x".repeat(500)}`;
      const text = turn % turnsARun === 0
        ? `Answer ${turn}. ${"More on that. ".repeat(30)}`
        : block(
          `${note}function run(args) {\n  log(${JSON.stringify(line)});\n  return ${turn};\n}`,
        );
      const usage = { prompt: 0, completion: 0 };
      return Promise.resolve({ text, finishReason: "stop" as const, usage, model: "m" });
    },
  };
}

/** A loop against an 8k window, and figures of everything that it asks and reads. */
function longLoop(turnsARun: number) {
  const figures: Figures[] = [];
  const summaries: Figures[] = [];
  const reads: number[] = [];
  const store = new MemoryStore();
  const summarizer = {
    complete: (request: CompletionRequest) => {
      summaries.push(figuresOf(request));
      const usage = { prompt: 0, completion: 0 };
      const text = keepFacts(request);
      return Promise.resolve({ text, finishReason: "stop" as const, usage, model: "m" });
    },
  };
  const loop = createLoop(
    profileFor(WINDOW).apply({
      llm: playing(figures, turnsARun),
      sessions: store,
      steps: {
        append: store.append.bind(store),
        lastN: async (id: string, n: number) => {
          const last = await store.lastN(id, n);
          reads.push(last.length);
          return last;
        },
      },
      sandboxBuilder: fakeSandboxBuilder(),
      compactor: new SummarizingCompactor({ llm: summarizer }),
    }),
  );
  return { loop, figures, summaries, reads };
}

function assertFits(figures: readonly Figures[]): void {
  for (const { tokens, reply } of figures) ok(tokens + reply <= WINDOW, `${tokens} + ${reply}`);
}

Deno.test("long session: a thousand turns against an 8k window; every request fits, a fact of turn 3 is known at the end, and a turn costs no more than at the beginning", async () => {
  const { loop, figures, summaries, reads } = longLoop(TURNS_A_RUN);
  const trims: number[] = [];
  let folds = 0;
  for (let run = 0; run * TURNS_A_RUN < TURNS; run++) {
    const { status } = await loop.run({
      sessionId: "s",
      message: `Request ${run}`,
      onEvent: ({ type }) => {
        if (type === "budget_trimmed") trims.push(run);
        if (type === "compacted") folds++;
      },
    });
    equal(status, "completed");
  }

  equal(figures.length, TURNS);
  assertFits([...figures, ...summaries]);
  deepEqual(figures.slice(3).filter((one) => !one.knowsFact).length, 0, "the fact was forgotten");
  deepEqual(trims, [], "nothing left the prompt but through a summary");
  equal(figures.filter((one) => !one.goesOn).length, folds, "the prompt moved without a summary");
  // What a turn reads, sends and summarizes at the end is what it did at the beginning.
  const [early, late] = [figures.slice(100, 300), figures.slice(-200)];
  const most = (of: readonly Figures[], field: "tokens" | "messages") =>
    Math.max(...of.map((one) => one[field]));
  ok(most(late, "tokens") <= most(early, "tokens") * 1.1);
  ok(most(late, "messages") <= most(early, "messages") + 2);
  ok(Math.max(...reads) <= 84 * 4, `${Math.max(...reads)} steps read at once`);
  ok(reads.length <= 2 * TURNS / TURNS_A_RUN, `${reads.length} reads`);
  ok(summaries.length <= TURNS / 5, `${summaries.length} summaries`);
});

Deno.test("long session: three hundred turns in one run, which then leave the history's window; the next run knows the fact too", async () => {
  const { loop, figures, summaries, reads } = longLoop(300);
  const request = { sessionId: "s", message: "A long piece of work.", maxIterations: 300 };
  equal((await loop.run(request)).status, "completed");
  await loop.run({ ...request, maxIterations: 2 });
  assertFits([...figures, ...summaries]);
  deepEqual(figures.slice(3).filter((one) => !one.knowsFact).length, 0, "the fact was forgotten");
  ok(Math.max(...reads) <= 84, `${Math.max(...reads)} steps read at once`);
});
