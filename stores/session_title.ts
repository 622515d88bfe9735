/** The title that a listing shows of a session, made from its first user message. Pure. */

/** Length of a title at most, in UTF-16 code units. */
export const MAX_TITLE_LENGTH = 80;

/**
 * The first line of a message that holds anything but white space, trimmed and cut to 80 characters; "" when there is none.
 * A cut never leaves half a character.
 */
export function sessionTitle(message: string): string {
  const start = message.trimStart();
  const end = start.search(/[\r\n\u2028\u2029]/);
  const line = (end < 0 ? start : start.slice(0, end)).trimEnd();
  if (line.length <= MAX_TITLE_LENGTH) return line;
  const cut = line.slice(0, MAX_TITLE_LENGTH);
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd();
}
