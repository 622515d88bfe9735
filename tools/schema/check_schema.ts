/**
 * Checks a schema itself, when a tool is defined: whether it says what it seems to say. Unknown keywords pass; a keyword that is known and would not be held is
 * refused, since a rule that is silently not held is worse than none.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { patternFault } from "./pattern.ts";
import { isObject, resolveRef, type SubSchema } from "./schema_node.ts";

/** A schema that has been checked. */
export interface SoundSchema {
  /** A copy that nobody else holds, frozen. */
  readonly schema: JsonSchema;
  /** Every pattern in it. */
  readonly patterns: ReadonlySet<string>;
}

/** How a schema is checked. */
export interface SchemaCheckOptions {
  /** What the schema is of, for messages: `parameters of get_weather`. */
  readonly name: string;
  /** Whether arguments are held to it here. Otherwise a library checks them, and the schema only tells what is meant. @default true */
  readonly enforced?: boolean;
  /** Whether it must be for an object, as arguments are. @default true */
  readonly ofObject?: boolean;
}

/** Nested deeper, a schema is refused: models do not follow, and walking it takes stack. */
const MAX_DEPTH = 64;
/** References that lead to nothing but a reference. */
const MAX_CHAIN = 32;

/**
 * Checks a schema and copies it.
 *
 * @throws {TypeError} with the path of what is wrong, such as `#/properties/city/type`.
 */
export function checkSchema(schema: unknown, options: SchemaCheckOptions): SoundSchema {
  const root = copyOf(schema, options);
  const walk: Walk = {
    root,
    options,
    patterns: new Set(),
    visited: new Set(),
    waiting: [],
    targets: new Map(),
  };
  if (options.ofObject !== false && root.type !== "object") {
    refuse(
      walk,
      "#/type",
      'must be "object": a tool takes its arguments by name; wrap anything else in a property',
    );
  }
  walk.waiting.push([root, "#"]);
  // References are followed one after the other and not in each other: a schema of others may have very many.
  for (let next = walk.waiting.pop(); next !== undefined; next = walk.waiting.pop()) {
    visit(next[0], { path: next[1], depth: 0 }, walk);
  }
  return { schema: root, patterns: walk.patterns };
}

interface Walk {
  readonly root: JsonSchema;
  readonly options: SchemaCheckOptions;
  readonly patterns: Set<string>;
  readonly visited: Set<unknown>;
  /** What references lead to, with the reference. */
  readonly waiting: (readonly [SubSchema, string])[];
  /** Where references lead that were read: a long one may stand behind very many. */
  readonly targets: Map<string, SubSchema | undefined>;
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

function copyOf(schema: unknown, { name }: SchemaCheckOptions): JsonSchema {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(schema), (_key, value) => Object.freeze(value));
  } catch {
    copy = undefined;
  }
  if (!isObject(copy)) throw new TypeError(`${name}: the schema must be an object of JSON`);
  return copy;
}

function refuse({ options }: Walk, path: string, why: string): never {
  throw new TypeError(`${options.name}: ${path} ${why}`);
}

function visit(schema: JsonValue | undefined, place: Place, walk: Walk): void {
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) refuse(walk, place.path, "must be a schema: an object, true or false");
  if (walk.visited.has(schema)) return;
  walk.visited.add(schema);
  if (place.depth > MAX_DEPTH) refuse(walk, place.path, `is nested deeper than ${MAX_DEPTH}`);
  for (const [keyword, value] of Object.entries(schema)) {
    const path = `${place.path}/${keyword.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const check = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    check?.(value, { path, depth: place.depth + 1 }, walk);
  }
}

type KeywordCheck = (value: JsonValue, place: Place, walk: Walk) => void;

function must(holds: (value: JsonValue) => boolean, what: string): KeywordCheck {
  return (value, { path }, walk) => {
    if (!holds(value)) refuse(walk, path, `must be ${what}`);
  };
}

/** A keyword that says more than is held here. */
function notHeld(instead: string): KeywordCheck {
  return (_value, { path }, walk) => {
    if (walk.options.enforced === false) return;
    refuse(walk, path, `is not checked here; ${instead}, or use a Standard Schema`);
  };
}

const isText = (value: JsonValue) => typeof value === "string";
const isNumber = (value: JsonValue) => typeof value === "number";
const isTexts = (value: JsonValue) => Array.isArray(value) && value.every(isText);
const isCount = (value: JsonValue) => Number.isInteger(value) && (value as number) >= 0;

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
const isType = (value: JsonValue) => TYPES.includes(value as string);

const text = must(isText, "a text");
const number = must(isNumber, "a number");
const count = must(isCount, "a whole number of at least 0");

const list: KeywordCheck = (value, place, walk) => {
  if (!Array.isArray(value) || value.length === 0) {
    refuse(walk, place.path, "must be a list of schemas");
  }
  value.forEach((inner, index) => visit(inner, { ...place, path: `${place.path}/${index}` }, walk));
};

const map: KeywordCheck = (value, place, walk) => {
  if (!isObject(value)) refuse(walk, place.path, "must be an object of schemas");
  for (const [name, inner] of Object.entries(value)) {
    visit(inner, {
      ...place,
      path: `${place.path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    }, walk);
  }
};

