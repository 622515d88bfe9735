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
  const refused = (provider.param === "tools" && NOT_KNOWN.test(words)) ||
    REFUSALS.some((refusal) => refusal.test(provider.message));
  if (!refused) return failure;
  const told = [status, provider.message].filter(Boolean).join(": ");
  return { ...failure, ...failureOfNoTools(), quote: told };
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
