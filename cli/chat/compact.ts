/** `/compact`: folds the older part of the session into a summary now. */
import { compactedText, compactNow } from "../compact_now.ts";
import type { Chat } from "./chat_command.ts";

/** Runs `/compact`. What follows the name is what the summary is to heed. */
export async function compact({ context, conversation, say }: Chat, rest: string): Promise<void> {
  const { store, sessionId, options, redactor } = conversation;
  const compacted = await compactNow({ ...context, options }, {
    store,
    sessionId,
    redactor,
    instruction: rest === "" ? undefined : rest,
  });
  say(compactedText(compacted));
}
