import { equal, ok } from "node:assert/strict";
import type { LoopConfig } from "../contracts/loop.ts";
import type { CompletionRequest } from "../contracts/model.ts";
import { MemoryStore } from "../stores/memory.ts";
import { keepFacts, promptTokens } from "./_fact_keeper.ts";
import { fakeSandboxBuilder } from "./_fake_sandbox.ts";
import { seededRandom } from "./_random_text.ts";
import { block } from "./_run_fixture.ts";
import { createLoop } from "./create_loop.ts";
import { isScript } from "./cut_history.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";

const NO_USAGE = { prompt: 0, completion: 0 };

/** A model of random habits: long and short scripts, logs, answers, replies that are none. */
function randomModel(random: () => number, requests: CompletionRequest[]): LoopConfig["llm"] {
  const size = () => Math.floor(random() ** 3 * 5000);
  const reply = () => {
    const kind = random();
    if (kind < 0.1) return `The answer. ${"a".repeat(size())}`;
    if (kind < 0.15) return "```python\nanswer(1)\n```";
    if (kind < 0.2) return `\`\`\`javascript\nfunction run() { ${"x".repeat(50)}`;
    const fails = random() < 0.2 ? 'throw new Error("no");' : "return 1;";
    const comment = `// ${"c".repeat(size() / 3)}`;
    return block(`${comment}\nfunction run() { log("y".repeat(${size()})); ${fails} }`);
  };
  return {
    complete: (request) => {
      requests.push(structuredClone({ messages: request.messages, maxTokens: request.maxTokens }));
      const text = reply();
      return Promise.resolve({ text, finishReason: "stop", usage: NO_USAGE, model: "m" });
    },
  };
}

/** A summarizer that writes facts, nothing, too much, or fails. */
function randomSummarizer(random: () => number, asked: { count: number }): LoopConfig["llm"] {
  return {
    complete: (request) => {
      asked.count++;
      const kind = random();
      if (kind < 0.1) return Promise.reject(new Error("down"));
      const text = kind < 0.2 ? "" : kind < 0.3 ? "n".repeat(20_000) : keepFacts(request);
      return Promise.resolve({ text, finishReason: "stop", usage: NO_USAGE, model: "m" });
    },
  };
}

function assertWellFormed({ messages, maxTokens = 0 }: CompletionRequest, window: number): void {
  ok(promptTokens(messages) + maxTokens <= window, `${promptTokens(messages)} of ${window}`);
  equal(messages[0]?.role, "system");
  messages.slice(1).forEach((message, at) => {
    equal(message.role, at % 2 === 0 ? "user" : "assistant", "roles alternate");
    const isResult = /^(?:log:|returned|failed)/.test(message.content);
    if (isResult) {
      ok(isScript(messages[at]!), `a result without its script: ${messages[at]?.content}`);
    }
  });
  equal(messages.at(-1)?.role, "user");
}

Deno.test("run budget: property: whatever is said, each request fits and is whole, and nothing goes on without end", async () => {
  const random = seededRandom(4);
  let overflows = 0;
  for (let round = 0; round < 30; round++) {
    const window = 1800 + Math.floor(random() * 8000);
    const requests: CompletionRequest[] = [];
    const asked = { count: 0 };
    const compactor = new SummarizingCompactor({
      llm: randomSummarizer(random, asked),
      trigger: 4 + Math.floor(random() * 20),
      keep: Math.floor(random() * 8),
      budget: { maxTokens: 1500 + Math.floor(random() * 6000) },
    });
    const store = new MemoryStore();
    const loop = createLoop({
      llm: randomModel(random, requests),
      sessions: store,
      steps: store,
      sandboxBuilder: fakeSandboxBuilder(),
      contextBudget: { maxTokens: window },
      historyWindow: 20 + Math.floor(random() * 100),
      maxIterations: 15,
      ...(random() < 0.7 ? { compactor } : {}),
    });
    for (let run = 0; run < 8; run++) {
      const message = `FACT ${run}. ${"m".repeat(Math.floor(random() ** 4 * 8000))}`;
      const { reason } = await loop.run({ sessionId: "s", message });
      ok(reason === undefined || reason === "model_context_overflow", reason);
      if (reason !== undefined) overflows++;
    }
    for (const request of requests) assertWellFormed(request, window);
    ok(asked.count <= requests.length * 20 + 50, `${asked.count} summaries`);
  }
  ok(overflows > 0 && overflows < 100, `${overflows} overflows`);
});
