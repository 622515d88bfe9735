/**
 * From what a terminal sends to what a person did: keys, and text that was pasted. Pure but for what is kept between two pieces of input.
 * Knows nothing of the line that is edited.
 */

/** What a key does that does not insert text. */
export type KeyName =
  | "submit"
  | "newline"
  | "interrupt"
  | "end_or_delete"
  | "left"
  | "right"
  | "word_left"
  | "word_right"
  | "line_start"
  | "line_end"
  | "up"
  | "down"
  | "delete_left"
  | "delete_right"
  | "kill_word"
  | "kill_next_word"
  | "kill_to_start"
  | "kill_to_end"
  | "yank"
  | "clear_screen";

/** A key that was pressed, or text that was typed or pasted. */
export type Key = { readonly key: KeyName } | { readonly text: string };

/** Reads keys out of the text that a terminal sends, piece by piece. */
export interface KeyReader {
  /** Takes a piece of input and gives what is complete by now. */
  push(piece: string): Key[];
}

/** Asks a terminal to say where a paste begins and ends. */
export const PASTE_MODE_ON = "\x1b[?2004h";
/** Asks it to stop that. */
export const PASTE_MODE_OFF = "\x1b[?2004l";

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";

/** Control characters, as the line editors of shells have them. */
const CONTROLS: Readonly<Record<string, KeyName>> = {
  "\x01": "line_start",
  "\x02": "left",
  "\x03": "interrupt",
  "\x04": "end_or_delete",
  "\x05": "line_end",
  "\x06": "right",
  "\x08": "delete_left",
  "\x0b": "kill_to_end",
  "\x0c": "clear_screen",
  "\x0e": "down",
  "\x10": "up",
  "\x15": "kill_to_start",
  "\x17": "kill_word",
  "\x19": "yank",
  "\x7f": "delete_left",
};

/** What follows the escape character; modifiers are looked at where they matter. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[F": "line_end",
  "[H": "line_start",
  "OA": "up",
  "OB": "down",
  "OC": "right",
  "OD": "left",
  "OF": "line_end",
  "OH": "line_start",
  "[1~": "line_start",
  "[3~": "delete_right",
  "[4~": "line_end",
  "[7~": "line_start",
  "[8~": "line_end",
  "[1;3C": "word_right",
  "[1;3D": "word_left",
  "[1;5C": "word_right",
  "[1;5D": "word_left",
  "[1;9C": "word_right",
  "[1;9D": "word_left",
  // Enter with Shift or Alt, at terminals that tell it from Enter alone.
  "[13;2u": "newline",
  "[13;3u": "newline",
  "[27;2;13~": "newline",
  "[27;3;13~": "newline",
  "\r": "newline",
  "\n": "newline",
  "b": "word_left",
  "d": "kill_next_word",
  "f": "word_right",
  "\x7f": "kill_word",
};

/** A whole sequence, as far as it is there. */
// deno-lint-ignore no-control-regex
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|O(?:.|$)|[^[O]|$)/y;
// deno-lint-ignore no-control-regex
const COMPLETE = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^[O])$/s;
// deno-lint-ignore no-control-regex
const TEXT = /[^\x00-\x08\x0a-\x1f\x7f]+/y;

/**
 * Makes a reader. As long as the terminal has marked no paste, a line break with text behind it in the same piece counts as pasted and belongs to the
 * text: only one that nothing follows is a pressed Enter.
 */
export function readKeys(): KeyReader {
  let rest = "";
  let pasted: string[] | undefined;
  let marksPastes = false;

  function takePaste(input: string): { keys: Key[]; at: number } {
    // The end mark may be cut by the end of the piece, so the part before is kept with what comes next.
    const at = input.indexOf(PASTE_END);
    if (at < 0) {
      const cut = partialEnd(input, PASTE_END);
      pasted?.push(input.slice(0, cut));
      rest = input.slice(cut);
      return { keys: [], at: input.length };
    }
    const text = [...pasted ?? [], input.slice(0, at)].join("").replaceAll(/\r\n?/g, "\n");
    pasted = undefined;
    return { keys: text === "" ? [] : [{ text }], at: at + PASTE_END.length };
  }

  return {
    push(piece) {
      // A person who presses Ctrl-C when a paste does not end has to be heard.
      if (pasted !== undefined && piece === "\x03") {
        pasted = undefined;
        rest = "";
      }
      const input = rest + piece;
      rest = "";
      const keys: Key[] = [];
      let at = 0;
      while (at < input.length) {
        if (pasted !== undefined) {
          const taken = takePaste(input.slice(at));
          keys.push(...taken.keys);
          at += taken.at;
          continue;
        }
        const text = matchAt(TEXT, input, at);
        if (text !== "") {
          keys.push({ text });
          at += text.length;
          continue;
        }
        const sequence = matchAt(SEQUENCE, input, at);
        if (sequence !== "") {
          at += sequence.length;
          if (sequence === PASTE_BEGIN) {
            pasted = [];
            marksPastes = true;
          } else if (!COMPLETE.test(sequence)) rest = sequence;
          else keys.push(...named(SEQUENCES[sequence.slice(1)]));
          continue;
        }
        const character = input[at] ?? "";
        at += character === "\r" && input[at + 1] === "\n" ? 2 : 1;
        if (character === "\r" || character === "\n") {
          const isText = !marksPastes && isTextAt(input, at);
          keys.push(...(isText ? [{ text: "\n" }] : named("submit")));
        } else {
          keys.push(...named(CONTROLS[character]));
        }
      }
      return keys;
    },
  };
}

function named(key: KeyName | undefined): Key[] {
  return key === undefined ? [] : [{ key }];
}

function matchAt(pattern: RegExp, input: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(input)?.[0] ?? "";
}

function isTextAt(input: string, at: number): boolean {
  const next = input[at];
  return next === "\r" || next === "\n" || matchAt(TEXT, input, at) !== "";
}

/** Where the longest end of a text begins that could be the beginning of a mark; its length when there is none. */
function partialEnd(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (mark.startsWith(text.slice(-length))) return text.length - length;
  }
  return text.length;
}
