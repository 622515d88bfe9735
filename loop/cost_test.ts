import { equal } from "node:assert/strict";
import type { PriceTable } from "../contracts/limits.ts";
import { costOf } from "./cost.ts";

const PRICES: PriceTable = {
  "large": { prompt: 10, completion: 50 },
  "large-mini": { prompt: 1, completion: 5, cached: 0.5 },
};
const USAGE = { prompt: 1_000_000, completion: 100_000 };

Deno.test("cost: the longest name that begins a model's name is its price", () => {
  equal(costOf(USAGE, { prices: PRICES, models: ["large-2026"] }), 15);
  equal(costOf(USAGE, { prices: PRICES, models: ["large-mini-2026"] }), 1.5);
});

Deno.test("cost: cached tokens have a price of their own, or the prompt's", () => {
  const usage = { ...USAGE, cached: 600_000 };
  equal(costOf(usage, { prices: PRICES, models: ["large-mini"] }), 0.4 + 0.3 + 0.5);
  equal(costOf(usage, { prices: PRICES, models: ["large"] }), 15);
});

Deno.test("cost: the first name that the table knows counts; without one, what the provider says", () => {
  equal(costOf(USAGE, { prices: PRICES, models: ["alias", undefined, "large-2026"] }), 15);
  equal(costOf({ ...USAGE, cost: 7 }, { prices: PRICES, models: ["other"] }), 7);
  equal(costOf({ ...USAGE, cost: 7 }, { prices: PRICES, models: ["large"] }), 15);
  equal(costOf(USAGE, { models: ["large"] }), undefined);
});
