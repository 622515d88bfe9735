/**
 * A history as text that a model is to read and not to continue, in parts of which each fits into one call. Nothing is left out but the
 * middle of a message that alone is larger than a call. Pure.
 */
import type { TokenEstimator } from "../contracts/compaction.ts";
import type { Message } from "../contracts/model.ts";
import { isScript } from "./cut_history.ts";
import { clipMiddle, utf8Bytes } from "./utf8.ts";

/** What texts are packed by. */
export interface PackOptions {
  /** Tokens that a part may take at most. */
  readonly capacity: number;
  /** Sizes a text. */
  readonly estimate: TokenEstimator;
}

/** Stands between the texts of a part. */
const SEPARATOR = "\n\n";
/** A part grows by this many tokens with each text beside the text itself: what separates them, and a rounding. */
const SEPARATOR_TOKENS = 1;

/** The messages of a history as texts that say who speaks: a script with its result is one text where it fits into a part. */
export function transcriptTexts(history: readonly Message[], options: PackOptions): string[] {
  const texts: string[] = [];
  for (let at = 0; at < history.length; at++) {
    const message = history[at]!;
    const result = history[at + 1];
    if (!isScript(message) || result?.role !== "user") {
      texts.push(speech(message, speakerOf(message)));
      continue;
    }
    at++;
    const pair = [speech(message, "ASSISTANT, A SCRIPT"), speech(result, "RESULT OF THE SCRIPT")];
    const joined = pair.join(SEPARATOR);
    texts.push(...(options.estimate(joined) <= options.capacity ? [joined] : pair));
  }
  return texts;
}

/** Packs texts into as few parts as their order allows. A text larger than a part is shortened in its middle. */
export function packTexts(texts: readonly string[], options: PackOptions): string[][] {
  const parts: string[][] = [];
  let room = 0;
  for (const raw of texts) {
    const text = clipToTokens(raw, options);
    const size = options.estimate(text) + SEPARATOR_TOKENS;
    const part = parts.at(-1);
    if (part === undefined || size > room) {
      parts.push([text]);
      room = options.capacity - size;
    } else {
      part.push(text);
      room -= size;
    }
  }
  return parts;
}

/** The texts of a part as one. */
export function joinTexts(texts: readonly string[]): string {
  return texts.join(SEPARATOR);
}

/** A text that takes no more tokens than a part may; a line says how much was left out of its middle. */
export function clipToTokens(text: string, { capacity, estimate }: PackOptions): string {
  let tokens = estimate(text);
  let clipped = text;
  for (let maxBytes = utf8Bytes(text); tokens > capacity && maxBytes > 1;) {
    maxBytes = Math.floor(maxBytes * Math.min(0.95, capacity / tokens));
    clipped = clipMiddle(text, maxBytes);
    tokens = estimate(clipped);
  }
  return clipped;
}

function speakerOf({ role }: Message): string {
  if (role === "tool") return "RESULT OF A CALL";
  return role === "user" ? "USER" : "ASSISTANT";
}

function speech({ content, toolCalls = [] }: Message, speaker: string): string {
  const calls = toolCalls.map(({ name, argumentsJson }) => `calls ${name}(${argumentsJson})`);
  return [`${speaker}:`, ...(content === "" ? [] : [content]), ...calls].join("\n");
}
