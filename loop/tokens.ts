/** Sizing of text in tokens without a tokenizer. */
import { utf8Bytes } from "./utf8.ts";

/**
 * About how many tokens a text occupies: its UTF-8 bytes over four, rounded up.
 *
 * Crude on purpose: tokenizers differ from model to model, and what asks for this figure leaves room for its error.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(utf8Bytes(text) / 4);
}
