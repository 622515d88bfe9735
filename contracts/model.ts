/**
 * Talking to a model: what goes in, what comes out. The wire is somebody else's business (llm/).
 */

/** One message of a conversation as the model sees it. */
export interface Message {
  /** Who speaks. `tool` is the result of one call. */
  readonly role: "system" | "user" | "assistant" | "tool";
  /** The text. Well-formed Unicode is the client's business: it replaces lone surrogates before it sends. */
  readonly content: string;
  /**
   * The calls that an assistant message makes beside its text, in their order. Each must be answered by one `tool` message before anything else is said.
   *
   * @default none
   */
  readonly toolCalls?: readonly ModelToolCall[];
  /** The id of the call that a `tool` message answers; only there, and always there. */
  readonly toolCallId?: string;
}

/** A tool that a model may call: what it is told of it, whatever the provider's own shape for that is. */
export interface ToolDeclaration {
  /** The name that a call names. Every provider takes letters, digits, `_` and `-`, 64 of them at most. */
  readonly name: string;
  /** What it does and when to use it, for the model to read. */
  readonly description: string;
  /** JSON Schema of the arguments, of `type: "object"`. Sent as it is. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * Whether a model calls tools: `auto` as it likes, `none` not at all, `required` at least one, or the one of this name.
 * A wish: some servers ignore it, so that calls may come where none were wanted.
 */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/**
 * Why the arguments of a call are no whole JSON object: `cut` when the text breaks off, `malformed` for anything else.
 * They are never repaired; such a call is answered with an error and not run.
 */
export type ToolArgumentsFault = "cut" | "malformed";

/** A call of a tool, as a model made it. */
export interface ModelToolCall {
  /** Ties the result to the call. Never empty; unlike any other in the reply, and any in the conversation that was sent. */
  readonly id: string;
  /** The tool's name as the model wrote it: it may name no tool, or be "". */
  readonly name: string;
  /** The arguments as the model wrote them, whole; `{}` where it wrote none. */
  readonly argumentsJson: string;
  /** Set when `argumentsJson` is no whole JSON object. @default it is one */
  readonly argumentsFault?: ToolArgumentsFault;
  /**
   * What the provider attached to the call and wants back with it, such as the signatures of Gemini's thoughts: JSON that means nothing to anybody else.
   * Keep it with the call.
   *
   * @default nothing
   */
  readonly providerMetadata?: Readonly<Record<string, unknown>>;
}

/** Tokens of one or more model calls. `cached` is part of `prompt`, `reasoning` is part of `completion`. */
export interface TokenUsage {
  /** Tokens of the prompts. */
  readonly prompt: number;
  /** Tokens of the replies. */
  readonly completion: number;
  /** How many of the prompt tokens came from the provider's cache, where it tells. */
  readonly cached?: number;
  /** How many of the completion tokens were reasoning, where the provider tells. */
  readonly reasoning?: number;
  /** What the provider says that the calls cost, in its own currency, where it tells. */
  readonly cost?: number;
}

/** One request for a completion. */
export interface CompletionRequest {
  /**
   * The conversation, oldest first, the system prompt at its head. The loop's messages are frozen, and the same objects in every request of a run while they say the same:
   * what is made of one can be kept with it.
   */
  readonly messages: readonly Message[];
  /** The model to ask. @default the client's own */
  readonly model?: string;
  /** Upper bound on tokens of the reply. @default the provider's own */
  readonly maxTokens?: number;
  /** Sampling temperature. @default the client's, else the provider's own */
  readonly temperature?: number;
  /** Seed for sampling, for providers that take one. */
  readonly seed?: number;
  /**
   * The tools that the model may call, names unlike each other. Leave them in, with `toolChoice: "none"`, where a conversation that holds calls
   * is to go on without: some providers refuse it otherwise, and their caches miss.
   *
   * @default none
   */
  readonly tools?: readonly ToolDeclaration[];
  /** Whether the model is to call tools. Not sent without tools. @default "auto" */
  readonly toolChoice?: ToolChoice;
  /** Whether one reply may hold several calls. A wish, and left out for providers that do not know it. @default the provider's own */
  readonly parallelToolCalls?: boolean;
  /** Ends the call at once; the returned promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Receives the visible text as it arrives, in order. May be called any number of times and must not throw.
   * Leaving it out lets the client ask for the reply in one piece.
   */
  readonly onText?: (chunk: string) => void;
  /**
   * Called before the client starts the reply anew after some text had been delivered: what `onText` has brought so far is void.
   * Must not throw.
   */
  readonly onRestart?: () => void;
  /** Told what the caller may want to know, such as that another model answers. Must not throw. */
  readonly onNotice?: (text: string) => void;
}

/**
 * Why the model stopped. `length`: the token limit cut the reply. `incomplete` never appears: a cut stream is an error.
 * A provider's word that is none of these becomes `unknown`. A reply with calls says `tool_calls`, whatever the provider says, unless it was cut
 * (`length`, `content_filter`).
 */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "unknown";

/** A complete reply. */
export interface Completion {
  /** The visible text; "" when there was none. */
  readonly text: string;
  /** Reasoning that the provider sent apart from the text, where it did. Never executed, never stored. */
  readonly reasoning?: string;
  /** The calls that the model made, in their order, also where it was offered no tools. Absent when there are none. */
  readonly toolCalls?: readonly ModelToolCall[];
  /** Why the model stopped. */
  readonly finishReason: FinishReason;
  /** What the call cost; zeros when the provider does not tell. */
  readonly usage: TokenUsage;
  /** The model that answered, as the provider names it. */
  readonly model: string;
}

/** A model behind some wire. */
export interface Client {
  /**
   * Asks for one reply, retrying what is worth retrying.
   *
   * @throws {AgentLoopError} with a `model_…` code, `timeout` or `aborted`.
   * @throws {TypeError} when a call in `messages` is not answered where it must be, or when `tools` and `toolChoice` do not fit together.
   */
  complete(request: CompletionRequest): Promise<Completion>;
  /**
   * Loads what the first call will need (packages, connections) ahead of time. Optional; failures are left to `complete`.
   */
  warmUp?(): Promise<void>;
}
