/** How the escapes are written through which a secret may be read. Pure; what is done with them is in text_reading.ts. */

/** One way to write bytes as other bytes. */
export interface EscapeSyntax {
  /** The bytes that an escape may begin with. */
  readonly openers: readonly number[];
  /** Shorter forms, in bytes, are not looked for through these escapes. @default 0 */
  readonly minForm?: number;
  /** Reads the escape at the beginning of a text, which begins with an opener and has one character for each byte. */
  readonly read: (text: string) => EscapeReading;
}

/** An escape and what it stands for; or that none begins here; or that more text is needed to tell. */
export type EscapeReading =
  | { readonly length: number; readonly bytes: readonly number[] }
  | "none"
  | "unfinished";

/** `%2F` in URLs, in either case. */
export const PERCENT: EscapeSyntax = {
  openers: [codeOf("%")],
  read(text) {
    const digits = /^%([0-9a-f]{2})/i.exec(text)?.[1];
    if (digits !== undefined) return { length: 3, bytes: [parseInt(digits, 16)] };
    return /^%[0-9a-f]?$/i.test(text) ? "unfinished" : "none";
  },
};

/** `+` for a space in forms and queries. */
export const PLUS: EscapeSyntax = {
  openers: [codeOf("+")],
  read: () => ({ length: 1, bytes: [codeOf(" ")] }),
};

/** Line breaks that wrap a long line, as in printed base64. Short forms would be found by accident, in columns of figures say. */
export const WRAP: EscapeSyntax = {
  minForm: 16,
  openers: [codeOf("\n"), codeOf("\r")],
  read: () => ({ length: 1, bytes: [] }),
};

const LETTERS: Readonly<Record<string, number>> = {
  b: 0x08,
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
  "0": 0x00,
};

const UNIT = /^\\u([0-9a-f]{4})/i;
const PAIR = /^\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i;
const CODE_POINT = /^\\(?:x([0-9a-f]{2})|u\{([0-9a-f]{1,6})\})/i;
const UNFINISHED = /^\\(?:x[0-9a-f]?|u[0-9a-f]{0,3}|u\{[0-9a-f]{0,6})?$/i;
const UNFINISHED_PAIR = /^\\ud[89ab][0-9a-f]{2}(?:\\(?:u(?:d(?:[c-f][0-9a-f]?)?)?)?)?$/i;
const PUNCTUATION = /^\\(["'`\\/])/;

/** `\"`, `\n`, `\/`, `\u00e9`, `\x1b` and the like, as JSON and JavaScript write strings. */
export const BACKSLASH: EscapeSyntax = {
  openers: [codeOf("\\")],
  read(text) {
    if (UNFINISHED.test(text) || UNFINISHED_PAIR.test(text)) return "unfinished";
    const pair = PAIR.exec(text);
    if (pair !== null) {
      return escapeOf(
        pair[0],
        String.fromCharCode(...pair.slice(1).map((hex) => parseInt(hex, 16))),
      );
    }
    const unit = UNIT.exec(text);
    if (unit !== null) return escapeOf(unit[0], String.fromCharCode(parseInt(unit[1]!, 16)));
    const point = CODE_POINT.exec(text);
    if (point !== null) {
      const code = parseInt(point[1] ?? point[2]!, 16);
      return code > 0x10ffff ? "none" : escapeOf(point[0], String.fromCodePoint(code));
    }
    const punctuation = PUNCTUATION.exec(text)?.[1];
    if (punctuation !== undefined) return { length: 2, bytes: [codeOf(punctuation)] };
    const control = LETTERS[text.charAt(1)];
    return control === undefined ? "none" : { length: 2, bytes: [control] };
  },
};

function escapeOf(escape: string, meaning: string): EscapeReading {
  return { length: escape.length, bytes: [...new TextEncoder().encode(meaning)] };
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}
