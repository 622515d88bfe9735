/** Turns what a file holds into text that is fit for a prompt: nothing in it is hidden from whoever reads the file. Pure functions. */

/**
 * What does not show: control characters, marks that change the direction or carry text that nobody sees (tags, selectors of variants beyond one after a
 * character), and separators that only some take for the end of a line. Joiners stay: words and emoji are written with them.
 */
const HIDDEN =
  /(?![\n\t\u200c\u200d\u00ad])[\p{Cc}\p{Cf}\u2028\u2029\u{e0100}-\u{e01ef}\u115f\u1160\u3164\uffa0]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gu;

/** The text of a file: UTF-8 without its byte order mark, lines ended by a line feed. Nothing when it is no such text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return cleanText(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** A text with every end of line a line feed, and with what does not show written as `\u{…}`. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(HIDDEN, visible);
}

/** A name on one line, with what does not show written as `\u{…}`. */
export function cleanName(name: string): string {
  return name.toWellFormed().replace(/[\n\t]/g, visible).replace(HIDDEN, visible);
}

/** Size of a text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
