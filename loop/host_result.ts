/** Turns what a host function returned into JSON text, or says why it cannot: nothing is changed on the way without a word. */
import type { ReplyText } from "../contracts/sandbox.ts";
import { utf8Bytes } from "./utf8.ts";

/** The JSON text and a long text beside it (neither for no value) with their size, or why there is none. */
export type EncodedResult =
  | {
    readonly ok: true;
    readonly json?: string;
    readonly text?: ReplyText;
    /** Of both, as UTF-8. */
    readonly bytes: number;
  }
  | {
    readonly ok: false;
    readonly reason: "not_json" | "too_large";
    readonly message: string;
  };

/** A text of so many UTF-16 units and more stands beside the JSON: to quote it and read it again costs more than the rest of the call. */
const LONG_TEXT = 16_384;

/** Deeper values are refused: no script needs them, and the guest's engine could not read them. */
const MAX_DEPTH = 500;

/**
 * Encodes a result. JSON values pass; properties that are `undefined` are left out, as anywhere in JavaScript. Never throws.
 *
 * @param maxBytes size of the texts at most
 */
export function encodeResult(value: unknown, maxBytes: number): EncodedResult {
  if (value === undefined) return { ok: true, bytes: 0 };
  try {
    const walk: Walk = { ancestors: new Set(), visitsLeft: maxBytes };
    const fault = findFault({ value, path: "$", depth: 0 }, walk);
    if (fault !== undefined) return { ok: false, reason: "not_json", message: fault };
    // Each value takes a byte at least.
    if (walk.visitsLeft < 0) return tooLarge(`more than ${maxBytes}`, maxBytes);
    const text = longText(value);
    const json = text === undefined ? JSON.stringify(value) : jsonBeside(text, value);
    const bytes = utf8Bytes(json ?? "") + utf8Bytes(text?.value ?? "");
    if (bytes > maxBytes) return tooLarge(`${bytes}`, maxBytes);
    return { ok: true, ...(json !== undefined && { json }), ...(text && { text }), bytes };
  } catch {
    return { ok: false, reason: "not_json", message: "$ cannot be read" };
  }
}

/** The value itself, or the longest of its own properties, where that is a long text. */
function longText(value: unknown): ReplyText | undefined {
  if (typeof value === "string") return isLong(value) ? { value } : undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  let found: ReplyText | undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (!isLong(inner) || !isWhole(key)) continue;
    if (found === undefined || inner.length > found.value.length) found = { key, value: inner };
  }
  return found;
}

function isLong(value: unknown): value is string {
  return typeof value === "string" && value.length >= LONG_TEXT && isWhole(value);
}

/** Whether a text reaches the engine as it is: it ends at a character 0 there, and half a surrogate pair has no bytes. */
function isWhole(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function jsonBeside({ key }: ReplyText, value: unknown): string | undefined {
  return key === undefined ? undefined : JSON.stringify({ ...value as object, [key]: null });
}

function tooLarge(size: string, maxBytes: number): EncodedResult {
  return {
    ok: false,
    reason: "too_large",
    message: `it is ${size} bytes of JSON, the limit is ${maxBytes}`,
  };
}

interface Walk {
  readonly ancestors: Set<object>;
  visitsLeft: number;
}

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/** The first thing in a value that JSON cannot hold, with its path; nothing when all of it is JSON. */
function findFault(place: Place, walk: Walk): string | undefined {
  const { value, path, depth } = place;
  if (walk.visitsLeft-- < 0) return undefined;
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  }
  if (value === undefined) return `${path} is undefined`;
  if (typeof value !== "object") return `${path} is ${withArticle(typeof value)}`;
  if (walk.ancestors.has(value)) return `${path} refers back to itself`;
  if (depth >= MAX_DEPTH) return `${path} is nested deeper than ${MAX_DEPTH} levels`;
  if (!Array.isArray(value) && !isPlain(value)) return `${path} is ${withArticle(kindOf(value))}`;
  walk.ancestors.add(value);
  const fault = findFaultInside(value, place, walk);
  walk.ancestors.delete(value);
  return fault;
}

function findFaultInside(value: object, place: Place, walk: Walk): string | undefined {
  const { path, depth } = place;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const fault = findFault(
        { value: value[index], path: `${path}[${index}]`, depth: depth + 1 },
        walk,
      );
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const fault = findFault({ value: inner, path: joinPath(path, key), depth: depth + 1 }, walk);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Whether an object is a bag of properties and not an instance of something. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null) return true;
  // Also of another realm, whose Object.prototype is not ours.
  return typeof prototype === "object" && Object.getPrototypeOf(prototype) === null &&
    typeof Reflect.get(value, "toJSON") !== "function";
}

function kindOf(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? name.slice(0, 40) : "object of a class";
}

function joinPath(path: string, key: string): string {
  return /^[A-Za-z_$][\w$]{0,40}$/.test(key)
    ? `${path}.${key}`
    : `${path}[${JSON.stringify(key.slice(0, 40))}]`;
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
}
