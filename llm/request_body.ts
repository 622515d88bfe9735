/**
 * The body of a request, and its adaptation to what a provider accepts. Pure.
 *
 * Every reply is asked for as a stream, also where nobody listens to it: a stream shows within the idle limit that the server is alive, proxies do
 * not cut it for being slow, and there is one road to test. A model that cannot stream says so, and is then asked without.
 */
import type { CompletionRequest } from "../contracts/model.ts";
import type { ProviderError } from "./provider_error.ts";
import {
  type CallForm,
  rejectedCallForm,
  type WireMessage,
  wireMessages,
} from "./wire_messages.ts";
import { type WireTool, type WireToolChoice, wireToolChoice, wireTools } from "./wire_tools.ts";

/** The body as it is sent. */
export interface RequestBody {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly temperature?: number;
  readonly seed?: number;
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: WireToolChoice;
  readonly parallel_tool_calls?: boolean;
  readonly stream?: true;
  readonly stream_options?: { readonly include_usage: true };
}

/** What a model of a provider turned out not to accept. */
export interface Adaptation {
  /** The name under which the limit of the reply's tokens goes. */
  readonly limitName: "max_tokens" | "max_completion_tokens";
  /** Whether that name was changed already: a limit is renamed once, and never dropped. */
  readonly renamed: boolean;
  /** Parameters that are left out. */
  readonly dropped: ReadonlySet<DroppableParameter>;
  /** Forms in which calls of earlier replies are sent. */
  readonly callForms: ReadonlySet<CallForm>;
}

/**
 * Parameters without which a request still means the same to its caller. `tool_choice` is one where it is `none`: then the tools are left out
 * with it.
 */
export type DroppableParameter =
  | "temperature"
  | "seed"
  | "stream"
  | "stream_options"
  | "parallel_tool_calls"
  | "tool_choice";

/** How often one request is adapted: once for each thing that can be adapted. */
export const MAX_ADAPTATIONS = 9;

const DROPPABLE: readonly DroppableParameter[] = [
  "parallel_tool_calls",
  "tool_choice",
  "stream_options",
  "temperature",
  "seed",
  "stream",
];

const REJECTING_WORDS =
  /unsupported|not[ _]support|unknown|unrecogni[sz]ed|unexpected|extra[ _](?:fields?|inputs?|forbidden)|not (?:permitted|allowed|accepted|available|compatible|recogni[sz]ed)|incompatible|deprecated|does not accept|invalid[ _]param|no longer|cannot be (?:set|used|specified)|can't be (?:set|used|specified)|must be verified to stream/i;

/** What is known of a provider before it rejected anything. */
export function firstAdaptation(isOpenAI: boolean): Adaptation {
  return isOpenAI ? OPENAI_ITSELF : ANY_SERVER;
}

const ANY_SERVER: Adaptation = {
  limitName: "max_tokens",
  renamed: false,
  dropped: new Set(),
  callForms: new Set(),
};

const OPENAI_ITSELF: Adaptation = { ...ANY_SERVER, limitName: "max_completion_tokens" };

