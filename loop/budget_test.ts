import { deepEqual, equal } from "node:assert/strict";
import { allowanceOf, PromptBudget, reserveOf } from "./budget.ts";

Deno.test("budget: the reserve is an eighth of the window, within 512 and 4096, and never over half", () => {
  const cases: [number, number][] = [
    [0, 0],
    [600, 300],
    [1000, 500],
    [2048, 512],
    [4096, 512],
    [8192, 1024],
    [32_768, 4096],
    [1_000_000, 4096],
  ];
  for (const [maxTokens, reserve] of cases) {
    deepEqual([reserveOf({ maxTokens }), allowanceOf({ maxTokens })], [
      reserve,
      maxTokens - reserve,
    ]);
  }
  equal(reserveOf({ maxTokens: 1000, reserve: 900 }), 500);
  equal(reserveOf({ maxTokens: 1000, reserve: 1 }), 1);
});

Deno.test("budget: a window of 0 bounds nothing", () => {
  for (const budget of [undefined, { maxTokens: 0 }]) {
    const { allowance, limit, replyTokens, window } = new PromptBudget(budget);
    deepEqual([allowance, limit, replyTokens, window], [Infinity, Infinity, undefined, Infinity]);
  }
});

Deno.test("budget: a longer reply that a request asks for takes from the prompt, to half the window at most", () => {
  const figures = (asked?: number) => {
    const { replyTokens, allowance } = new PromptBudget({ maxTokens: 8192 }, asked);
    return [replyTokens, allowance];
  };
  deepEqual(figures(), [1024, 7168]);
  deepEqual(figures(100), [100, 7168]);
  deepEqual(figures(3000), [3000, 5192]);
  deepEqual(figures(9000), [4096, 4096]);
});

Deno.test("budget: estimates that turn out too low are corrected upwards, within reason", () => {
  const budget = new PromptBudget({ maxTokens: 8192 });
  budget.learnUsage(5000, 4500);
  // Too small to tell.
  budget.learnUsage(500, 900);
  equal(budget.corrected(1000), 1000);
  budget.learnUsage(5000, 6000);
  budget.learnUsage(5000, 5500);
  equal(budget.corrected(1000), 1200);
  budget.learnUsage(5000, 50_000);
  equal(budget.corrected(1000), 1200);
  equal(budget.uncorrected(1200), 1000);
});

Deno.test("budget: after an overflow the window is what the provider named, and the same request is too long", () => {
  const budget = new PromptBudget({ maxTokens: 100_000 });
  budget.learnOverflow(33_000, 32_768);
  deepEqual([budget.window, budget.allowance, budget.replyTokens], [32_768, 28_672, 4096]);
  const told = new PromptBudget({ maxTokens: 32_768 });
  told.learnOverflow(25_000, 32_768);
  equal(told.corrected(25_000) > told.limit, true);
});

Deno.test("budget: an overflow without a named window halves the request, and binds nothing else", () => {
  const budget = new PromptBudget(undefined);
  budget.learnOverflow(10_000);
  deepEqual([budget.limit, budget.target, budget.allowance], [5000, 3750, Infinity]);
  // A window that is larger than what was sent is no explanation.
  const odd = new PromptBudget(undefined);
  odd.learnOverflow(100, 8192);
  equal(odd.corrected(100) > odd.limit, true);
});
