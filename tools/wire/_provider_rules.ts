/**
 * What providers say of tools in their published references, as JSON Schema. Written from "Function calling" and "Structured model outputs: supported schemas"
 * (OpenAI API documentation), "Tool use" and "Create a message" (Anthropic API documentation), "FunctionDeclaration", "Schema" and
 * "GenerationConfig.responseJsonSchema" (Gemini API reference).
 */
import type { JsonSchema } from "../../contracts/tool.ts";
import type { ToolDialect } from "./declare_tools.ts";

const TEXT = { type: "string" } as const;
const NAME = { type: "string", pattern: "^[a-zA-Z0-9_-]{1,64}$" } as const;
const GEMINI_NAME = { type: "string", pattern: "^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$" } as const;

/** An object with these members, all required unless named, and no others. */
function exactly(
  properties: Readonly<Record<string, JsonSchema | true>>,
  optional: readonly string[] = [],
): JsonSchema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

/** Any JSON Schema of an object, without what is refused at the top. */
const OBJECT_AT_TOP: JsonSchema = {
  type: "object",
  properties: {
    type: { const: "object" },
    properties: { type: "object" },
    required: { type: "array", items: TEXT },
    anyOf: false,
    oneOf: false,
    allOf: false,
    not: false,
    enum: false,
  },
  required: ["type", "properties"],
};

const ONE_OF_THE_TYPES: JsonSchema = {
  enum: ["string", "number", "integer", "boolean", "object", "array", "null"],
};

/** Strict mode: all properties required, nothing let in beside them, a subset of keywords. */
const STRICT: JsonSchema = {
  type: "object",
  properties: {
    type: { anyOf: [ONE_OF_THE_TYPES, { type: "array", items: ONE_OF_THE_TYPES }] },
    properties: { type: "object", additionalProperties: { $ref: "#/$defs/strict" } },
    required: { type: "array", items: TEXT },
    additionalProperties: { const: false },
    items: { $ref: "#/$defs/strict" },
    anyOf: { type: "array", items: { $ref: "#/$defs/strict" } },
    $defs: { type: "object", additionalProperties: { $ref: "#/$defs/strict" } },
    $ref: TEXT,
    enum: { type: "array", maxItems: 1000 },
    title: TEXT,
    description: TEXT,
    pattern: TEXT,
    format: {
      enum: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
    },
    multipleOf: { type: "number" },
    minimum: { type: "number" },
    maximum: { type: "number" },
    exclusiveMinimum: { type: "number" },
    exclusiveMaximum: { type: "number" },
    minItems: { type: "integer" },
    maxItems: { type: "integer" },
  },
  additionalProperties: false,
  if: { properties: { type: { const: "object" } }, required: ["type"] },
  then: { required: ["properties", "required", "additionalProperties"] },
  anyOf: [{ required: ["type"] }, { required: ["anyOf"] }, { required: ["$ref"] }, {
    required: ["enum"],
  }],
};

/** The part of JSON Schema that Gemini names as supported; a reference stands alone. */
const GEMINI: JsonSchema = {
  type: "object",
  properties: {
    type: { anyOf: [ONE_OF_THE_TYPES, { type: "array", items: ONE_OF_THE_TYPES }] },
    format: TEXT,
    title: TEXT,
    description: TEXT,
    enum: { type: "array", items: { type: ["string", "number"] } },
    items: { $ref: "#/$defs/gemini" },
    prefixItems: { type: "array", items: { $ref: "#/$defs/gemini" } },
    minItems: { type: "integer" },
    maxItems: { type: "integer" },
    minimum: { type: "number" },
    maximum: { type: "number" },
    anyOf: { type: "array", items: { $ref: "#/$defs/gemini" } },
    properties: { type: "object", additionalProperties: { $ref: "#/$defs/gemini" } },
    additionalProperties: { anyOf: [{ type: "boolean" }, { $ref: "#/$defs/gemini" }] },
    required: { type: "array", items: TEXT },
    $defs: { type: "object", additionalProperties: { $ref: "#/$defs/gemini" } },
    $ref: { type: "string", pattern: "^#/\\$defs/[^/]+$" },
  },
  additionalProperties: false,
  if: { required: ["$ref"] },
  then: { maxProperties: 1 },
};

const COUNT = { type: "string", pattern: "^[0-9]+$" } as const;

/** The part of OpenAPI 3.0 in Gemini's `Schema`. */
const OPEN_API: JsonSchema = {
  type: "object",
  properties: {
    type: { enum: ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"] },
    format: { enum: ["float", "double", "int32", "int64", "enum", "date-time"] },
    title: TEXT,
    description: TEXT,
    nullable: { type: "boolean" },
    enum: { type: "array", items: TEXT },
    default: true,
    items: { $ref: "#/$defs/openapi" },
    minItems: COUNT,
    maxItems: COUNT,
    properties: {
      type: "object",
      minProperties: 1,
      propertyNames: { pattern: "^[a-zA-Z_][a-zA-Z0-9_]{0,63}$" },
      additionalProperties: { $ref: "#/$defs/openapi" },
    },
    required: { type: "array", items: TEXT },
    minProperties: COUNT,
    maxProperties: COUNT,
    minLength: COUNT,
    maxLength: COUNT,
    minimum: { type: "number" },
    maximum: { type: "number" },
    pattern: TEXT,
    anyOf: { type: "array", items: { $ref: "#/$defs/openapi" } },
  },
  additionalProperties: false,
  anyOf: [{ required: ["type"] }, { required: ["anyOf"] }],
  allOf: [
    {
      if: { properties: { type: { const: "OBJECT" } }, required: ["type"] },
      then: { required: ["properties"] },
    },
    {
      if: { properties: { type: { const: "ARRAY" } }, required: ["type"] },
      then: { required: ["items"] },
    },
  ],
};

/** For each form the schema that one declaration fits. */
export const PROVIDER_RULES: Readonly<Record<ToolDialect, JsonSchema>> = {
  openai: exactly({
    type: { const: "function" },
    function: exactly({ name: NAME, description: TEXT, parameters: OBJECT_AT_TOP }),
  }),
  "openai-strict": {
    ...exactly({
      type: { const: "function" },
      function: exactly({
        name: NAME,
        description: TEXT,
        parameters: { allOf: [OBJECT_AT_TOP, { $ref: "#/$defs/strict" }] },
        strict: { const: true },
      }),
    }),
    $defs: { strict: STRICT },
  },
  anthropic: exactly({ name: NAME, description: TEXT, input_schema: OBJECT_AT_TOP }),
  gemini: {
    ...exactly({
      name: GEMINI_NAME,
      description: TEXT,
      parametersJsonSchema: { allOf: [OBJECT_AT_TOP, { $ref: "#/$defs/gemini" }] },
    }),
    $defs: { gemini: GEMINI },
  },
  "gemini-openapi": {
    ...exactly({
      name: GEMINI_NAME,
      description: TEXT,
      parameters: {
        allOf: [{ properties: { type: { const: "OBJECT" } } }, { $ref: "#/$defs/openapi" }],
      },
    }, ["parameters"]),
    $defs: { openapi: OPEN_API },
  },
};
