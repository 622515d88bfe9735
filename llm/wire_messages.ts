/**
 * Messages in the shape of the OpenAI wire. Pure.
 *
 * What a model wrote badly must not end its conversation: providers refuse a whole request for one old call whose name or arguments do not have
 * the right form, so such a call is sent in a form that all of them take. The order of messages is checked by contracts/tool_order.ts. Messages that cannot change are put into this shape once.
 */
import type { CompletionRequest, Message, ModelToolCall } from "../contracts/model.ts";
import { isSettledMessage } from "../contracts/settled_message.ts";
import type { ProviderError } from "./provider_error.ts";
import { SentList } from "./sent_list.ts";
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
  const isOffered = (name: string) => tools.some((tool) => tool.name === name);
  const wording: Wording = {
    nameOf: (name) => SENDABLE_NAME.test(name) || isOffered(name) ? name : sendableName(name),
    idOf: forms.has("short_ids") ? shortIds() : (id) => id.toWellFormed(),
    hasMetadata: !forms.has("no_metadata"),
  };
  const shape = (message: Message) => wireMessage(message, wording);
  const [first] = messages;
  const isKept = forms.size === 0 && first !== undefined && isSettledMessage(first);
  return isKept ? sent.shaped(messages, shape) : messages.map(shape);
}

const sent = new SentList<Message, WireMessage>(isSettled, messageJson);

/** System prompts are long, and many conversations begin with the same one. */
const systemJson = new WeakMap<Message, string>();

function messageJson(wire: WireMessage, message: Message): string {
  if (message.role !== "system" || !isSettledMessage(message)) return JSON.stringify(wire);
  const known = systemJson.get(message);
  if (known !== undefined) return known;
  const json = JSON.stringify(wire);
  systemJson.set(message, json);
  return json;
}

/** How calls are said. */
interface Wording {
  readonly nameOf: (name: string) => string;
  readonly idOf: (id: string) => string;
  readonly hasMetadata: boolean;
}

/** Whether a message is sent as it is in every request. What the name of a call is sent as may depend on the tools. */
function isSettled(message: Message): boolean {
  return isSettledMessage(message) &&
    (message.toolCalls ?? NO_CALLS).every(({ name }) => SENDABLE_NAME.test(name));
}

const NO_CALLS: readonly ModelToolCall[] = [];

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
  const letters = name.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64);
  return /[a-zA-Z0-9]/.test(letters) ? letters : NO_NAME;
}
