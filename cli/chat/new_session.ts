/** `/new`: begins a new session. The old one stays as it is. */
import { oneLine } from "../terminal_text.ts";
import { type Chat, takesNothing } from "./chat_command.ts";

/** Runs `/new`. */
export async function newSession(chat: Chat, rest: string): Promise<void> {
  takesNothing("/new", rest);
  const { conversation } = chat;
  const before = conversation.sessionId;
  const id = await conversation.begin();
  const isKept = await conversation.store.exists(before);
  chat.say(
    `New session ${oneLine(id, 200)}.` +
      (isKept ? ` Back to the old one: /sessions ${oneLine(before, 200)}` : ""),
  );
}
