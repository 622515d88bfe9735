import { deepEqual, equal, ok, throws } from "node:assert/strict";
import type { Compactor } from "../contracts/compaction.ts";
import { scriptedClient } from "../llm/scripted.ts";
import { type ProfiledConfig, profileFor } from "./profile.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";

const FIGURES: readonly [number, number, number, number, number, number][] = [
  [4096, 42, 14, 4, 1792, 1792],
  [8192, 84, 28, 9, 3584, 3584],
  [32_768, 180, 60, 20, 14_336, 4096],
  [131_072, 180, 60, 20, 16_384, 4096],
  [1_000_000, 180, 60, 20, 16_384, 4096],
  [2048, 24, 8, 2, 768, 768],
];

for (const [window, history, trigger, keep, log, inline] of FIGURES) {
  Deno.test(`profile: a window of ${window} tokens`, () => {
    const profile = profileFor(window);
    deepEqual([
      profile.contextBudget,
      profile.historyWindow,
      profile.compactTrigger,
      profile.compactKeep,
      profile.summarizeBudget,
      profile.maxLogBytes,
      profile.projectInlineBytes,
    ], [{ maxTokens: window }, history, trigger, keep, { maxTokens: window }, log, inline]);
  });
}

Deno.test("profile: applied, it sets budget, history and the compactor's knobs, and changes nothing that it was given", () => {
  const llm = scriptedClient([]);
  const compactor = new SummarizingCompactor({ llm, model: "small", trigger: 99 });
  const given = { llm, historyWindow: 5, compactor };
  const config = profileFor(8192).apply(given);
  const { compactor: applied, contextBudget, historyWindow } = config as ProfiledConfig;
  deepEqual([contextBudget, historyWindow], [{ maxTokens: 8192 }, 84]);
  ok(applied instanceof SummarizingCompactor);
  deepEqual([applied.trigger, applied.keep, applied.budget], [28, 9, { maxTokens: 8192 }]);
  equal(config.llm, llm);
  deepEqual([given.historyWindow, compactor.trigger], [5, 99]);
});

Deno.test("profile: a compactor of somebody else's keeps its own knobs", () => {
  const compactor: Compactor = {
    compact: (messages) => Promise.resolve({ messages, tokens: { prompt: 0, completion: 0 } }),
  };
  equal(profileFor(8192).apply({ compactor }).compactor, compactor);
  equal("compactor" in profileFor(8192).apply({}), false);
});

Deno.test("profile: a window that is not known changes nothing", () => {
  for (const window of [0, -1]) {
    const config = { historyWindow: 5 };
    equal(profileFor(window).apply(config), config);
  }
  deepEqual([profileFor(0).historyWindow, profileFor(0).contextBudget.maxTokens], [80, 0]);
  throws(() => profileFor(NaN), RangeError);
  throws(() => profileFor("8192" as never), RangeError);
});
