/**
 * A schema in the form from which providers' subsets are made: without `allOf`, `oneOf`, `const` and `definitions`, which say nothing that the rest cannot say.
 * What a subset cannot say is left out with a note where that only says less (the arguments are checked all the same), and refused where a model would be told
 * something else than is meant.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { isObject, resolveRef, schemaList, type SubSchema } from "../schema/schema_node.ts";

/** Where a schema stands while it is rewritten. */
export interface WirePlace {
  /** The tool, for messages. */
  readonly tool: string;
  /** Whose subset it is rewritten for, for messages. */
  readonly provider: string;
  /** Path in the schema: `#/properties/city`. */
  readonly path: string;
  /** The schema that references lead into. */
  readonly root: JsonSchema;
  /** References that are being written out. */
  readonly within: readonly string[];
  /** What was left out; grows. */
  readonly notes: string[];
}

/** The place of a part. */
export function partOf(place: WirePlace, ...keys: readonly (string | number)[]): WirePlace {
  const steps = keys.map((key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1"));
  return { ...place, path: [place.path, ...steps].join("/") };
}

/**
 * Refuses a schema.
 *
 * @throws {TypeError} always: tool, path, reason and way out.
 */
export function refuse({ tool, provider, path }: WirePlace, why: string): never {
  throw new TypeError(`${tool} cannot be declared for ${provider}: ${path} ${why}`);
}

/** Keywords by which values are told apart. Others only describe, and nothing is lost with them. */
const TELLING: ReadonlySet<string> = new Set([
  "contains",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "if",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "pattern",
  "propertyNames",
  "then",
  "uniqueItems",
]);

/** A schema with the keywords that are kept; notes what is lost with the others. A default goes into the description. */
export function keepOnly(
  schema: JsonSchema,
  { keep, place }: { readonly keep: ReadonlySet<string>; readonly place: WirePlace },
): JsonSchema {
  const kept: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keep.has(keyword)) kept[keyword] = value;
    else if (TELLING.has(keyword)) noteLost(place, keyword);
  }
  if (schema.default !== undefined && !keep.has("default") && keep.has("description")) {
    const told = `Default: ${JSON.stringify(schema.default)}`;
    kept.description = kept.description === undefined ? told : `${kept.description} ${told}`;
  }
  return kept;
}

/** Notes that a keyword is left out. */
export function noteLost({ tool, path, notes, provider }: WirePlace, keyword: string): void {
  notes.push(`${tool}: ${path}/${keyword} is left out for ${provider}, and checked all the same`);
}

/**
 * A schema's normal form. Parts are not brought into theirs.
 *
 * @throws {TypeError} when it takes nothing, or joins what cannot be joined.
 */
export function normalForm(schema: SubSchema, place: WirePlace): JsonSchema {
  if (schema === true) return {};
  if (schema === false) refuse(place, "takes nothing at all, which cannot be said");
  const { allOf, oneOf, const: constant, definitions, ...rest } = schema;
  let normal: JsonSchema = rest;
  if (constant !== undefined) normal = { ...normal, enum: [constant] };
  if (oneOf !== undefined) {
    if (normal.anyOf !== undefined) {
      refuse(place, "has anyOf and oneOf, which cannot be said together");
    }
    normal = { ...normal, anyOf: oneOf };
  }
  if (isObject(definitions)) {
    normal = { ...normal, $defs: { ...definitions, ...(normal.$defs as JsonSchema | undefined) } };
  }
  if (typeof normal.$ref === "string") {
    normal = { ...normal, $ref: normal.$ref.replace(/^#\/definitions\//, "#/$defs/") };
  }
  return allOf === undefined ? normal : joinAll(normal, schemaList(schema, "allOf")!, place);
}

/** One schema for several that all hold. */
function joinAll(first: JsonSchema, others: readonly SubSchema[], place: WirePlace): JsonSchema {
  let joined = first;
  for (const [index, other] of others.entries()) {
    const here = partOf(place, "allOf", index);
    joined = joinTwo(joined, normalForm(written(other, here), here), here);
  }
  return joined;
}

/** What a reference leads to, in the place of the reference. */
export function written(schema: SubSchema, place: WirePlace): SubSchema {
  if (!isObject(schema) || typeof schema.$ref !== "string") return schema;
  const { $ref, ...beside } = schema;
  if (place.within.includes($ref)) {
    refuse(place, `contains itself by ${$ref}, and cannot be written out; say it flatter`);
  }
  const target = resolveRef(place.root, $ref)!;
  const inner = written(target, { ...place, within: [...place.within, $ref] });
  return isObject(inner) ? { ...inner, ...beside } : inner;
}

const MEMBERS = ["properties", "$defs"];

function joinTwo(a: JsonSchema, b: JsonSchema, place: WirePlace): JsonSchema {
  const joined: Record<string, JsonValue> = { ...a };
  for (const [keyword, value] of Object.entries(b)) {
    const there = joined[keyword];
    if (there === undefined || JSON.stringify(there) === JSON.stringify(value)) {
      joined[keyword] = value;
    } else if (keyword === "required") {
      joined.required = [...new Set([...there as string[], ...value as string[]])];
    } else if (MEMBERS.includes(keyword)) {
      joined[keyword] = joinMembers(there as JsonSchema, value as JsonSchema, place);
    } else if (keyword !== "description" && keyword !== "title") {
      refuse(place, `says ${keyword} once more, which cannot be joined; say it in one schema`);
    }
  }
  return joined;
}

function joinMembers(a: JsonSchema, b: JsonSchema, place: WirePlace): JsonSchema {
  for (const name of Object.keys(b)) {
    if (Object.hasOwn(a, name) && JSON.stringify(a[name]) !== JSON.stringify(b[name])) {
      refuse(place, `declares ${name} once more; say it in one schema`);
    }
  }
  return { ...a, ...b };
}

/** Applies `rewrite` to the parts of a schema under keywords that are kept. */
export function rewriteParts(
  schema: JsonSchema,
  { place, rewrite }: {
    readonly place: WirePlace;
    readonly rewrite: (part: SubSchema, place: WirePlace) => JsonValue;
  },
): JsonSchema {
  const parts: Record<string, JsonValue> = { ...schema };
  for (const keyword of ["properties", "$defs"]) {
    const members = schema[keyword];
    if (!isObject(members)) continue;
    parts[keyword] = Object.fromEntries(
      Object.entries(members).map(([name, member]) => [
        name,
        rewrite(member as SubSchema, partOf(place, keyword, name)),
      ]),
    );
  }
  for (const keyword of ["anyOf", "prefixItems"]) {
    const list = schemaList(schema, keyword);
    if (list !== undefined) {
      parts[keyword] = list.map((part, index) => rewrite(part, partOf(place, keyword, index)));
    }
  }
  for (const keyword of ["items", "additionalProperties"]) {
    const part = schema[keyword];
    if (isObject(part)) parts[keyword] = rewrite(part, partOf(place, keyword));
  }
  return parts;
}
