/**
 * Messages that cannot change any more: what is made of one can be kept. Only those are that were made here. A frozen object of somebody else may still compute what it says.
 */
import type { Message } from "./model.ts";

const settled = new WeakSet<Message>();

/** Makes a message that cannot change. Its calls, where it has any, must be frozen with all that they hold. */
export function settledMessage(
  { role, content, toolCalls, toolCallId }: Message,
): Message {
  const message = Object.freeze<Message>({
    role,
    content,
    ...(toolCalls === undefined ? {} : { toolCalls: Object.freeze([...toolCalls]) }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  });
  settled.add(message);
  return message;
}

/** Whether a message is one that cannot change. */
export function isSettledMessage(message: Message): boolean {
  return settled.has(message);
}
