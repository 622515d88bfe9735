/**
 * The order in which calls and their results stand in a conversation. Providers insist on it, each with words of its own and some only when the
 * conversation is long under way, so it is checked before anything is sent. Pure.
 */
import type { Message } from "./model.ts";

/**
 * Checks that each call of an assistant message is answered by one `tool` message before anything else is said, and that each `tool` message
 * answers such a call.
 *
 * @throws {TypeError} naming the first message that does not keep to it.
 */
export function assertToolOrder(messages: readonly Message[]): void {
  /** Calls that are not answered yet: one of them, as there mostly is only one, and the others. */
  let one: string | undefined;
  let others: Set<string> | undefined;
  const left = (): string[] => [...(one === undefined ? [] : [one]), ...(others ?? [])];
  const answer = (id: string): boolean => {
    if (id !== one) return others?.delete(id) ?? false;
    one = undefined;
    return true;
  };
  for (let at = 0; at < messages.length; at++) {
    const { role, toolCalls, toolCallId } = messages[at]!;
    if (role === "tool") {
      if (toolCallId === undefined || !answer(toolCallId)) {
        throw wrong(
          at,
          `answers ${shown(toolCallId)}, which is no open call of the message before`,
        );
      }
      continue;
    }
    const isOpen = one !== undefined || (others?.size ?? 0) > 0;
    if (isOpen) throw wrong(at, `stands where the results of ${list(left())} must stand`);
    if (toolCallId !== undefined) throw wrong(at, `is no tool message and has a toolCallId`);
    if (toolCalls === undefined || toolCalls.length === 0) continue;
    if (role !== "assistant") throw wrong(at, `makes calls and is of the role ${shown(role)}`);
    one = toolCalls[0]!.id;
    others = toolCalls.length === 1 ? undefined : new Set(toolCalls.slice(1).map(({ id }) => id));
    const isTwice = others !== undefined && (others.has(one) || others.size < toolCalls.length - 1);
    if (isTwice) throw wrong(at, "makes two calls of the same id");
    if (!one || others?.has("")) throw wrong(at, "makes a call without an id");
  }
  const open = left();
  if (open.length > 0) throw wrong(messages.length, `must be the result of ${list(open)}`);
}

function wrong(at: number, what: string): TypeError {
  return new TypeError(
    `messages[${at}] ${what}. Each call is answered by one tool message before anything else is said.`,
  );
}

function list(ids: readonly string[]): string {
  return ids.map(shown).join(", ");
}

function shown(id: string | undefined): string {
  return id === undefined ? "no call" : JSON.stringify(id);
}
