/**
 * Talking to a model: what goes in, what comes out. The wire is somebody else's business (llm/).
 */

/** One message of a conversation as the model sees it. */
export interface Message {
  /** Who speaks. */
  readonly role: "system" | "user" | "assistant";
  /** The text. Well-formed Unicode is the client's business: it replaces lone surrogates before it sends. */
  readonly content: string;
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
  /** The conversation, oldest first, the system prompt at its head. */
  readonly messages: readonly Message[];
  /** The model to ask. @default the client's own */
  readonly model?: string;
  /** Upper bound on tokens of the reply. @default the provider's own */
  readonly maxTokens?: number;
  /** Sampling temperature. @default the client's, else the provider's own */
  readonly temperature?: number;
  /** Seed for sampling, for providers that take one. */
  readonly seed?: number;
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
 * A provider's word that is none of these becomes `unknown`.
 */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "unknown";

/** A complete reply. */
export interface Completion {
  /** The visible text; "" when there was none. */
  readonly text: string;
  /** Reasoning that the provider sent apart from the text, where it did. Never executed, never stored. */
  readonly reasoning?: string;
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
   */
  complete(request: CompletionRequest): Promise<Completion>;
  /**
   * Loads what the first call will need (packages, connections) ahead of time. Optional; failures are left to `complete`.
   */
  warmUp?(): Promise<void>;
}
