/**
 * Session ids on the command line: which are taken, and how a new one is made.
 */
import { escapeControls, oneLine } from "./terminal_text.ts";
import { usageError } from "./failure.ts";

/** Characters of a session id at most; more cannot be read in a list. */
export const MAX_SESSION_ID_LENGTH = 200;

/** Returns the id when it is fit to be typed and shown; throws a `CliError` of type `usage` otherwise. */
export function checkSessionId(id: string): string {
  if (id.trim() === "") throw usageError("the session id is empty");
  if (id.length > MAX_SESSION_ID_LENGTH) {
    throw usageError(
      `the session id ${
        oneLine(id, 40)
      } is too long: ${id.length} characters, at most ${MAX_SESSION_ID_LENGTH}`,
    );
  }
  if (/[\n\t]/.test(id) || escapeControls(id) !== id) {
    throw usageError(`the session id ${oneLine(id, 60)} holds control characters`);
  }
  return id;
}

/** A new id that sorts by time and can be typed: minute in UTC, five letters by chance (`20250401-1305-x7k2m`). */
export function newSessionId(now: Date, random: () => number): string {
  const [date = "", time = ""] = now.toISOString().split("T");
  // Without vowels and look-alikes, so that no words and no mistakes come out.
  const alphabet = "23456789bcdfghjkmnpqrstvwxz";
  const tail = Array.from({ length: 5 }, () => alphabet[Math.floor(random() * alphabet.length)]);
  return `${date.replaceAll("-", "")}-${time.slice(0, 5).replace(":", "")}-${tail.join("")}`;
}
