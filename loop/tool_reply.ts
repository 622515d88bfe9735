/** Replies of a model that calls tools by name: what they are, and what it hears of those that cannot be used. Pure. */
import type { Completion } from "../contracts/model.ts";
import { scanReply } from "./fences.ts";
import type { UnusableReply } from "./reminder.ts";
import type { Reply } from "./reply.ts";
import { findWrongForm } from "./wrong_form.ts";

/** What a model is told of the protocol. The declarations say the rest. */
export const TOOL_PROMPT =
  "Call tools where they help. When you know the answer, or need nothing more, reply with it as text.";

/** What a model is told at the last of its turns. */
export const LAST_TURN =
  "[No tool can be called any more. Answer now from what you have, and say what is missing.]";

/** Says what a complete reply is. Calls count whatever is said beside them; a call that is written as text is none. */
export function interpretToolReply(
  { text, finishReason, toolCalls = [] }: Completion,
  names: readonly string[],
): Reply {
  const { visible, prose, blocks, unfinishedReasoning } = scanReply(text);
  const said = visible.trim();
  if (toolCalls.length > 0) return { kind: "calls", calls: toolCalls, said };
  if (finishReason === "length" || (said === "" && unfinishedReasoning)) {
    return { kind: "cut", at: "length" };
  }
  if (said === "") return { kind: "empty" };
  const form = findWrongForm({ visible, prose, blocks, functions: new Set(names) });
  if (form === "tool_call") return { kind: "wrong_form", form };
  return { kind: "final", text: said };
}

/** The reminder for a reply. */
export function remindOfTools({ kind }: UnusableReply): string {
  return kind === "cut"
    ? "Your reply hit the output limit and was cut off. Answer in fewer words, or take a smaller step."
    : "That call was written as text, so nothing was called. Make it as a call of the tool, or answer in prose.";
}
