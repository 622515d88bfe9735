/**
 * A summarizer for tests: its summary is made of what it is given and of nothing else. It keeps the lines that hold the word FACT, each once,
 * as a model keeps what matters.
 */
import type { CompletionRequest, Message } from "../contracts/model.ts";
import { estimateTokens } from "./tokens.ts";

/** The notes on whatever the request shows, as long as the reply may be. */
export function keepFacts({ messages, maxTokens = Infinity }: CompletionRequest): string {
  const lines = messages.slice(1).flatMap(({ content }) => content.split("\n"));
  const facts = [...new Set(lines.filter((line) => line.includes("FACT")))];
  const notes = facts.length === 0 ? "Nothing of note." : facts.join("\n");
  return notes.slice(0, maxTokens * 4);
}

/** Tokens of a request, as a model with our estimate would count them. */
export function promptTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
}
