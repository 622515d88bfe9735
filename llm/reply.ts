/**
 * Puts a reply together from what a provider sends: the chunks of a stream, or one whole object. Pure but for the callback; it knows nothing
 * of bytes, time or retries.
 */
import type { Completion, FinishReason, TokenUsage } from "../contracts/model.ts";
import { isRecord } from "./provider_error.ts";
import { ToolCallAssembler, type ToolCallContext } from "./tool_calls.ts";
import { mergeUsage, NO_USAGE } from "./usage.ts";

/** A provider's words for the end of a reply. What is in no list is `unknown`. */
const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  complete: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  tool_calls: "tool_calls",
  tool_use: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  safety: "content_filter",
};

/** Words that say that the reply was broken off on the server's side: it is no answer. */
const BROKEN_OFF = new Set([
  "error",
  "abort",
  "aborted",
  "cancelled",
  "insufficient_system_resource",
]);

/** More than any model's longest reply, in characters: a server that sends more is broken. */
export const MAX_REPLY_LENGTH = 64 * 1024 * 1024;

/** What became of one object that was taken in. */
export type Taken =
  | { readonly kind: "ok" }
  /** It was, or held, an error. */
  | { readonly kind: "error"; readonly error: unknown }
  /** It says that the server broke the reply off. */
  | { readonly kind: "broken_off"; readonly word: string }
  /** It is none of this protocol's objects. */
  | { readonly kind: "foreign" };

const OK: Taken = { kind: "ok" };

/** Whether a reply that ended for this reason ended before the model was done. */
export function isCut(reason: FinishReason): boolean {
  return reason === "length" || reason === "content_filter";
}

/** Builds one reply. Its visible text is always well-formed Unicode and is exactly what `onText` was given. */
export class ReplyBuilder {
  readonly #onText: ((chunk: string) => void) | undefined;
  #text = "";
  #held = "";
  #reasoning = "";
  #length = 0;
  #finishReason: FinishReason | undefined;
  #usage: TokenUsage = NO_USAGE;
  #model: string | undefined;
  readonly #calls: ToolCallAssembler;

  /** Creates a builder that hands on the visible text as it comes; what was sent helps it to read tool calls. */
  constructor(onText?: (chunk: string) => void, context?: ToolCallContext) {
    this.#onText = onText;
    this.#calls = new ToolCallAssembler(context);
  }

  /** Whether the provider said why the model stopped: then the reply is complete. */
  get finished(): boolean {
    return this.#finishReason !== undefined;
  }

  /** Whether anything came that a reply consists of. */
  get hasContent(): boolean {
    return this.#text !== "" || this.#held !== "" || this.#reasoning !== "" ||
      !this.#calls.isEmpty;
  }

  /** Whether more came than any model writes. */
  get isEndless(): boolean {
    return this.#length > MAX_REPLY_LENGTH || this.#calls.isEndless;
  }

  /** Whether `onText` was given something. */
  get delivered(): boolean {
    return this.#onText !== undefined && this.#text !== "";
  }

  /** What the call cost, as far as it was told. */
  get usage(): TokenUsage {
    return this.#usage;
  }

  /** Takes in one chunk of a stream, or the whole of a reply. */
  take(value: unknown): Taken {
    if (!isRecord(value)) return { kind: "foreign" };
    if (typeof value["model"] === "string" && value["model"] !== "") this.#model = value["model"];
    this.#usage = mergeUsage(this.#usage, value["usage"]);
    if (isRecord(value["x_groq"])) this.#usage = mergeUsage(this.#usage, value["x_groq"]["usage"]);
    const { error, choices } = value;
    // Some servers send the field in every chunk, empty while all is well.
    if (error) return { kind: "error", error };
    if (value["object"] === "error" || value["type"] === "error") {
      return { kind: "error", error: value };
    }
    if (!Array.isArray(choices)) return { kind: "foreign" };
    // Only the first of several choices is asked for and read.
    const choice = choices.find((one) => isRecord(one) && (one["index"] ?? 0) === 0);
    return isRecord(choice) ? this.#takeChoice(choice) : OK;
  }

  /** Ends the reply. */
  finish(requestedModel: string): Completion {
    this.#emit(this.#held.toWellFormed());
    this.#held = "";
    const reason = this.#finishReason ?? "stop";
    const replyWasCut = isCut(reason);
    const toolCalls = this.#calls.finish({ replyWasCut });
    const called = toolCalls.length > 0;
    return {
      text: this.#text,
      ...(this.#reasoning === "" ? {} : { reasoning: this.#reasoning.toWellFormed() }),
      ...(called ? { toolCalls } : {}),
      finishReason: called && !replyWasCut ? "tool_calls" : reason,
      usage: this.#usage,
      model: this.#model ?? requestedModel,
    };
  }

  #takeChoice(choice: Readonly<Record<string, unknown>>): Taken {
    if (isRecord(choice["error"])) return { kind: "error", error: choice["error"] };
    const { delta, message, text } = choice;
    if (isRecord(delta)) {
      this.#takeMessage(delta);
      this.#calls.takeDelta(delta);
    } else if (isRecord(message) && !this.hasContent) this.#takeMessage(message);
    else if (typeof text === "string") this.#addText(text);
    // A whole message inside a stream repeats what its deltas said, unless there were none.
    if (isRecord(message) && this.#calls.isEmpty) this.#calls.takeWhole(message);
    const word = choice["finish_reason"];
    if (typeof word !== "string") return OK;
    const lower = word.toLowerCase();
    if (lower === "" || lower === "null" || lower === "none") return OK;
    if (BROKEN_OFF.has(lower)) return { kind: "broken_off", word };
    this.#finishReason = FINISH_REASONS[lower] ?? "unknown";
    return OK;
  }

  #takeMessage(message: Readonly<Record<string, unknown>>): void {
    const { text, reasoning } = readContent(message["content"]);
    // Routers send the same reasoning under both names.
    const thought = firstText(message["reasoning_content"], message["reasoning"]) + reasoning;
    this.#length += thought.length;
    if (!this.isEndless) this.#reasoning += thought;
    this.#addText(text + firstText(message["refusal"]));
  }

  // A character of two UTF-16 units may come in two chunks: its first half waits for the second.
  #addText(piece: string): void {
    if (piece === "") return;
    this.#length += piece.length;
    if (this.isEndless) return;
    const whole = this.#held + piece;
    const last = whole.charCodeAt(whole.length - 1);
    const cut = last >= 0xd800 && last <= 0xdbff ? whole.length - 1 : whole.length;
    this.#held = whole.slice(cut);
    this.#emit(whole.slice(0, cut).toWellFormed());
  }

  #emit(piece: string): void {
    if (piece === "") return;
    this.#text += piece;
    this.#onText?.(piece);
  }
}

// Content is text, or a list of parts: text, `{type: "text", text}`, `{type: "thinking", thinking: [parts]}`.
function readContent(content: unknown): { text: string; reasoning: string } {
  if (typeof content === "string") return { text: content, reasoning: "" };
  if (!Array.isArray(content)) return { text: "", reasoning: "" };
  let text = "";
  let reasoning = "";
  for (const part of content) {
    if (typeof part === "string") text += part;
    if (!isRecord(part)) continue;
    if (part["type"] === "thinking" || part["type"] === "reasoning") {
      reasoning += readContent(part["thinking"] ?? part["text"]).text;
    } else text += firstText(part["text"], part["refusal"]);
  }
  return { text, reasoning };
}

function firstText(...values: readonly unknown[]): string {
  for (const value of values) if (typeof value === "string" && value !== "") return value;
  return "";
}
