/**
 * `ai` and `aiJSON`: a script asks a model. What that costs counts into the run's tokens. `aiJSON` takes a JSON value out of the reply, checks it
 * against a schema and asks once more when it does not fit.
 */
import type { JsonValue } from "../../../contracts/json.ts";
import type { Client, Message } from "../../../contracts/model.ts";
import type { CallContext, Capability, Pack } from "../../../contracts/sandbox.ts";
import { extractJson } from "./json_reply.ts";
import { visibleText } from "./visible_text.ts";

const PROMPT = `declare function ai(prompt: string, options?: AiOptions): string;
declare function aiJSON(prompt: string, schema?: object, options?: AiOptions): any; // schema: JSON Schema
type AiOptions = { system?: string; maxTokens?: number; temperature?: number };`;

const DOCUMENT =
  `ai(prompt, options) asks a language model and returns its text. aiJSON(prompt, schema, options) returns a JSON value that fits the JSON Schema;
a reply that does not fit is sent back once, then the call throws. Each call sends only what you give it: no history, no args. Cut large inputs into
pieces; in async function run use Promise.all for several calls. Use it for what code cannot do (summarize, classify, translate), not for arithmetic.`;

/** Wall time of one sub-call: models that reason take minutes. */
const TIMEOUT_MS = 180_000;
/** Reply and reason that are sent back for a repair are cut to this. */
const MAX_QUOTED = 4_000;

/**
 * A capability named `ai`. Without a client it builds nothing, and scripts have neither function.
 *
 * @param client what is asked; stays the caller's
 * @param model the model of every sub-call; left out for the client's own
 */
export function aiCapability(client?: Client, model?: string): Capability {
  return {
    name: "ai",
    description: "ask a language model from a script",
    build: () => client === undefined ? [] : [aiPack(client, model)],
  };
}

function aiPack(client: Client, model: string | undefined): Pack {
  const ask = createAsk(client, model);
  return {
    name: "ai",
    prompt: PROMPT,
    documents: [{ name: "ai", description: "ask a language model from a script", text: DOCUMENT }],
    functions: [
      {
        name: "ai",
        timeoutMs: TIMEOUT_MS,
        execute: ([prompt, options], context) =>
          ask(firstMessages("ai", prompt, options), { options, context }),
      },
      {
        name: "aiJSON",
        timeoutMs: TIMEOUT_MS,
        execute: ([prompt, schema, options], context) =>
          askJson(ask, { prompt, schema, options, context }),
      },
    ],
  };
}

interface AskOptions {
  readonly options: JsonValue | undefined;
  readonly context: CallContext;
}

type Ask = (messages: readonly Message[], options: AskOptions) => Promise<string>;

function createAsk(client: Client, model: string | undefined): Ask {
  return async (messages, { options, context }) => {
    const { maxTokens, temperature } = readOptions(options);
    const bound = { messages, ...(maxTokens === undefined ? {} : { maxTokens }) };
    using _ = context.reserve(bound);
    const completion = await client.complete({
      ...bound,
      signal: context.signal,
      ...(model === undefined ? {} : { model }),
      ...(temperature === undefined ? {} : { temperature }),
    });
    context.spend(completion.usage);
    if (completion.finishReason === "length") {
      throw new Error("ai: the reply was cut at the token limit; ask for less, or raise maxTokens");
    }
    if (completion.finishReason === "content_filter") {
      throw new Error("ai: the provider's content filter stopped the reply; rephrase the prompt");
    }
    const text = visibleText(completion.text);
    if (text !== undefined) return text;
    throw new Error(
      "ai: the reply ended before the model was done thinking; ask for less, or raise maxTokens",
    );
  };
}

function firstMessages(
  name: string,
  prompt: JsonValue | undefined,
  options: JsonValue | undefined,
): Message[] {
  if (typeof prompt !== "string" || prompt.trim() === "") {
    throw new TypeError(`${name}: the prompt must be a text that is not empty`);
  }
  const { system } = readOptions(options);
  return [
    ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
    { role: "user", content: prompt },
  ];
}

