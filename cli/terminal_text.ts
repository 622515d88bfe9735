/**
 * Text that others wrote, made fit for a terminal and for one line. Pure functions.
 */

// Control characters (C0 but tab and line feed, DEL, C1), the separators of lines, and the marks that change the direction of what is around them: each can make a terminal
// show something else than what is there.
const UNSAFE =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Replaces control characters by visible escapes such as `\x1b`. Line feeds and tabs stay; CRLF becomes LF. */
export function escapeControls(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    return code < 256
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** The text on one line: control characters escaped, every run of white space one blank, cut at a width with an ellipsis. */
export function oneLine(text: string, maxWidth: number): string {
  // Cut roughly first, so that megabytes are not scanned for a line of a hundred characters.
  const rough = text.trimStart().slice(0, maxWidth * 8 + 64);
  return cutToWidth(escapeControls(rough).replace(/\s+/g, " ").trim(), maxWidth);
}

/** Cuts a line at a number of terminal columns; what is cut off is marked by an ellipsis that fits in. */
export function cutToWidth(line: string, maxWidth: number): string {
  if (displayWidth(line) <= maxWidth) return line;
  let width = 0;
  let kept = "";
  for (const character of line) {
    width += characterWidth(character);
    if (width > maxWidth - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Columns that a line takes at a terminal: two for what is wide, such as CJK and emoji, none for combining marks. Emoji made of several count as those. */
export function displayWidth(line: string): number {
  let width = 0;
  for (const character of line) width += characterWidth(character);
  return width;
}

/** Fills a line with blanks up to a number of columns. */
export function padToWidth(line: string, width: number): string {
  return line + " ".repeat(Math.max(0, width - displayWidth(line)));
}

// The later letters of a Hangul syllable join the first. The selector that makes an emoji of a narrow sign gives it the second column.
const NO_WIDTH = /^(?!\ufe0f)[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7fb]$/u;
// East_Asian_Width W and F of Unicode, of which the runtime knows no property. Halves of a flag are one column each.
const WIDE =
  /^(?![\uff61-\uffdc\u{1f1e6}-\u{1f1ff}])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Tangut}\p{Script=Nushu}\p{Emoji_Presentation}\u2329\u232a\u2630-\u2637\u268a-\u268f\u2ff0-\u303e\u3099-\u33ff\u4dc0-\u4dff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{16fe4}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}]$/u;

/** Columns of one character. */
export function characterWidth(character: string): number {
  if (character <= "\u02ff") return 1;
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
