/**
 * The shape of a JSON value: which kinds stand where, merged over the elements of each array. The work is bounded whatever the size of
 * the value: long arrays and large objects are looked at in part, and the shape says so. It holds no value, only keys.
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
  /** How many of the elements were looked at; fewer than there are when `sampled`. */
  elementsSeen: number;
  /** Only a part of some array or object was looked at. */
  sampled: boolean;
  /** How many objects were looked at, and the most keys that one had. */
  objects: number;
  maxKeys: number;
  /** The keys of the objects that were looked at. */
  readonly fields: Map<string, Shape>;
}

/** Values looked at in all: about 5 ms of work. */
const MAX_VALUES = 20_000;
/** Elements of one array that are looked at. */
const MAX_ELEMENTS = 400;
/** Keys of one object that are looked at. */
const MAX_KEYS = 200;
/** Levels that are looked at. */
const MAX_DEPTH = 8;

/** The shape of a value. Never throws. */
export function shapeOf(value: JsonValue): Shape {
  const shape = emptyShape();
  look({ shape, value, depth: 0 }, { left: MAX_VALUES });
  return shape;
}

function emptyShape(): Shape {
  return {
    kinds: new Set(),
    seen: 0,
    maxCharacters: 0,
    minLength: Infinity,
    maxLength: 0,
    elementsSeen: 0,
    sampled: false,
    objects: 0,
    maxKeys: 0,
    fields: new Map(),
  };
}

/** Adds one value to a shape. */
function look(
  at: { shape: Shape; value: JsonValue; depth: number },
  budget: { left: number },
): void {
  const { shape, value, depth } = at;
  budget.left--;
  shape.seen++;
  if (value === null) shape.kinds.add("null");
  else if (typeof value === "boolean") shape.kinds.add("boolean");
  else if (typeof value === "number") shape.kinds.add("number");
  else if (typeof value === "string") {
    shape.kinds.add("string");
    shape.maxCharacters = Math.max(shape.maxCharacters, value.length);
  } else if (isArray(value)) lookAtArray({ shape, value, depth }, budget);
  else lookAtObject({ shape, value, depth }, budget);
}

function lookAtArray(
  at: { shape: Shape; value: readonly JsonValue[]; depth: number },
  budget: { left: number },
): void {
  const { shape, value, depth } = at;
  shape.kinds.add("array");
  shape.minLength = Math.min(shape.minLength, value.length);
  shape.maxLength = Math.max(shape.maxLength, value.length);
  if (value.length === 0) return;
  shape.element ??= emptyShape();
  if (depth >= MAX_DEPTH) return void (shape.sampled = true);
  const step = Math.max(1, value.length / MAX_ELEMENTS);
  if (step > 1) shape.sampled = true;
  for (let index = 0; index < value.length; index += step) {
    if (budget.left <= 0) return void (shape.sampled = true);
    look(
      { shape: shape.element, value: value[Math.floor(index)] ?? null, depth: depth + 1 },
      budget,
    );
    shape.elementsSeen++;
  }
}

function lookAtObject(
  at: { shape: Shape; value: { readonly [key: string]: JsonValue }; depth: number },
  budget: { left: number },
): void {
  const { shape, value, depth } = at;
  // Own keys only, and read by them: a key named __proto__ is data like any other.
  const keys = Object.keys(value);
  shape.kinds.add("object");
  shape.objects++;
  shape.maxKeys = Math.max(shape.maxKeys, keys.length);
  if (keys.length > MAX_KEYS) shape.sampled = true;
  for (const key of keys.slice(0, MAX_KEYS)) {
    if (budget.left <= 0) return void (shape.sampled = true);
    let field = shape.fields.get(key);
    if (field === undefined) shape.fields.set(key, field = emptyShape());
    if (depth < MAX_DEPTH) {
      look({ shape: field, value: value[key] ?? null, depth: depth + 1 }, budget);
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
  shape.elementsSeen += other.elementsSeen;
  shape.sampled ||= other.sampled;
  shape.objects += other.objects;
  shape.maxKeys = Math.max(shape.maxKeys, other.maxKeys);
  if (other.element !== undefined) mergeInto(shape.element ??= emptyShape(), other.element);
  for (const [key, field] of other.fields) {
    let own = shape.fields.get(key);
    if (own === undefined) shape.fields.set(key, own = emptyShape());
    mergeInto(own, field);
  }
}
