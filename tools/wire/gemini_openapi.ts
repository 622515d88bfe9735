/** Tools in the older form of Gemini's function declarations: `parameters` in a part of OpenAPI 3.0. Rules: "Schema" of the Gemini API reference. */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema, Tool } from "../../contracts/tool.ts";
import { isObject, schemaList, type SubSchema, typesOf } from "../schema/schema_node.ts";
import { typeOf, withWholeBounds } from "./gemini.ts";
import {
  keepOnly,
  normalForm,
  noteLost,
  partOf,
  refuse,
  rewriteParts,
  type WirePlace,
  written,
} from "./normal_form.ts";

/** A tool as Gemini's wire has it, with a schema of OpenAPI. */
export interface GeminiOpenApiToolDeclaration {
  /** Its name. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** Its arguments; absent when there are none. */
  readonly parameters?: JsonSchema;
}

/** Declares a tool for Gemini by a schema of OpenAPI. */
export function geminiOpenApiTool(tool: Tool, notes: string[]): GeminiOpenApiToolDeclaration {
  const { name, description, parameters } = tool;
  const place = {
    tool: name,
    provider: "Gemini's OpenAPI form",
    path: "#",
    root: parameters,
    within: [],
    notes,
    left: { parts: MAX_PARTS },
  };
  for (const property of Object.keys((parameters.properties ?? {}) as JsonSchema)) {
    if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(property)) continue;
    refuse(
      partOf(place, "properties", property),
      "has a name that is refused there: letters, digits and _, at most 64",
    );
  }
  if (
    Object.keys((parameters.properties ?? {}) as JsonSchema).length === 0 &&
    parameters.allOf === undefined
  ) {
    return { name, description };
  }
  const schema = openApi(parameters, place);
  if (schema.anyOf !== undefined) {
    refuse(place, "has alternatives at the top; put them into a property");
  }
  return { name, description, parameters: schema };
}

/** Schemas that are written out: references that multiply make a small schema large. */
const MAX_PARTS = 5_000;

const KEYWORDS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "anyOf",
  "default",
  "description",
  "enum",
  "format",
  "items",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "pattern",
  "properties",
  "required",
  "title",
  "type",
]);

/** Formats that the API is known to take; of texts it has refused all others. */
const FORMATS: ReadonlySet<JsonValue> = new Set(["date-time", "double", "float", "int32", "int64"]);

interface OpenApiPlace extends WirePlace {
  /** How many schemas may still be written out. */
  readonly left: { parts: number };
}

function openApi(schema: SubSchema, place: OpenApiPlace): JsonSchema {
  if (place.left.parts-- <= 0) {
    refuse(place, `is one of more than ${MAX_PARTS} schemas; say it flatter`);
  }
  const within = isObject(schema) && typeof schema.$ref === "string"
    ? [...place.within, schema.$ref]
    : place.within;
  const here = { ...place, within };
  const normal = withWholeBounds(normalForm(written(schema, place), here));
  if (normal.prefixItems !== undefined) {
    refuse(here, "is a list with a schema for each place; use an object");
  }
  const kept = keepOnly(normal, { keep: KEYWORDS, place: here });
  const rewrite = (part: SubSchema, inner: WirePlace) => openApi(part, { ...here, ...inner });
  return typed(rewriteParts(withFormat(kept, here), { place: here, rewrite }), here);
}

function withFormat(schema: JsonSchema, place: WirePlace): JsonSchema {
  if (schema.format === undefined || FORMATS.has(schema.format)) return schema;
  const { format: _format, ...rest } = schema;
  noteLost(place, "format");
  return rest;
}

/** One type a schema, in the API's spelling; `null` is a flag beside it. */
function typed(schema: JsonSchema, place: WirePlace): JsonSchema {
  const { type: _type, enum: choices, anyOf: _anyOf, additionalProperties: others, ...rest } =
    schema;
  if (isObject(others)) {
    refuse(place, "has names of any kind; use a list of pairs, or Gemini's form with JSON Schema");
  }
  const branches = (schemaList(schema, "anyOf") ?? []) as readonly JsonSchema[];
  const real = branches.filter((branch) => branch.type !== "NULL");
  const constants = Array.isArray(choices) ? choices : [];
  const types = typesOf(schema) ?? [...new Set(constants.map(typeOf))];
  const named = types.filter((type) => type !== "null");
  const nullable = types.includes("null") || real.length < branches.length ||
    constants.includes(null) ||
    rest.nullable === true;
  const flag: JsonSchema = nullable ? { nullable: true } : {};
  if (real.length === 1) return { ...real[0], ...counted(rest), ...flag };
  if (real.length > 1) return { ...counted(rest), anyOf: real, ...flag };
  if (named.length === 0) {
    if (nullable) return { type: "NULL" };
    refuse(place, "names no type; the API wants one");
  }
  if (named.length > 1) {
    return {
      ...described(rest),
      ...flag,
      anyOf: named.map((type) => oneType(type, ofType(type, rest), place)),
    };
  }
  const one = oneType(named[0]!, rest, place);
  return { ...one, ...flag, ...choicesOf(constants, named[0]!, place) };
}

function oneType(type: string, rest: JsonSchema, place: WirePlace): JsonSchema {
  if (type === "array" && rest.items === undefined) {
    refuse(place, "is a list without items; the API wants a schema for them");
  }
  if (type === "object" && Object.keys((rest.properties ?? {}) as JsonSchema).length === 0) {
    refuse(
      place,
      "is an object without properties, which the API refuses; use Gemini's form with JSON Schema",
    );
  }
  return { type: type.toUpperCase(), ...counted(rest) };
}

const DESCRIBING: ReadonlySet<string> = new Set(["default", "description", "title"]);

function described(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => DESCRIBING.has(keyword)));
}

/** The keywords that speak of one type of several. */
const SPEAKS_OF: Readonly<Record<string, RegExp>> = {
  string: /^(?:(?:min|max)Length|pattern|format)$/,
  number: /^(?:minimum|maximum|format)$/,
  integer: /^(?:minimum|maximum|format)$/,
  array: /^(?:items|(?:min|max)Items)$/,
  object: /^(?:properties|required|(?:min|max)Properties)$/,
};

function ofType(type: string, schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => SPEAKS_OF[type]?.test(keyword) ?? false),
  );
}

/** Choices are texts; those of whole numbers are written as texts too. */
function choicesOf(constants: readonly JsonValue[], type: string, place: WirePlace): JsonSchema {
  const named = constants.filter((choice) => choice !== null);
  if (named.length === 0) return {};
  if (type !== "string" && type !== "integer") {
    noteLost(place, "enum");
    return {};
  }
  return { format: "enum", enum: named.map(String) };
}

/** Counts are 64-bit numbers, which the API's JSON writes as texts. */
function counted(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      typeof value === "number" && /^(?:min|max)(?:Items|Length|Properties)$/.test(keyword)
        ? String(value)
        : value,
    ]),
  );
}
