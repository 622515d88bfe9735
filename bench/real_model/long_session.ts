// Usage: deno run --allow-net --allow-run bench/real_model/long_session.ts --base-url http://127.0.0.1:8080/v1 --window 4096 [--turns 40]
/**
 * A long session against a real model with a small window: one message after the other in one session, with the profile of that window. Counts what was asked,
 * what was trimmed and folded, and what the server refused for its length, which should be nothing.
 */
import { parseArgs } from "node:util";
import type { RunEvent } from "../../contracts/event.ts";
import { createOpenAIClient } from "../../llm/openai.ts";
import { createLoop } from "../../loop/create_loop.ts";
import { profileFor } from "../../loop/profile.ts";
import { SummarizingCompactor } from "../../loop/summarizing_compactor.ts";
import { DefaultSandboxBuilder } from "../../sandbox/default_builder.ts";
import { MemoryStore } from "../../stores/memory.ts";
import { recordingClient } from "./recording_client.ts";

const { values } = parseArgs({
  options: {
    "base-url": { type: "string" },
    window: { type: "string", default: "4096" },
    turns: { type: "string", default: "40" },
  },
});
const profile = profileFor(Number(values.window));
const recorded = recordingClient(
  createOpenAIClient({ baseUrl: values["base-url"], maxRetries: 0, temperature: 0.3, seed: 1 }),
);
const store = new MemoryStore();
await using sandboxBuilder = new DefaultSandboxBuilder({ maxLogBytes: profile.maxLogBytes });
const loop = createLoop(profile.apply({
  llm: recorded,
  sessions: store,
  steps: store,
  sandboxBuilder,
  compactor: new SummarizingCompactor({ llm: recorded }),
  maxIterations: 2,
  runTimeoutMs: 600_000,
}));

const counts: Record<string, number> = {};
const count = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
const WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron"];
for (let turn = 1; turn <= Number(values.turns); turn++) {
  const word = WORDS[turn % WORDS.length]!;
  const message = turn === 3
    ? "Remember that the code of the depot is 7319. Reply with one short sentence."
    : `Note ${turn}: crate ${turn} holds ${turn * 3} lamps of the kind ${word}, made in the year ${
      1900 + turn
    }. Reply with one short sentence, without a block.`;
  const onEvent = ({ type }: RunEvent): void => count(type);
  const result = await loop.run({ sessionId: "long", message, onEvent });
  count(`status ${result.status}${result.reason === undefined ? "" : ` (${result.reason})`}`);
  const largest = Math.max(...recorded.calls.map((call) => call.completion.usage.prompt));
  console.error(`turn ${turn}: ${result.status}, largest prompt so far ${largest} tokens`);
}
const last = recorded.calls.at(-1)!;
const remembered = JSON.stringify(last.messages).includes("7319");
console.log({
  calls: recorded.calls.length,
  ...counts,
  "the code is in the last prompt": remembered,
});
