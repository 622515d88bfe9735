/**
 * The text that is being written, and what keys make of it. Pure. History, drawing and the ends of a line are left to the editor.
 */
import type { KeyName } from "./keys.ts";

/** A text with a place in it. */
export interface Draft {
  /** The text; may have several lines. */
  readonly text: string;
  /** Where the next character goes, as an index into the text. Never inside a grapheme that was moved over. */
  readonly cursor: number;
  /** What was cut out last, for `yank`. */
  readonly cut: string;
}

/** A draft with nothing in it. */
export const EMPTY_DRAFT: Draft = { text: "", cursor: 0, cut: "" };

/** Text is put in at the cursor, in one step however long it is. */
export function insertText(draft: Draft, text: string): Draft {
  const { text: old, cursor } = draft;
  return {
    ...draft,
    text: old.slice(0, cursor) + text + old.slice(cursor),
    cursor: cursor + text.length,
  };
}

/** What a key makes of a draft; the draft itself when it means nothing there. */
export function applyKey(draft: Draft, key: KeyName): Draft {
  const { text, cursor } = draft;
  switch (key) {
    case "newline":
      return insertText(draft, "\n");
    case "left":
      return { ...draft, cursor: graphemeLeft(text, cursor) };
    case "right":
      return { ...draft, cursor: graphemeRight(text, cursor) };
    case "word_left":
      return { ...draft, cursor: wordLeft(text, cursor) };
    case "word_right":
      return { ...draft, cursor: wordRight(text, cursor) };
    case "line_start":
      return { ...draft, cursor: lineStart(text, cursor) };
    case "line_end":
      return { ...draft, cursor: lineEnd(text, cursor) };
    case "up":
      return { ...draft, cursor: lineAbove(text, cursor) };
    case "down":
      return { ...draft, cursor: lineBelow(text, cursor) };
    case "delete_left":
      return remove(draft, graphemeLeft(text, cursor), cursor);
    case "delete_right":
    case "end_or_delete":
      return remove(draft, cursor, graphemeRight(text, cursor));
    case "kill_word":
      return cutOut(draft, blankLeft(text, cursor), cursor);
    case "kill_next_word":
      return cutOut(draft, cursor, wordRight(text, cursor));
    case "kill_to_start":
      return cutOut(draft, lineStart(text, cursor), cursor);
    case "kill_to_end":
      return cutOut(draft, cursor, lineEnd(text, cursor));
    case "yank":
      return insertText(draft, draft.cut);
    case "submit":
    case "interrupt":
    case "clear_screen":
      return draft;
  }
}

function remove(draft: Draft, from: number, to: number): Draft {
  return { ...draft, text: draft.text.slice(0, from) + draft.text.slice(to), cursor: from };
}

function cutOut(draft: Draft, from: number, to: number): Draft {
  return from === to ? draft : { ...remove(draft, from, to), cut: draft.text.slice(from, to) };
}

/** Far beyond any grapheme that people type; a whole paste is not to be taken apart for one step. */
const GRAPHEME_UNITS = 64;

function graphemeLeft(text: string, cursor: number): number {
  const from = Math.max(0, cursor - GRAPHEME_UNITS);
  const last = [...segments(text.slice(from, cursor))].at(-1);
  return last === undefined ? cursor : from + last.index;
}

function graphemeRight(text: string, cursor: number): number {
  const [first] = segments(text.slice(cursor, cursor + GRAPHEME_UNITS));
  return cursor + (first?.segment.length ?? 0);
}

function segments(text: string): Intl.Segments {
  return new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
}

function wordLeft(text: string, cursor: number): number {
  let at = cursor;
  while (at > 0 && !isWord(text[at - 1])) at--;
  while (at > 0 && isWord(text[at - 1])) at--;
  return at;
}

function wordRight(text: string, cursor: number): number {
  let at = cursor;
  while (at < text.length && !isWord(text[at])) at++;
  while (at < text.length && isWord(text[at])) at++;
  return at;
}

function blankLeft(text: string, cursor: number): number {
  let at = cursor;
  while (at > 0 && /\s/.test(text[at - 1] ?? "")) at--;
  while (at > 0 && /\S/.test(text[at - 1] ?? "")) at--;
  return at;
}

function isWord(character: string | undefined): boolean {
  // Half of a surrogate pair belongs to a word, so that no pair is ever taken apart.
  return character !== undefined && /[\p{L}\p{N}\p{M}_\ud800-\udfff]/u.test(character);
}

function lineStart(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const at = text.indexOf("\n", cursor);
  return at < 0 ? text.length : at;
}

function lineAbove(text: string, cursor: number): number {
  const start = lineStart(text, cursor);
  if (start === 0) return cursor;
  const above = lineStart(text, start - 1);
  return wholeCharacter(text, Math.min(above + cursor - start, start - 1));
}

function lineBelow(text: string, cursor: number): number {
  const end = lineEnd(text, cursor);
  if (end === text.length) return cursor;
  const column = cursor - lineStart(text, cursor);
  return wholeCharacter(text, Math.min(end + 1 + column, lineEnd(text, end + 1)));
}

function wholeCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at - 1 : at;
}
