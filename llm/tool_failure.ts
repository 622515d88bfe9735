/**
 * Failures that only requests with tools meet: a server that takes none, and a model whose call its server could not read. Pure; every server
 * words them in its own way.
 */
import type { Failure } from "./failure.ts";

/** What a tool is called in errors, but for what goes with tools only (`tool_choice`, `parallel_tool_calls`). */
const TOOLS =
  "(?<!parallel[ _-])(?:tools?(?:[ -]?(?:use|calls?|calling))?|tool_(?:use|calls?|calling)|function[ _-]?calls?(?:ing)?|functions)";

const REFUSALS: readonly RegExp[] = [
  // "gemma:2b does not support tools", "No endpoints found that support tool use", "does not support Function Calling".
  new RegExp(
    `(?:(?:not|n't)(?: currently| yet)? support(?:ed)?|no \\w+ found that support)[^.\\n]{0,30}?\\b${TOOLS}\\b(?!_| choice)`,
    "i",
  ),
  // "`tool calling` is not supported with this model", "Function calling is not enabled for models/m", "tools param requires --jinja flag".
  new RegExp(
    `\\b${TOOLS}["'\`]?(?: param(?:eter)?s?)? (?:(?:is|are) (?:un|not )(?:supported|enabled|available|implemented|allowed|permitted)|not supported|unsupported|requires? --)`,
    "i",
  ),
  // "Unrecognized request argument supplied: tools", "Unsupported parameter: 'tools'", "unknown field `tools`".
  /\b(?:unsupported|unrecogni[sz]ed|unknown|unexpected|extra)\b[^.\n]{0,60}\b(?:tools|functions)\b(?![\w[])/i,
  // "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set".
  /\btool choice requires --/i,
];

/** A word for a parameter that is not known, beside which `tools` stands as the parameter. */
const NOT_KNOWN =
  /unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|extra|not (?:permitted|allowed)/i;

/** What servers say of a request that offers more tools than they take, never of one that is too long. */
const TOO_MANY: readonly RegExp[] = [
  // "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 217 instead."
  /\b(?:tools|functions|function_declarations)['"`]?: (?:array|list) (?:is )?too long/i,
  // "Too many tools: 200, at most 128", "too many function declarations".
  /\btoo many (?:tools|functions|function declarations)\b/i,
  // "maximum number of tools is 128", "A maximum of 128 functions is supported".
  /\b(?:maximum|max|at most)\b(?: (?:number|count))?(?: of)?(?: \d+)? (?:tools|functions|function declarations)\b/i,
];

/** Statuses that say nothing about what the model can do. */
const OTHER_MATTERS: ReadonlySet<number> = new Set([401, 403, 408, 413, 429]);

/** A failure of a request with tools as what it means; itself where it has nothing to do with them. */
export function failureWithTools(failure: Failure): Failure {
  const { provider, status } = failure;
  if (provider === undefined || (status !== undefined && OTHER_MATTERS.has(status))) return failure;
  const words = `${provider.code ?? ""} ${provider.type ?? ""} ${provider.message}`;
  if (/\btool_use_failed\b/i.test(words)) {
    return {
      ...failure,
      code: "model_incomplete",
      reason: "the model made a call that its server could not read",
      quote: provider.message,
      hint: "Try again; if it stays like this, choose another model.",
      retryable: true,
    };
  }
  if (failure.code !== "model_context_overflow" && saysTooMany(failure)) {
    const quote = [status, provider.message].filter(Boolean).join(": ");
    return { ...failure, ...failureOfTooManyTools(), quote };
  }
  const refused = (provider.param === "tools" && NOT_KNOWN.test(words)) ||
    REFUSALS.some((refusal) => refusal.test(provider.message));
  if (!refused) return failure;
  const told = [status, provider.message].filter(Boolean).join(": ");
  return { ...failure, ...failureOfNoTools(), quote: told };
}

function saysTooMany({ provider }: Failure): boolean {
  if (provider === undefined) return false;
  const isBound = provider.param === "tools" && provider.code === "array_above_max_length";
  return isBound || TOO_MANY.some((said) => said.test(provider.message));
}

/** A request that offers more tools than its server takes. */
export function failureOfTooManyTools(
  bound?: { readonly offered: number; readonly most: number; readonly whose: string },
): Failure {
  const reason = bound === undefined
    ? "the request offers more tools than the server takes"
    : `the request offers ${bound.offered} tools, and ${bound.whose} takes ${bound.most} at most`;
  return {
    code: "model_rejected",
    reason,
    hint:
      "Let the model look for tools (toolExpander) in place of offering all of them, or offer fewer.",
    advice: "Offer fewer tools, or let the model look for those that it needs.",
    retryable: false,
  };
}

/** A server, or a model of it, that takes no tools. */
export function failureOfNoTools(): Failure {
  return {
    code: "model_tools_unsupported",
    reason: "the model, or its server as it is set up, takes no tools",
    hint: "Choose a model that can call tools, or a protocol that needs none.",
    retryable: false,
  };
}
