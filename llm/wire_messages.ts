/**
 * Messages in the shape of the OpenAI wire. Pure.
 *
 * What a model wrote badly must not end its conversation: providers refuse a whole request for one old call whose name or arguments do not have
 * the right form, so such a call is sent in a form that all of them take. The order of messages is checked in tool_order.ts.
 */
import type { CompletionRequest, Message, ModelToolCall } from "../contracts/model.ts";
import { sendableArguments } from "./tool_arguments.ts";

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
}

/** The form of names that every provider takes. */
const SENDABLE_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** Stands for a name that has nothing to send. */
const NO_NAME = "unnamed";

/** The messages of a request as they are sent. Text is made well-formed, since strict servers refuse a request for one lone surrogate. */
export function wireMessages({ messages, tools = [] }: CompletionRequest): WireMessage[] {
  const offered = new Set(tools.map(({ name }) => name));
  return messages.map(({ role, content, toolCalls = [], toolCallId }) => {
    const text = content.toWellFormed();
    if (role === "tool") {
      return { role, tool_call_id: (toolCallId ?? "").toWellFormed(), content: text };
    }
    if (toolCalls.length === 0) return { role, content: text };
    return {
      role,
      content: text === "" ? null : text,
      tool_calls: toolCalls.map((call) => wireToolCall(call, offered)),
    };
  });
}

function wireToolCall(
  { id, name, argumentsJson }: ModelToolCall,
  offered: ReadonlySet<string>,
): WireToolCall {
  return {
    id: id.toWellFormed(),
    type: "function",
    function: {
      name: offered.has(name) ? name : sendableName(name),
      arguments: sendableArguments(argumentsJson),
    },
  };
}

function sendableName(name: string): string {
  if (SENDABLE_NAME.test(name)) return name;
  const letters = name.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64);
  return /[a-zA-Z0-9]/.test(letters) ? letters : NO_NAME;
}
