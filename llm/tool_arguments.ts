/**
 * The arguments of a call as text: read from what servers send in their place, judged, and made fit to be sent again. Pure.
 * What the model wrote is kept as it is. Nothing here completes a text that broke off.
 */
import type { ToolArgumentsFault } from "../contracts/model.ts";
import { isRecord } from "./provider_error.ts";

/** What is sent where a tool without parameters is called. */
const NO_ARGUMENTS = "{}";

/** What a server sent as arguments, as text: text as it is, an object as JSON, nothing as "". */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Follows the brackets of a JSON text that comes in pieces, in time linear in its length. */
export class BracketScan {
  #depth = 0;
  #isOpened = false;
  #inString = false;
  #isEscaped = false;

  /** Whether there was a bracket and each that was opened is closed. Says nothing about what is between them. */
  get isClosed(): boolean {
    return this.#isOpened && this.#depth <= 0 && !this.#inString;
  }

  /** Takes the next piece in. */
  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const character = piece[at]!;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === '"') this.#inString = !this.#inString;
      else if (this.#inString) this.#isEscaped = character === "\\";
      else if (character === "{" || character === "[") {
        this.#isOpened = true;
        this.#depth++;
      } else if (character === "}" || character === "]") this.#depth--;
    }
  }
}

/** Whether a text is one whole JSON object. */
function isWholeObject(text: string): boolean {
  return parsedObject(text) !== undefined;
}

/** The arguments of a call as it is handed on: what was written, `{}` where nothing was, and what is wrong with it. */
export function judgeArguments(
  written: string,
  { replyWasCut }: { readonly replyWasCut: boolean },
): { readonly argumentsJson: string; readonly argumentsFault?: ToolArgumentsFault } {
  const text = written.toWellFormed();
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") {
    // A reply that was cut may have been about to write them.
    return replyWasCut
      ? { argumentsJson: text, argumentsFault: "cut" }
      : { argumentsJson: NO_ARGUMENTS };
  }
  if (isWholeObject(text)) return { argumentsJson: text };
  return { argumentsJson: text, argumentsFault: breaksOff(trimmed) ? "cut" : "malformed" };
}

/**
 * Joins the pieces in which arguments came. Where that gives no object, the forms of servers that tell them more than once are tried: `{}` before the
 * pieces, the whole again behind them, and each piece with all that was before it.
 */
export function joinArguments(pieces: readonly string[]): string {
  const joined = pieces.join("");
  if (isWholeObject(joined)) return joined;
  const isTold = (piece: string) => piece.trim() !== "";
  const told = pieces.slice(pieces.findIndex(isTold), pieces.findLastIndex(isTold) + 1);
  const isHeaded = told.length > 1 && told[0]!.trim() === NO_ARGUMENTS;
  return wholeOf(told) ?? (isHeaded ? wholeOf(told.slice(1)) : undefined) ?? joined;
}

/** The object that pieces are, or that they tell twice. */
function wholeOf(pieces: readonly string[]): string | undefined {
  const joined = pieces.join("");
  if (isWholeObject(joined)) return joined;
  const last = pieces.at(-1);
  if (pieces.length < 2 || last === undefined || !isWholeObject(last)) return undefined;
  const before = pieces.slice(0, -1);
  const isRepeated = sameArguments(before.join(""), last);
  const isSnapshot = before.every((piece, at) => pieces[at + 1]!.startsWith(piece));
  return isRepeated || isSnapshot ? last : undefined;
}

/** Whether two texts are the same JSON object, however it is spaced. */
export function sameArguments(a: string, b: string): boolean {
  if (a.trim() === b.trim()) return true;
  const [one, other] = [parsedObject(a), parsedObject(b)];
  return one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

/**
 * The arguments as they are sent back to a model. Servers parse those of old calls too and refuse a whole conversation for one that is no
 * object, so that `{}` stands for such a text: what was wrong with it is for the call's result to tell.
 */
export function sendableArguments(written: string): string {
  return isWholeObject(written) ? wellFormedEscapes(written.toWellFormed()) : NO_ARGUMENTS;
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// Whether an object was begun and its end is still to come.
function breaksOff(text: string): boolean {
  if (!text.startsWith("{")) return false;
  const scan = new BracketScan();
  scan.push(text);
  return !scan.isClosed;
}

const LONE_ESCAPE = /\\u[dD][89a-fA-F]/;
/** Each escape of a JSON text: a pair of surrogates, half of one, or any other. */
const ESCAPES =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g;

// Half a surrogate pair can also stand in a text as an escape, and servers decode it.
function wellFormedEscapes(json: string): string {
  if (!LONE_ESCAPE.test(json)) return json;
  return json.replace(
    ESCAPES,
    (escape, half: string | undefined) => half === undefined ? escape : "\\ufffd",
  );
}
