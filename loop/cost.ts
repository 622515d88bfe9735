/** What tokens cost: by the caller's price table, or by what the provider said. Pure. */
import type { ModelPrice, PriceTable } from "../contracts/limits.ts";
import type { TokenUsage } from "../contracts/model.ts";

/** Prices are per so many tokens. */
const PRICED_TOKENS = 1_000_000;

/** What a usage cost; nothing when neither the table nor the provider tells. The model is the first of the names that the table knows. */
export function costOf(
  usage: TokenUsage,
  { prices, models }: {
    readonly prices?: PriceTable | undefined;
    readonly models: readonly (string | undefined)[];
  },
): number | undefined {
  const price = models.map((model) => priceOf(model, prices)).find((one) => one !== undefined);
  if (price === undefined) return usage.cost;
  const cached = Math.min(usage.cached ?? 0, usage.prompt);
  const prompt = (usage.prompt - cached) * price.prompt + cached * (price.cached ?? price.prompt);
  return (prompt + usage.completion * price.completion) / PRICED_TOKENS;
}

/** The price of a model: that of the longest name that begins the model's. */
function priceOf(model: string | undefined, prices: PriceTable = {}): ModelPrice | undefined {
  if (model === undefined) return undefined;
  let best = "";
  for (const name of Object.keys(prices)) {
    if (name.length > best.length && model.startsWith(name)) best = name;
  }
  return best === "" ? undefined : prices[best];
}
