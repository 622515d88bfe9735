/** The two readings of a reply that the public API offers on their own. Both agree with what a run does. */
import { scanReply } from "./fences.ts";
import { interpretReply } from "./reply.ts";

/**
 * The script that a complete reply would have run, without white space around it, or "" when none would.
 *
 * That is the first closed fence outside reasoning that is marked `javascript` or `js` and defines `run`; without one, the first unmarked
 * fence that defines it.
 */
export function extractJsBlock(text: string): string {
  const reply = interpretReply(text, "stop");
  return reply.kind === "code" ? reply.source : "";
}

/**
 * Whether a text says that it is finished by a line that is exactly `DONE`, outside fences and reasoning, and what follows that line.
 * `answer()` is how a script ends a run; this is for models that were taught the marker.
 */
export function extractDoneMarker(text: string): { done: boolean; final: string } {
  const { visible, done } = scanReply(text);
  if (done === undefined) return { done: false, final: "" };
  return { done: true, final: visible.slice(done.end).trim() };
}
