/**
 * What a model sees of a value that it returned: a small one whole, of any other only the shape, in a notation close to TypeScript.
 * The value itself never enters a prompt.
 */
import type { JsonValue } from "../contracts/json.ts";
import { mergeFields, type Shape, shapeOf } from "./shape.ts";
import { headBytes, utf8Bytes } from "./utf8.ts";

/** A value of at most this many bytes of JSON is shown whole: about what its shape would take. */
const SMALL_BYTES = 200;
/** No digest is larger than this. */
export const MAX_DIGEST_BYTES = 1024;
/** A key is shown up to this many UTF-8 bytes. */
const MAX_KEY_BYTES = 48;
/** An object with more keys than this whose values are alike is shown as a table. */
const TABLE_KEYS = 16;

/** How much of a shape is written. */
interface Detail {
  readonly depth: number;
  readonly keys: number;
}

/** Tried in this order until one fits. */
const DETAILS: readonly Detail[] = [
  { depth: 8, keys: 60 },
  { depth: 5, keys: 40 },
  { depth: 4, keys: 24 },
  { depth: 3, keys: 16 },
  { depth: 2, keys: 12 },
  { depth: 1, keys: 12 },
];

/**
 * The digest of a value: one line of well-formed text, at most 1 KiB of UTF-8.
 *
 * A value of up to 200 bytes of JSON is shown as that JSON. Of a larger one the keys, kinds and lengths are shown, the elements of an
 * array merged into one shape: `{orders: array(400) of {id: number, note?: string}, total: number}`; `?` marks a key that some lack.
 * The work is bounded, and it never throws. It is free of values: two values of one shape have one digest.
 */
export function digestValue(value: JsonValue): string {
  const { shape, complete } = shapeOf(value);
  const small = complete ? smallJson(value, shape) : undefined;
  if (small !== undefined) return small;
  for (const detail of DETAILS) {
    const text = writeShape(shape, detail);
    if (utf8Bytes(text) <= MAX_DIGEST_BYTES) return text;
  }
  return `${headBytes(writeShape(shape, { depth: 1, keys: 12 }), MAX_DIGEST_BYTES - 3)}…`;
}

/** The digest of JSON text; a text that is none is said to be so. */
export function digestJson(json: string): string {
  try {
    return digestValue(JSON.parse(json));
  } catch {
    return `a text of ${utf8Bytes(json)} bytes that is not JSON`;
  }
}

/** The JSON of a small value; nothing when it is not small. */
function smallJson(value: JsonValue, shape: Shape): string | undefined {
  // What has long parts is not worth writing out to see how long it is.
  if (
    shape.maxCharacters > SMALL_BYTES || shape.maxLength > SMALL_BYTES ||
    shape.maxKeys > SMALL_BYTES
  ) return undefined;
  const json = JSON.stringify(value);
  return utf8Bytes(json) <= SMALL_BYTES ? json : undefined;
}

/** Writes a shape with at most so much detail. */
function writeShape(shape: Shape, detail: Detail): string {
  const parts: string[] = [];
  if (shape.kinds.has("object")) parts.push(writeObject(shape, detail));
  if (shape.kinds.has("array")) parts.push(writeArray(shape, detail));
  if (shape.kinds.has("string")) parts.push(writeString(shape));
  for (const kind of ["number", "boolean", "null"] as const) {
    if (shape.kinds.has(kind)) parts.push(kind);
  }
  return parts.length === 0 ? "…" : parts.join(" | ");
}

/** A string alone in its place tells its length when it is long; strings in arrays do not, theirs differ. */
function writeString(shape: Shape): string {
  return shape.seen === 1 && shape.maxCharacters > SMALL_BYTES
    ? `string(${shape.maxCharacters})`
    : "string";
}

function writeArray(shape: Shape, detail: Detail): string {
  const { minLength, maxLength, element } = shape;
  const length = minLength === maxLength ? `${maxLength}` : `${minLength} to ${maxLength}`;
  if (element === undefined) return `array(${length})`;
  const inner = detail.depth === 0 ? "…" : writeShape(element, deeper(detail));
  // An element that may be several things needs brackets to be read as one.
  const several = element.kinds.size > 1 ? `(${inner})` : inner;
  return `array(${length}) of ${several}`;
}

function writeObject(shape: Shape, detail: Detail): string {
  if (shape.maxKeys === 0) return "{}";
  if (detail.depth === 0 || shape.fields.size === 0) return `{${counted(shape.maxKeys, "key")}}`;
  if (isTable(shape)) return writeTable(shape, detail);
  const written: string[] = [];
  for (const [key, field] of shape.fields) {
    if (written.length === detail.keys) break;
    const optional = field.seen < shape.objects ? "?" : "";
    written.push(`${writeKey(key)}${optional}: ${writeShape(field, deeper(detail))}`);
  }
  const left = Math.max(shape.fields.size, shape.maxKeys) - written.length;
  if (left > 0) written.push(`… ${counted(left, "more key")}`);
  return `{${written.join(", ")}}`;
}

/** Whether an object maps many keys to values of one kind, so that its keys are data and not a structure. */
function isTable(shape: Shape): boolean {
  if (shape.maxKeys <= TABLE_KEYS) return false;
  return mergeFields(shape).kinds.size === 1;
}

function writeTable(shape: Shape, detail: Detail): string {
  const keys = [...shape.fields.keys()].slice(0, 3).map(writeKey).join(", ");
  const value = writeShape(mergeFields(shape), deeper(detail));
  return `{${counted(shape.maxKeys, "key")} such as ${keys}: each ${value}}`;
}

/** A key as it could stand in source, shortened when it is long. */
function writeKey(key: string): string {
  const text = key.length <= MAX_KEY_BYTES ? key : headBytes(key, MAX_KEY_BYTES);
  if (text !== key) return JSON.stringify(`${text}…`);
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

function deeper(detail: Detail): Detail {
  return { depth: detail.depth - 1, keys: detail.keys };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
