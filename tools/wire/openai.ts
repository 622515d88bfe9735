/**
 * Tools in the form of OpenAI's chat completions, which most other providers take too. Rules: "Function calling" and "Structured model outputs, supported
 * schemas" of OpenAI's API documentation.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema, Tool } from "../../contracts/tool.ts";
import { isObject, type SubSchema, typesOf } from "../schema/schema_node.ts";
import {
  keepOnly,
  normalForm,
  noteLost,
  partOf,
  refuse,
  rewriteParts,
  type WirePlace,
} from "./normal_form.ts";
import { plainParameters } from "./plain_parameters.ts";

/** A tool as OpenAI's wire has it. */
export interface OpenAIToolDeclaration {
  /** What kind of tool it is. */
  readonly type: "function";
  /** The function. */
  readonly function: {
    /** Its name. */
    readonly name: string;
    /** What it does. */
    readonly description: string;
    /** JSON Schema of its arguments. */
    readonly parameters: JsonSchema;
    /** The provider holds the model to the schema. */
    readonly strict?: true;
  };
}

/** The place at the top of a tool's parameters. */
function top(tool: Tool, notes: string[]): WirePlace {
  return {
    tool: tool.name,
    provider: "OpenAI",
    path: "#",
    root: tool.parameters,
    within: [],
    notes,
  };
}

/** Declares a tool for OpenAI. */
export function openaiTool(tool: Tool, notes: string[]): OpenAIToolDeclaration {
  const { name, description } = tool;
  if (description.length > 1024) {
    notes.push(
      `${name}: the description has ${description.length} characters; some endpoints of this wire (Azure) take 1,024 at most`,
    );
  }
  return {
    type: "function",
    function: { name, description, parameters: plainParameters(tool.parameters, top(tool, notes)) },
  };
}

/** Declares a tool for OpenAI in strict mode: the provider then lets the model write nothing else. */
export function openaiStrictTool(tool: Tool, notes: string[]): OpenAIToolDeclaration {
  const { name, description } = tool;
  const place = { ...top(tool, notes), provider: "OpenAI's strict mode" };
  const parameters = strictSchema(tool.parameters, place);
  if (parameters.anyOf !== undefined) {
    refuse(place, "has alternatives at the top; put them into a property");
  }
  return { type: "function", function: { name, description, parameters, strict: true } };
}

const STRICT_KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "$ref",
  "additionalProperties",
  "anyOf",
  "description",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "items",
  "maxItems",
  "maximum",
  "minItems",
  "minimum",
  "multipleOf",
  "pattern",
  "properties",
  "required",
  "title",
  "type",
]);

const STRICT_FORMATS: ReadonlySet<JsonValue> = new Set([
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "time",
  "uuid",
]);

/** Levels of objects that strict mode takes. */
const STRICT_LEVELS = 10;

function strictSchema(schema: SubSchema, place: WirePlace): JsonSchema {
  const normal = normalForm(schema, place);
  if (Object.keys(normal).length === 0) refuse(place, "takes anything; strict mode wants a type");
  if (place.path.split("/properties/").length > STRICT_LEVELS + 1) {
    refuse(place, `is nested deeper than ${STRICT_LEVELS} levels`);
  }
  if (normal.prefixItems !== undefined) {
    refuse(place, "is a list with a schema for each place; use an object");
  }
  if (normal.patternProperties !== undefined) {
    refuse(place, "has names by pattern; use a list of pairs");
  }
  const { format, ...rest } = keepOnly(normal, { keep: STRICT_KEYWORDS, place });
  if (format !== undefined && !STRICT_FORMATS.has(format)) noteLost(place, "format");
  const kept = STRICT_FORMATS.has(format ?? null) ? { ...rest, format: format! } : rest;
  const parts = rewriteParts(kept, { place, rewrite: strictSchema });
  const types = typesOf(parts) ?? [];
  if (types.includes("array") && parts.items === undefined) {
    refuse(place, "is a list without items");
  }
  return types.includes("object") ? closedObject(parts, place) : parts;
}

function closedObject(schema: JsonSchema, place: WirePlace): JsonSchema {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties as JsonSchema);
  if (isObject(schema.additionalProperties) || names.length === 0 && place.path !== "#") {
    refuse(place, "has names of any kind, which strict mode does not take; use a list of pairs");
  }
  const optional = names.find((name) => !(required as readonly string[]).includes(name));
  if (optional !== undefined) {
    refuse(
      partOf(place, "properties", optional),
      "is not required, which strict mode does not take; require it and let it be null, or do without strict",
    );
  }
  return { ...schema, properties, required: names, additionalProperties: false };
}
