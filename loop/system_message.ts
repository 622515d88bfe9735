/** System prompts as messages. Most runs of a program have the same one, and a client can keep what it makes of a message. */
import type { Message } from "../contracts/model.ts";
import { settledMessage } from "../contracts/settled_message.ts";

/** Prompts that are kept at most. */
const MAX_KEPT = 8;

/** The newest one first. */
const kept: Message[] = [];

/** The message with this prompt: the same one for as long as it is among the newest that were asked for. */
export function systemMessage(content: string): Message {
  const at = kept.findIndex((message) => message.content === content);
  if (at === 0) return kept[0]!;
  const message = at < 0 ? settledMessage({ role: "system", content }) : kept.splice(at, 1)[0]!;
  kept.unshift(message);
  if (kept.length > MAX_KEPT) kept.pop();
  return message;
}
