/**
 * What providers' prefix caches make of the loop's prompts: the share of prompt bytes that repeats the request before from its beginning, over
 * forty turns, and the prompt bytes against a transcript that only grows. Counted, not timed: the model and the sandbox are doubles.
 *
 *     deno run bench/prefix_bench.ts
 */
import type { CompletionRequest, Message } from "../contracts/model.ts";
import type { LoopConfig } from "../contracts/loop.ts";
import { DEFAULT_SANDBOX_LIMITS, type SandboxBuilder } from "../contracts/sandbox.ts";
import { createLoop } from "../loop/create_loop.ts";
import { profileFor } from "../loop/profile.ts";
import { SummarizingCompactor } from "../loop/summarizing_compactor.ts";
import { scriptedClient } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { report } from "./figures.ts";

const TURNS = 40;
/** At most this share of the prompt bytes should miss. In a small window the newest exchange alone is more, so it has no bar. */
const MISS_BAR = 0.15;

/** A script of some 900 bytes, as models write them for a step of a data job. */
function script(turn: number): string {
  const lines = Array.from(
    { length: 14 },
    (_, n) => `  const part${n} = args.rows.filter((row) => row.group === ${turn + n});`,
  );
  return [`// step ${turn}: group the rows`, "function run(args) {", ...lines, "}"].join("\n");
}

/** What such a script logs: some 700 bytes. */
function log(turn: number): string {
  return Array.from({ length: 10 }, (_, n) => `group ${turn + n}: ${"count and total ".repeat(4)}`)
    .join("\n");
}

/** The prompts of forty turns, in runs of so many turns each. */
async function promptsOf(
  turnsARun: number,
  profile: (config: LoopConfig) => LoopConfig,
): Promise<readonly CompletionRequest[]> {
  let turn = 0;
  const llm = scriptedClient([], {
    otherwise: () =>
      ++turn % turnsARun === 0
        ? `Done with step ${turn}. ${"It went well. ".repeat(8)}`
        : `\`\`\`javascript\n${script(turn)}\n\`\`\``,
  });
  const store = new MemoryStore();
  const sandboxBuilder = sandboxDouble(() => ({ logs: log(turn), valueJson: `{"turn":${turn}}` }));
  const loop = createLoop(profile({ llm, sessions: store, steps: store, sandboxBuilder }));
  while (turn < TURNS) {
    await loop.run({
      sessionId: "s",
      message: `Go on with step ${turn}.`,
      maxIterations: TURNS + 1,
    });
  }
  return llm.requests;
}

/** A sandbox that runs nothing: every script ends well, with the log and the value that it is told. */
function sandboxDouble(
  outcome: () => { readonly logs: string; readonly valueJson: string },
): SandboxBuilder {
  return {
    build: () =>
      Promise.resolve({
        prompt: "declare function fetch(url: string): Response;\n".repeat(30),
        functions: new Map(),
        limits: DEFAULT_SANDBOX_LIMITS,
        evaluate: () =>
          Promise.resolve({ ...outcome(), notes: [], guestMs: 1, hostCalls: 0, clockMs: [] }),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  };
}

/** A request as the bytes that a provider would compare, one after the other. */
function bytesOf(messages: readonly Message[]): Uint8Array {
  const text = messages.map(({ role, content }) => `<|${role}|>${content}<|end|>`).join("");
  return new TextEncoder().encode(text);
}

function shared(one: Uint8Array, other: Uint8Array): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count++;
  return count;
}

/** The share of prompt bytes that no cache would have hit, and all of the prompt bytes. */
function measure(requests: readonly CompletionRequest[]): { missed: number; bytes: number } {
  const prompts = requests.map(({ messages }) => bytesOf(messages));
  let bytes = 0;
  let hits = 0;
  prompts.forEach((prompt, at) => {
    bytes += prompt.length;
    hits += at === 0 ? 0 : shared(prompts[at - 1]!, prompt);
  });
  return { missed: 1 - hits / bytes, bytes };
}

/** Prompt bytes of the same turns when every script stays verbatim and nothing is left out. */
function appendOnlyBytes(requests: readonly CompletionRequest[]): number {
  const first = bytesOf(requests[0]?.messages ?? []).length;
  let transcript = first;
  let bytes = first;
  for (let turn = 1; turn < requests.length; turn++) {
    transcript += bytesOf([
      { role: "assistant", content: `\`\`\`javascript\n${script(turn)}\n\`\`\`` },
      { role: "user", content: `log:\n${log(turn)}\nreturned (now args): {"turn":${turn}}` },
    ]).length;
    bytes += transcript;
  }
  return bytes;
}

const summarizer = scriptedClient([], {
  otherwise: ({ messages }) => `Notes on ${messages.length} messages. ${"So it was. ".repeat(40)}`,
});
const cases: readonly [string, number, (config: LoopConfig) => LoopConfig][] = [
  ["one run, a large window", TURNS, (config) => config],
  ["ten runs, a large window", 4, (config) => config],
  ["one run, 8k window, trimmed", TURNS, (config) => profileFor(8192).apply(config)],
  ["one run, 8k window, summarized", TURNS, (config) =>
    profileFor(8192).apply({
      ...config,
      compactor: new SummarizingCompactor({ llm: summarizer }),
    })],
];
for (const [name, turnsARun, profile] of cases) {
  const requests = await promptsOf(turnsARun, profile);
  const { missed, bytes } = measure(requests);
  const bar = name.endsWith("a large window") ? { bar: MISS_BAR } : {};
  console.log(`${name}: ${((1 - missed) * 100).toFixed(1)} % of the prompt bytes are cache hits`);
  report({ name: "  share that is not", unit: "", values: [missed], ...bar });
  report({ name: "  prompt bytes", unit: "KiB", values: [bytes / 1024] });
  const appended = appendOnlyBytes(requests);
  report({ name: "  of those of an append-only transcript", unit: "", values: [bytes / appended] });
}
