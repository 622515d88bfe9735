/** The border of every store of long results in this folder: checks what a caller hands in. Pure. */
import type { LongResult } from "../contracts/long_result.ts";
import { checkedSessionId, text } from "./step_input.ts";

/**
 * Checks a result. Lone surrogates in its text become U+FFFD.
 *
 * @throws {TypeError} when a field is missing or no text.
 */
export function checkedResult(result: LongResult): LongResult {
  return {
    sessionId: checkedSessionId(result.sessionId),
    callId: checkedCallId(result.callId),
    text: text(result.text, "A result's text"),
  };
}

/**
 * Checks the id of a call.
 *
 * @throws {TypeError} when it is no text, or an empty one.
 */
export function checkedCallId(callId: string): string {
  const checked = text(callId, "A call's id");
  if (checked !== "") return checked;
  throw new TypeError("A call's id must not be empty.");
}
