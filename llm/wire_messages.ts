/**
 * Messages in the shape of the OpenAI wire. Pure.
 *
 * What a model wrote badly must not end its conversation: providers refuse a whole request for one old call whose name or arguments do not have
 * the right form, so such a call is sent in a form that all of them take. The order of messages is checked in tool_order.ts. Messages that are frozen with all that they hold are put into this shape once.
 */
import type { CompletionRequest, Message, ModelToolCall } from "../contracts/model.ts";
import { isFrozenWhole, keepJson } from "./frozen_json.ts";
import type { ProviderError } from "./provider_error.ts";
import { sendableArguments } from "./tool_arguments.ts";
import { ownId } from "./tool_calls.ts";

/** A message as it is sent. */
export interface WireMessage {
  readonly role: Message["role"];
  readonly content: string | null;
  readonly tool_calls?: readonly WireToolCall[];
  readonly tool_call_id?: string;
}

/** A call as it is sent. */
export interface WireToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: Readonly<Record<string, unknown>>;
}

/**
 * What a model's provider wants of calls that another one made: ids of nine letters and digits (Mistral takes no others), or no fields but its own.
 */
export type CallForm = "short_ids" | "no_metadata";

/** The form of names that every provider takes. */
const SENDABLE_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** Stands for a name that has nothing to send. */
const NO_NAME = "unnamed";

/** The messages of a request as they are sent. Text is made well-formed, since strict servers refuse a request for one lone surrogate. */
export function wireMessages(
  { messages, tools = [] }: CompletionRequest,
  forms: ReadonlySet<CallForm>,
): WireMessage[] {
  const offered = new Set(tools.map(({ name }) => name));
  const wording: Wording = {
    nameOf: (name) => offered.has(name) ? name : sendableName(name),
    idOf: forms.has("short_ids") ? shortIds() : (id) => id.toWellFormed(),
    hasMetadata: !forms.has("no_metadata"),
  };
  return messages.map((message) =>
    forms.size === 0 ? remembered(message, wording) : wireMessage(message, wording)
  );
}

/** How calls are said. */
interface Wording {
  readonly nameOf: (name: string) => string;
  readonly idOf: (id: string) => string;
  readonly hasMetadata: boolean;
}

/** Messages that cannot change, as they were sent before. */
const known = new WeakMap<Message, WireMessage>();

function remembered(message: Message, wording: Wording): WireMessage {
  const before = known.get(message);
  if (before !== undefined) return before;
  const made = wireMessage(message, wording);
  if (isSettled(message)) {
    keepJson(made);
    known.set(message, made);
  }
  return made;
}

/** Whether a message is the same in every request. What the name of a call is sent as may depend on the tools. */
function isSettled(message: Message): boolean {
  const { toolCalls } = message;
  if (!Object.isFrozen(message)) return false;
  if (toolCalls === undefined) return true;
  return Object.isFrozen(toolCalls) &&
    toolCalls.every((call) =>
      Object.isFrozen(call) && isFrozenWhole(call.providerMetadata) && SENDABLE_NAME.test(call.name)
    );
}

function wireMessage(
  { role, content, toolCalls = [], toolCallId }: Message,
  { nameOf, idOf, hasMetadata }: Wording,
): WireMessage {
  const text = content.toWellFormed();
  if (role === "tool") return { role, tool_call_id: idOf(toolCallId ?? ""), content: text };
  if (toolCalls.length === 0) return { role, content: text };
  return {
    role,
    content: text === "" ? null : text,
    tool_calls: toolCalls.map((call) => ({
      id: idOf(call.id),
      type: "function",
      function: { name: nameOf(call.name), arguments: sendableArguments(call.argumentsJson) },
      ...(hasMetadata ? metadataOf(call) : {}),
    })),
  };
}

/** The form that a provider asks for when it rejects a body for its calls; nothing where it complains about something else, or has that form. */
export function rejectedCallForm(
  { message, param = "" }: ProviderError,
  messages: readonly WireMessage[],
): CallForm | undefined {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  if (/\bextra_content\b/.test(`${param} ${message}`)) {
    return calls.some((call) => call.extra_content !== undefined) ? "no_metadata" : undefined;
  }
  const aboutIds = /\btool[ _]?calls?(?:\[\d+\]\.|[ _])ids?\b/i.test(`${param} ${message}`);
  if (!aboutIds || !/\b(?:length|too long|longer|must be)\b/i.test(message)) return undefined;
  return calls.some(({ id }) => !SHORT_ID.test(id)) ? "short_ids" : undefined;
}

const SHORT_ID = /^[a-zA-Z0-9]{9}$/;

// An id stands for the same call in a call and in its result, and in every request that begins with the same messages.
function shortIds(): (id: string) => string {
  const known = new Map<string, string>();
  return (id) => {
    const short = known.get(id) ?? ownId(known.size + 1);
    known.set(id, short);
    return short;
  };
}

function metadataOf({ providerMetadata }: ModelToolCall): Pick<WireToolCall, "extra_content"> {
  return providerMetadata === undefined ? {} : { extra_content: providerMetadata };
}

function sendableName(name: string): string {
  if (SENDABLE_NAME.test(name)) return name;
  const letters = name.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64);
  return /[a-zA-Z0-9]/.test(letters) ? letters : NO_NAME;
}
