/** Replaces one place of a text. Nothing here touches a file. */
import { shownPath } from "./path_rules.ts";

/** Lines that an error names. */
const NAMED_LINES = 10;

/** One replacement. */
export interface Edit {
  /** What stands in the text now, exactly once. */
  readonly target: string;
  /** What is to stand there: character for character, except for line endings in a text that has `\r\n`. */
  readonly replacement: string;
}

/** What came of it. */
export interface EditedText {
  /** The whole text. */
  readonly text: string;
  /** The line, from 1, that the target began on. */
  readonly line: number;
}

/**
 * The text with the replacement in place. In a text with `\r\n`, a target with `\n` matches, and what replaces it gets the endings of the
 * place. The byte order mark stays, and so does a newline at the end of the text.
 *
 * @throws {Error} when the target is empty or stands there not at all or more than once: then it says where.
 */
export function editText(text: string, edit: Edit, shown: string): EditedText {
  const { target } = edit;
  if (target === "") throw new Error("target is empty; writeFile replaces a whole file");
  const view = text.includes("\r\n") ? new LineFeedView(text) : undefined;
  const searched = view?.text ?? text;
  const sought = view === undefined ? target : target.replaceAll("\r\n", "\n");
  const places = placesOf(searched, sought);
  const [place] = places;
  if (place === undefined) throw new Error(notFound(shown, searched, sought));
  if (places.length > 1) throw new Error(severalTimes(shown, searched, places));
  const start = view?.original(place) ?? place;
  const end = view?.original(place + sought.length) ?? place + sought.length;
  const replacement = view === undefined
    ? edit.replacement
    : withEndings(edit.replacement, endingOf(text, { start, end }));
  const edited = text.slice(0, start) + replacement + text.slice(end);
  return { text: keepEdges(text, edited), line: lineAt(searched, place) };
}

/** A text with `\n` for each `\r\n`, and the way back from its positions. */
class LineFeedView {
  readonly text: string;
  /** Positions, in the view, of the line feeds that stand for two characters. */
  readonly #folded: number[] = [];

  constructor(text: string) {
    for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2)) {
      this.#folded.push(at - this.#folded.length);
    }
    this.text = text.replaceAll("\r\n", "\n");
  }

  original(position: number): number {
    let low = 0;
    let high = this.#folded.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#folded[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return position + low;
  }
}

/** The ending that new lines get: that of the place, or of the line it is in. */
function endingOf(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): string {
  const inside = text.slice(start, end).match(/\r?\n/);
  if (inside !== null) return inside[0];
  const after = text.slice(end, end + 100_000).match(/\r?\n/);
  if (after !== null) return after[0];
  const before = text.lastIndexOf("\n", start - 1);
  return start > 0 && before > 0 && text[before - 1] !== "\r" ? "\n" : "\r\n";
}

function withEndings(text: string, ending: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\n", () => ending);
}

function keepEdges(old: string, edited: string): string {
  const mark = old.startsWith("\uFEFF") && !edited.startsWith("\uFEFF") ? "\uFEFF" : "";
  const ending = old.match(/\r?\n$/)?.[0] ?? "";
  return mark + edited + (edited !== "" && !/\n$/.test(edited) ? ending : "");
}

function placesOf(text: string, target: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(target); at !== -1; at = text.indexOf(target, at + 1)) {
    places.push(at);
  }
  return places;
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < position; at = text.indexOf("\n", at + 1)) {
    line++;
  }
  return line;
}

function severalTimes(shown: string, text: string, places: readonly number[]): string {
  const lines = places.slice(0, NAMED_LINES).map((place) => lineAt(text, place)).join(", ");
  const rest = places.length > NAMED_LINES ? ", …" : "";
  return `target stands ${places.length} times in ${shown} (lines ${lines}${rest}); take in more of what is around it`;
}

function notFound(shown: string, text: string, target: string): string {
  const [first = ""] = target.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const near = first === "" ? [] : placesOf(text, first);
  const hint = near[0] === undefined
    ? "read the file again"
    : `"${shownPath(first)}" stands at line ${
      lineAt(text, near[0])
    }: compare spaces and the lines after it`;
  return `target stands 0 times in ${shown}; ${hint}`;
}
