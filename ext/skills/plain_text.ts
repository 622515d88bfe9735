/** Makes text that others wrote fit for one line of a prompt or a message. Pure functions. */

/** The text on one line: what cannot be seen or would begin a new line is a blank, and blanks are single. */
export function plainLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

/** Cuts a line at a number of characters, at a blank where there is one near; what is cut off is marked by an ellipsis that fits in. */
export function cutLine(line: string, maxCharacters: number): string {
  const characters = Array.from(line);
  if (characters.length <= maxCharacters) return line;
  const kept = characters.slice(0, maxCharacters - 1).join("");
  const blank = kept.lastIndexOf(" ");
  const end = blank > kept.length * 0.7 ? blank : kept.length;
  return `${kept.slice(0, end).replace(/[\s.,:;]+$/, "")}…`;
}

/** A name or a path in quotes for a message, 100 characters at most. */
export function quoted(text: string): string {
  return JSON.stringify(cutLine(plainLine(text), 100));
}
