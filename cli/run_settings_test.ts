import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { limitsOf, pricesOf } from "./run_settings.ts";

Deno.test("limits are those that were named and no others", () => {
  deepStrictEqual(limitsOf({}), {});
  deepStrictEqual(limitsOf({ maxTokens: 1000, maxCost: 0.5 }), { totalTokens: 1000, cost: 0.5 });
});

Deno.test("prices are those of the model that is asked", () => {
  strictEqual(pricesOf({}, "m"), undefined);
  deepStrictEqual(pricesOf({ pricePrompt: 1, priceCompletion: 4 }, "m"), {
    m: { prompt: 1, completion: 4 },
  });
  throws(() => pricesOf({ pricePrompt: 1 }, "m"), /belong together/);
  throws(() => pricesOf({ pricePrompt: 1, priceCompletion: 4 }, undefined), /--model NAME/);
});