async function askJson(
  ask: Ask,
  call: {
    readonly prompt: JsonValue | undefined;
    readonly schema: JsonValue | undefined;
    readonly options: JsonValue | undefined;
    readonly context: CallContext;
  },
): Promise<JsonValue> {
  const { schema, options, context } = call;
  if (schema !== undefined && (typeof schema !== "object" || Array.isArray(schema))) {
    throw new TypeError("aiJSON: the schema must be a JSON Schema object");
  }
  const findFault = schema === undefined || schema === null ? undefined : await faultFinder(schema);
  const [last, ...before] = firstMessages("aiJSON", call.prompt, options).reverse();
  const wanted = findFault === undefined
    ? "Reply with one JSON value and nothing else."
    : `Reply with one JSON value that fits this JSON Schema, and nothing else:\n${
      JSON.stringify(schema)
    }`;
  const messages: Message[] = [
    ...before.reverse(),
    { role: "user", content: `${last!.content}\n\n${wanted}` },
  ];
  const first = await ask(messages, { options, context });
  const read = readJson(first, findFault);
  if ("value" in read) return read.value;
  const repaired = await ask([
    ...messages,
    { role: "assistant", content: first.slice(0, MAX_QUOTED) },
    { role: "user", content: `That cannot be used: ${read.fault}. ${wanted}` },
  ], { options, context });
  const again = readJson(repaired, findFault);
  if ("value" in again) return again.value;
  throw new Error(`aiJSON: the model's reply cannot be used, twice: ${again.fault}`);
}

/** Instructions of all patterns of a schema: some megabytes, which are held while the model is asked; many calls may be under way. */
const MAX_PATTERN_SIZE = 10_000;

/** Says what keeps a value from fitting, or nothing. */
type FaultFinder = (value: JsonValue) => string | undefined;

/** The check of a script's schema. It is loaded with the first one: most scripts never bring any. */
async function faultFinder(schema: JsonValue): Promise<FaultFinder> {
  const [{ checkSchema }, { compilePatterns }, { findIssues }] = await Promise.all([
    import("../../../tools/schema/check_schema.ts"),
    import("../../../tools/schema/pattern.ts"),
    import("../../../tools/schema/validate.ts"),
  ]);
  const sound = checkSchema(schema, { name: "aiJSON", ofObject: false });
  const matchers = await compilePatterns(sound.patterns, { maxSize: MAX_PATTERN_SIZE });
  return (value) => {
    const issues = findIssues(value, { sound, matchers });
    return issues.length === 0 ? undefined : issues.join("; ");
  };
}

function readJson(
  reply: string,
  findFault: FaultFinder | undefined,
): { readonly value: JsonValue } | { readonly fault: string } {
  const found = extractJson(reply);
  if (found === undefined) return { fault: "it holds no JSON value" };
  const fault = findFault?.(found.value);
  return fault === undefined ? found : { fault };
}

function readOptions(
  options: JsonValue | undefined,
): { system?: string; maxTokens?: number; temperature?: number } {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object" || Array.isArray(options)) {
    throw new TypeError("ai: options must be an object { system, maxTokens, temperature }");
  }
  const { system, maxTokens, temperature, ...others } = options as Record<string, JsonValue>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new TypeError(
      `ai: there is no option ${
        JSON.stringify(unknown.slice(0, 100))
      }; there is: system, maxTokens, temperature`,
    );
  }
  if (system !== undefined && typeof system !== "string") {
    throw new TypeError("ai: options.system must be a text");
  }
  for (const [name, value] of Object.entries({ maxTokens, temperature })) {
    if (value !== undefined && typeof value !== "number") {
      throw new TypeError(`ai: options.${name} must be a number`);
    }
  }
  if (typeof maxTokens === "number" && !(Number.isSafeInteger(maxTokens) && maxTokens >= 1)) {
    throw new RangeError(
      `ai: options.maxTokens must be a whole number of at least 1, not ${maxTokens}`,
    );
  }
  if (typeof temperature === "number" && temperature < 0) {
    throw new RangeError(`ai: options.temperature must be at least 0, not ${temperature}`);
  }
  return {
    ...(system === undefined ? {} : { system }),
    ...(maxTokens === undefined ? {} : { maxTokens: maxTokens as number }),
    ...(temperature === undefined ? {} : { temperature: temperature as number }),
  };
}
