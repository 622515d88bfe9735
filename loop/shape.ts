/**
 * The shape of a JSON value: which kinds stand where, merged over the elements of each array. The work is bounded whatever the size of
 * the value: long arrays and large objects are looked at in part. It holds no value, only keys.
 */
import type { JsonValue } from "../contracts/json.ts";

/** The kinds of JSON values. */
export type Kind = "null" | "boolean" | "number" | "string" | "array" | "object";

/** What was seen at one place of a value, over all the values that were seen there. */
export interface Shape {
  /** The kinds seen. */
  readonly kinds: Set<Kind>;
  /** How many values were looked at. */
  seen: number;
  /** Length of the longest string, in UTF-16 units. */
  maxCharacters: number;
  /** Shortest and longest array. */
  minLength: number;
  maxLength: number;
  /** The elements of the arrays. */
  element?: Shape;
  /** How many objects were looked at, and the most keys that one had. */
  objects: number;
  maxKeys: number;
  /** The keys of the objects that were looked at. */
  readonly fields: Map<string, Shape>;
}

/** Values looked at in all: about 2 ms of work. */
const MAX_VALUES = 20_000;
/** Elements of one array that are looked at. */
const MAX_ELEMENTS = 2_000;
/** Keys of one object that are looked at. */
const MAX_KEYS = 200;
/** Levels that are looked at. */
const MAX_DEPTH = 8;

/** How far a look at a value has got. */
interface Look {
  /** Values that may still be looked at. */
  left: number;
  /** Nothing was left out so far. */
  complete: boolean;
}

/** The shape of a value, and whether all of the value was looked at. Never throws. */
export function shapeOf(value: JsonValue): { shape: Shape; complete: boolean } {
  const shape = emptyShape();
  const looked: Look = { left: MAX_VALUES, complete: true };
  look({ shape, value, depth: 0 }, looked);
  return { shape, complete: looked.complete };
}

function emptyShape(): Shape {
  return {
    kinds: new Set(),
    seen: 0,
    maxCharacters: 0,
    minLength: Infinity,
    maxLength: 0,
    objects: 0,
    maxKeys: 0,
    fields: new Map(),
  };
}

/** Adds one value to a shape. */
function look(
  at: { shape: Shape; value: JsonValue; depth: number },
  looked: Look,
): void {
  const { shape, value, depth } = at;
  looked.left--;
  shape.seen++;
  if (value === null) shape.kinds.add("null");
  else if (typeof value === "boolean") shape.kinds.add("boolean");
  else if (typeof value === "number") shape.kinds.add("number");
  else if (typeof value === "string") {
    shape.kinds.add("string");
    shape.maxCharacters = Math.max(shape.maxCharacters, value.length);
  } else if (isArray(value)) lookAtArray({ shape, value, depth }, looked);
  else lookAtObject({ shape, value, depth }, looked);
}

function lookAtArray(
  at: { shape: Shape; value: readonly JsonValue[]; depth: number },
  looked: Look,
): void {
  const { shape, value, depth } = at;
  shape.kinds.add("array");
  shape.minLength = Math.min(shape.minLength, value.length);
  shape.maxLength = Math.max(shape.maxLength, value.length);
  if (value.length === 0) return;
  shape.element ??= emptyShape();
  if (depth >= MAX_DEPTH) return void (looked.complete = false);
  const step = Math.max(1, value.length / MAX_ELEMENTS);
  if (step > 1) looked.complete = false;
  for (let index = 0; index < value.length; index += step) {
    if (looked.left <= 0) return void (looked.complete = false);
    look(
      { shape: shape.element, value: value[Math.floor(index)] ?? null, depth: depth + 1 },
      looked,
    );
  }
}

function lookAtObject(
  at: { shape: Shape; value: { readonly [key: string]: JsonValue }; depth: number },
  looked: Look,
): void {
  const { shape, value, depth } = at;
  // Own keys only, and read by them: a key named __proto__ is data like any other.
  const keys = Object.keys(value);
  shape.kinds.add("object");
  shape.objects++;
  shape.maxKeys = Math.max(shape.maxKeys, keys.length);
  if (keys.length > MAX_KEYS || depth >= MAX_DEPTH) looked.complete = false;
  for (const key of keys.slice(0, MAX_KEYS)) {
    if (looked.left <= 0) return void (looked.complete = false);
    let field = shape.fields.get(key);
    if (field === undefined) shape.fields.set(key, field = emptyShape());
    if (depth < MAX_DEPTH) {
      look({ shape: field, value: value[key] ?? null, depth: depth + 1 }, looked);
    } else field.seen++;
  }
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Merges all fields of an object shape into one: for objects that are used as a table from keys to values of one kind. */
export function mergeFields(shape: Shape): Shape {
  const merged = emptyShape();
  for (const field of shape.fields.values()) mergeInto(merged, field);
  return merged;
}

/** Adds what was seen in `other` to `shape`. Both are of bounded depth. */
function mergeInto(shape: Shape, other: Shape): void {
  for (const kind of other.kinds) shape.kinds.add(kind);
  shape.seen += other.seen;
  shape.maxCharacters = Math.max(shape.maxCharacters, other.maxCharacters);
  shape.minLength = Math.min(shape.minLength, other.minLength);
  shape.maxLength = Math.max(shape.maxLength, other.maxLength);
  shape.objects += other.objects;
  shape.maxKeys = Math.max(shape.maxKeys, other.maxKeys);
  if (other.element !== undefined) mergeInto(shape.element ??= emptyShape(), other.element);
  for (const [key, field] of other.fields) {
    let own = shape.fields.get(key);
    if (own === undefined) shape.fields.set(key, own = emptyShape());
    mergeInto(own, field);
  }
}