/** Builds the body. Text is made well-formed, since strict servers refuse a whole request for one lone surrogate. */
export function buildBody(
  request: CompletionRequest,
  { model, defaults, adaptation }: {
    readonly model: string;
    readonly defaults: { readonly temperature?: number; readonly seed?: number };
    readonly adaptation: Adaptation;
  },
): RequestBody {
  const { dropped, limitName } = adaptation;
  const temperature = dropped.has("temperature")
    ? undefined
    : request.temperature ?? defaults.temperature;
  const seed = dropped.has("seed") ? undefined : request.seed ?? defaults.seed;
  const streams = !dropped.has("stream");
  return {
    model,
    messages: wireMessages(request, adaptation.callForms),
    ...(request.maxTokens === undefined ? {} : { [limitName]: request.maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
    ...toolParameters(request, dropped),
    ...(streams ? { stream: true } : {}),
    ...(streams && !dropped.has("stream_options")
      ? { stream_options: { include_usage: true } }
      : {}),
  };
}

// Servers refuse an empty list of tools, and what goes with tools where there are none.
function toolParameters(
  { tools = [], toolChoice = "auto", parallelToolCalls }: CompletionRequest,
  dropped: ReadonlySet<DroppableParameter>,
): Pick<RequestBody, "tools" | "tool_choice" | "parallel_tool_calls"> {
  if (tools.length === 0) return {};
  if (toolChoice === "none" && dropped.has("tool_choice")) return {};
  return {
    tools: wireTools(tools),
    ...(toolChoice === "auto" ? {} : { tool_choice: wireToolChoice(toolChoice) }),
    ...(parallelToolCalls === undefined || dropped.has("parallel_tool_calls")
      ? {}
      : { parallel_tool_calls: parallelToolCalls }),
  };
}

/**
 * The adaptation after the provider rejected a body, or `undefined` where nothing in it can be adapted: the error names no optional parameter
 * that was sent, or complains about its value and not about its presence; nor does it ask for another form of old calls.
 */
export function adapt(
  adaptation: Adaptation,
  body: RequestBody,
  { status, error }: { readonly status: number; readonly error: ProviderError },
): Adaptation | undefined {
  if (status !== 400 && status !== 422) return undefined;
  const form = rejectedCallForm(error, body.messages);
  if (form !== undefined) {
    return { ...adaptation, callForms: new Set([...adaptation.callForms, form]) };
  }
  const words = `${error.code ?? ""} ${error.type ?? ""} ${error.message}`;
  const rejects = REJECTING_WORDS.test(words) || (error.message === "" && error.code === undefined);
  const name = rejects ? rejectedName(body, error) : undefined;
  if (name === undefined) return undefined;
  if (name === "max_tokens" || name === "max_completion_tokens") {
    if (adaptation.renamed) return undefined;
    const limitName = name === "max_tokens" ? "max_completion_tokens" : "max_tokens";
    return { ...adaptation, limitName, renamed: true };
  }
  return { ...adaptation, dropped: new Set([...adaptation.dropped, name]) };
}

/** Parameters that stay as they are; what is named inside them, such as a tool's own `seed`, is none of ours. */
const UNADAPTABLE = new Set(["messages", "model", "tools"]);

function rejectedName(
  body: RequestBody,
  error: ProviderError,
): DroppableParameter | "max_tokens" | "max_completion_tokens" | undefined {
  const names = [...DROPPABLE, "max_tokens" as const, "max_completion_tokens" as const]
    .filter((name) => body[name] !== undefined)
    // Any other choice means something: it is the caller's to give up.
    .filter((name) => name !== "tool_choice" || body.tool_choice === "none");
  // `stream_options.include_usage`, `body.seed`
  const path = error.param?.split(/[.[\]]/) ?? [];
  const told = names.find((name) => path.includes(name));
  if (told !== undefined || path.some((part) => UNADAPTABLE.has(part))) {
    return told;
  }
  // The first that is named is the one complained about; a proposal to use another may follow it.
  let first: { name: (typeof names)[number]; at: number } | undefined;
  for (const name of names) {
    const at = error.message.search(wordOf(name));
    if (at >= 0 && (first === undefined || at < first.at)) first = { name, at };
  }
  return first?.name;
}

function wordOf(name: string): RegExp {
  const forms: Readonly<Record<string, string>> = {
    stream: "stream(?:ing)?",
    stream_options: "(?:stream_options|include_usage)",
    parallel_tool_calls: "parallel[_ ]tool[_ ](?:calls?|calling|use)",
    tool_choice: "tool[_ ]choice",
  };
  return new RegExp(`(?<!\\w)${forms[name] ?? name}(?!\\w)`, "i");
}
