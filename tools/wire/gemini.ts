/**
 * Tools in the form of Gemini's function declarations. Rules: "FunctionDeclaration", "Schema" and "GenerationConfig.responseJsonSchema" of the Gemini API
 * reference: `parametersJsonSchema` takes a part of JSON Schema, `parameters` a smaller part of OpenAPI 3.0.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema, Tool } from "../../contracts/tool.ts";
import { isObject, resolveRef, type SubSchema, typesOf } from "../schema/schema_node.ts";
import {
  keepOnly,
  normalForm,
  noteLost,
  refuse,
  rewriteParts,
  type WirePlace,
} from "./normal_form.ts";

/** A tool as Gemini's wire has it, with JSON Schema. */
export interface GeminiToolDeclaration {
  /** Its name. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parametersJsonSchema: JsonSchema;
}

/** Declares a tool for Gemini by JSON Schema. */
export function geminiTool(tool: Tool, notes: string[]): GeminiToolDeclaration {
  const { name, description, parameters } = tool;
  const place = { tool: name, provider: "Gemini", path: "#", root: parameters, within: [], notes };
  const schema = jsonSchema(parameters, place);
  if (schema.anyOf !== undefined || schema.$ref !== undefined) {
    refuse(place, "has alternatives at the top; put them into a property");
  }
  for (const name of Object.keys((schema.$defs ?? {}) as JsonSchema)) {
    const ref = `#/$defs/${name}`;
    if (requiresItself(ref, schema)) {
      refuse(
        { ...place, path: ref },
        "contains itself by a required property; Gemini takes that by an optional one only",
      );
    }
  }
  return { name, description, parametersJsonSchema: { properties: {}, ...schema, type: "object" } };
}

const KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "$ref",
  "additionalProperties",
  "anyOf",
  "description",
  "enum",
  "format",
  "items",
  "maxItems",
  "maximum",
  "minItems",
  "minimum",
  "prefixItems",
  "properties",
  "required",
  "title",
  "type",
]);

function jsonSchema(schema: SubSchema, place: WirePlace): JsonSchema {
  const normal = withWholeBounds(normalForm(schema, place));
  if (typeof normal.$ref === "string") return reference(normal, place);
  if (normal.patternProperties !== undefined) {
    refuse(place, "has names by pattern; use additionalProperties, or a list of pairs");
  }
  const kept = withPlainChoices(keepOnly(normal, { keep: KEYWORDS, place }), place);
  return rewriteParts(kept, { place, rewrite: jsonSchema });
}

/** A reference stands alone, and leads to what is defined apart. */
function reference(schema: JsonSchema, place: WirePlace): JsonSchema {
  const { $ref, ...beside } = schema;
  if (!/^#\/\$defs\/[^/]+$/.test($ref as string)) {
    refuse(place, `refers to ${$ref}; Gemini takes references into $defs only`);
  }
  keepOnly(beside, { keep: new Set(), place });
  return { $ref: $ref! };
}

/** Bounds of whole numbers that exclude their end, as bounds that include it. */
export function withWholeBounds(schema: JsonSchema): JsonSchema {
  const { exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = schema;
  if (typesOf(schema)?.join() !== "integer") return schema;
  return {
    ...rest,
    ...(typeof above === "number" &&
      { minimum: Math.max(Math.floor(above) + 1, Number(rest.minimum ?? -Infinity)) }),
    ...(typeof below === "number" &&
      { maximum: Math.min(Math.ceil(below) - 1, Number(rest.maximum ?? Infinity)) }),
  };
}

/** Choices are texts and numbers; `null` among them is a type of its own. */
function withPlainChoices(schema: JsonSchema, place: WirePlace): JsonSchema {
  const { enum: choices, ...rest } = schema;
  if (!Array.isArray(choices)) return schema;
  const plain = choices.filter((choice) =>
    typeof choice === "string" || typeof choice === "number"
  );
  if (plain.length === choices.length) return schema;
  const others = choices.filter((choice) => !plain.includes(choice));
  const types = [...new Set(others.map((choice) => typeOf(choice)))];
  if (types.some((type) => type !== "null")) noteLost(place, "enum");
  if (plain.length === 0) {
    return { ...rest, type: rest.type ?? (types.length === 1 ? types[0]! : types) };
  }
  const { type: _type, ...described } = rest;
  return {
    ...described,
    anyOf: [{ enum: plain, type: typeOf(plain[0]!) }, ...types.map((type) => ({ type }))],
  };
}

/** The type of a constant, in JSON Schema's words. */
export function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Whether what a reference leads to needs itself, by required properties, items or alternatives. */
function requiresItself(start: string, root: JsonSchema): boolean {
  const seen = new Set<string>();
  const visit = (schema: JsonValue | undefined): boolean => {
    if (Array.isArray(schema)) return schema.some(visit);
    if (!isObject(schema)) return false;
    if (typeof schema.$ref === "string") {
      if (schema.$ref === start && seen.size > 0) return true;
      if (seen.has(schema.$ref)) return false;
      seen.add(schema.$ref);
      return visit(resolveRef(root, schema.$ref) as JsonValue | undefined);
    }
    const required = (schema.required ?? []) as readonly string[];
    const members = isObject(schema.properties) ? schema.properties : {};
    return [
      ...required.map((name) => members[name]),
      schema.items,
      schema.prefixItems,
      schema.anyOf,
    ].some(visit);
  };
  return visit({ $ref: start });
}
