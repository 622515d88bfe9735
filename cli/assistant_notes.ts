/** What an assistant's run leaves to other commands, for those that make one; nothing is loaded for others. */
import type { RunResult } from "../contracts/loop.ts";
import type { Conversation } from "./conversation.ts";

/** Lines for whoever reads the answer. Never rejects: where the store cannot be read, the answer still stands. */
export async function assistantNotes(
  result: RunResult,
  { options, store }: Pick<Conversation, "options" | "store">,
): Promise<readonly string[]> {
  if (!options.assistant || options.ephemeral) return [];
  const { leftToDo } = await import("./left_to_do.ts");
  return await leftToDo(result, store).catch(() => []);
}
