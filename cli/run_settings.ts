/**
 * What the options say about sizes and money, in the words of the loop. Pure.
 */
import type { ModelPrice, PriceTable, RunLimits } from "../contracts/limits.ts";
import type { LoopProtocol } from "../contracts/loop.ts";
import { usageError } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";

/**
 * How the model acts, as the option says.
 *
 * @throws {CliError} `usage` for another word, and where there is nothing to call by name.
 */
export function protocolOf(
  { protocol = "code", tools, memory, search }: Pick<
    CliOptions,
    "protocol" | "tools" | "memory" | "search"
  >,
  { brings = false }: {
    /** The command itself has something to call. @default false */
    readonly brings?: boolean;
  } = {},
): LoopProtocol {
  switch (protocol) {
    case "tools":
      if (brings || tools !== undefined || memory || search !== undefined) return protocol;
      throw usageError(
        "--protocol tools needs tools: --tools FILE names a module that has some, --memory, --search and, where the session is kept, --assistant bring their own",
      );
    case "code":
    case "code-tool":
    case "auto":
      return protocol;
    default:
      throw usageError(
        `--protocol takes code, code-tool, auto or tools, not ${JSON.stringify(protocol)}`,
      );
  }
}

/** The limits of one run that the options name. */
export function limitsOf(options: Pick<CliOptions, "maxTokens" | "maxCost">): RunLimits {
  return {
    ...(options.maxTokens === undefined ? {} : { totalTokens: options.maxTokens }),
    ...(options.maxCost === undefined ? {} : { cost: options.maxCost }),
  };
}

/**
 * The prices that the options name; `undefined` when they name none and the provider's own word counts.
 *
 * @throws {CliError} `usage` when one price is given without the other.
 */
export function namedPrices(
  { pricePrompt: prompt, priceCompletion: completion }: Pick<
    CliOptions,
    "pricePrompt" | "priceCompletion"
  >,
): ModelPrice | undefined {
  if (prompt === undefined && completion === undefined) return undefined;
  if (prompt === undefined || completion === undefined) {
    throw usageError("--price-prompt and --price-completion belong together: give both");
  }
  return { prompt, completion };
}

/**
 * The same for the model that is asked.
 *
 * @throws {CliError} `usage` when one price is given without the other, or when it is not known whose price it is.
 */
export function pricesOf(
  options: Pick<CliOptions, "pricePrompt" | "priceCompletion">,
  model: string | undefined,
): PriceTable | undefined {
  const prices = namedPrices(options);
  if (prices === undefined) return undefined;
  if (model === undefined) {
    throw usageError("a price needs the name of its model: --model NAME, or OPENAI_CHAT_MODEL");
  }
  return { [model]: prices };
}
