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
/** An array whose elements are large is looked at in at least so many of them, and each in part. */
const MIN_ELEMENTS = 8;
/** Keys of one object that are looked at. */
const MAX_KEYS = 200;
/** Levels that are looked at. */
const MAX_DEPTH = 8;

/** A place of a value, and what is known of the values there. */
interface Place {
  readonly shape: Shape;
  readonly value: JsonValue;
  readonly depth: number;
}

/** How far a look at a value has got. */
interface Look {
  /** Nothing was left out so far. */
  complete: boolean;
}

/** The shape of a value, and whether all of the value was looked at. Never throws. */
export function shapeOf(value: JsonValue): { shape: Shape; complete: boolean } {
  const shape = emptyShape();
  const looked: Look = { complete: true };
  note(shape, value);
  lookInside({ shape, value, depth: 0 }, { looked, budget: MAX_VALUES });
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

/** Adds to a shape what can be told of a value without looking into it. */
function note(shape: Shape, value: JsonValue): void {
  shape.seen++;
  if (value === null) shape.kinds.add("null");
  else if (typeof value === "boolean") shape.kinds.add("boolean");
  else if (typeof value === "number") shape.kinds.add("number");
  else if (typeof value === "string") {
    shape.kinds.add("string");
    shape.maxCharacters = Math.max(shape.maxCharacters, value.length);
  } else if (isArray(value)) {
    shape.kinds.add("array");
    shape.minLength = Math.min(shape.minLength, value.length);
    shape.maxLength = Math.max(shape.maxLength, value.length);
  } else shape.kinds.add("object");
}

/** Looks at what a value holds, at no more values than the budget, and gives how many they were. */
function lookInside(place: Place, limits: { looked: Look; budget: number }): number {
  const { value } = place;
  if (typeof value !== "object" || value === null) return 0;
  return isArray(value)
    ? lookAtArray({ ...place, value }, limits)
    : lookAtObject({ ...place, value }, limits);
}

function lookAtArray(
  { shape, value, depth }: Place & { readonly value: readonly JsonValue[] },
  { looked, budget }: { looked: Look; budget: number },
): number {
  if (value.length === 0) return 0;
  const element = shape.element ??= emptyShape();
  let count = Math.min(value.length, MAX_ELEMENTS, budget);
  if (depth >= MAX_DEPTH) count = 0;
  // What the first one takes tells how many can be looked at; each gets enough for several others to be seen.
  const share = Math.ceil(budget / Math.min(value.length, MIN_ELEMENTS));
  let used = 0;
  for (let at = 0; at < count && used < budget; at++) {
    const one = value[Math.floor(at * value.length / count)] ?? null;
    const left = Math.min(share, budget - used) - 1;
    note(element, one);
    used += 1 +
      lookInside({ shape: element, value: one, depth: depth + 1 }, { looked, budget: left });
    if (at === 0) count = Math.min(count, Math.max(1, Math.floor(budget / used)));
  }
  if (count < value.length) looked.complete = false;
  return used;
}

function lookAtObject(
  { shape, value, depth }: Place & { readonly value: { readonly [key: string]: JsonValue } },
  { looked, budget }: { looked: Look; budget: number },
): number {
  // Own keys only, and read by them: a key named __proto__ is data like any other.
  const all = Object.keys(value);
  shape.maxKeys = Math.max(shape.maxKeys, all.length);
  const keys = all.length > MAX_KEYS ? all.slice(0, MAX_KEYS) : all;
  if (keys.length < all.length || depth >= MAX_DEPTH) looked.complete = false;
  // In part it would be an object that lacks keys.
  if (keys.length > budget) {
    looked.complete = false;
    return 0;
  }
  shape.objects++;
  const inner: Place[] = [];
  for (const key of keys) {
    let field = shape.fields.get(key);
    if (field === undefined) shape.fields.set(key, field = emptyShape());
    const one = value[key] ?? null;
    if (depth >= MAX_DEPTH) {
      field.seen++;
      continue;
    }
    note(field, one);
    if (typeof one === "object" && one !== null) {
      inner.push({ shape: field, value: one, depth: depth + 1 });
    }
  }
  // All keys are told before anything is looked into, and no part takes what the others need.
  let used = keys.length;
  inner.forEach((place, at) => {
    const share = Math.floor((budget - used) / (inner.length - at));
    used += lookInside(place, { looked, budget: share });
  });
  return used;
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