const pattern: KeywordCheck = (value, { path }, walk) => {
  if (typeof value !== "string") refuse(walk, path, "must be a text");
  if (walk.options.enforced === false) return;
  const fault = patternFault(value);
  if (fault !== undefined) {
    refuse(walk, path, `${fault}; say it otherwise, check it in execute, or use a Standard Schema`);
  }
  walk.patterns.add(value);
};

function targetOf(ref: string, { root, targets }: Walk): SubSchema | undefined {
  const known = targets.get(ref);
  if (known !== undefined) return known;
  const target = resolveRef(root, ref);
  targets.set(ref, target);
  return target;
}

const reference: KeywordCheck = (value, place, walk) => {
  if (typeof value !== "string") refuse(walk, place.path, "must be a text");
  const seen = new Set<string>();
  let ref: string = value;
  while (true) {
    const target = targetOf(ref, walk);
    if (target === undefined) {
      refuse(
        walk,
        place.path,
        `leads to ${
          JSON.stringify(ref.slice(0, 100))
        }, which is not in this schema; only "#/…" is followed`,
      );
    }
    if (seen.has(ref)) refuse(walk, place.path, "leads back to itself");
    if (seen.size >= MAX_CHAIN) {
      refuse(walk, place.path, `leads through more than ${MAX_CHAIN} references`);
    }
    if (seen.size === 0) walk.waiting.push([target, ref]);
    seen.add(ref);
    const next: JsonValue | undefined = typeof target === "boolean" ? undefined : target.$ref;
    if (typeof next !== "string") return;
    ref = next;
  }
};

const KEYWORDS: Readonly<Record<string, KeywordCheck>> = {
  $ref: reference,
  $dynamicRef: notHeld("use $ref"),
  $recursiveRef: notHeld("use $ref"),
  $defs: map,
  definitions: map,
  type: must(
    (value) => isType(value) || Array.isArray(value) && value.length > 0 && value.every(isType),
    `one of ${TYPES.join(", ")}, or a list of them`,
  ),
  enum: must((value) => Array.isArray(value) && value.length > 0, "a list of values"),
  title: text,
  description: text,
  format: text,
  pattern,
  minLength: count,
  maxLength: count,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: must((value) => isNumber(value) && (value as number) > 0, "a number above 0"),
  properties: map,
  patternProperties: (value, place, walk) => {
    map(value, place, walk);
    for (const name of Object.keys(value as object)) {
      pattern(name, { ...place, path: `${place.path}/${name}` }, walk);
    }
  },
  additionalProperties: visit,
  propertyNames: visit,
  required: must(isTexts, "a list of names"),
  minProperties: count,
  maxProperties: count,
  dependentRequired: must(
    (value) => isObject(value) && Object.values(value).every(isTexts),
    "an object of lists of names",
  ),
  dependentSchemas: map,
  dependencies: notHeld("use dependentRequired or dependentSchemas"),
  unevaluatedProperties: notHeld("use additionalProperties"),
  items: (value, place, walk) => {
    if (Array.isArray(value)) {
      refuse(walk, place.path, "must be one schema; a list of them is called prefixItems");
    }
    visit(value, place, walk);
  },
  prefixItems: list,
  additionalItems: notHeld("use prefixItems and items"),
  unevaluatedItems: notHeld("use items"),
  contains: visit,
  minContains: count,
  maxContains: count,
  minItems: count,
  maxItems: count,
  uniqueItems: must((value) => typeof value === "boolean", "true or false"),
  allOf: list,
  anyOf: list,
  oneOf: list,
  not: visit,
  if: visit,
  then: visit,
  else: visit,
};
