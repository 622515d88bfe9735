/** The TypeScript type of the values that a JSON Schema describes, as far as it is said in its text. */
import type { JsonValue } from "../contracts/json.ts";

/**
 * The type of what fits a schema: objects with their required members, lists, constants, alternatives. What is not understood is a {@linkcode JsonValue}.
 */
export type SchemaValue<Schema> = Schema extends { readonly const: infer Constant } ? Constant
  : Schema extends { readonly enum: readonly (infer Choice)[] } ? Choice
  : Schema extends { readonly anyOf: readonly (infer Branch)[] } ? SchemaValue<Branch>
  : Schema extends { readonly type: readonly (infer Type)[] }
    ? Type extends string ? SchemaValue<Omit<Schema, "type"> & { readonly type: Type }> : JsonValue
  : Schema extends { readonly type: "string" } ? string
  : Schema extends { readonly type: "number" | "integer" } ? number
  : Schema extends { readonly type: "boolean" } ? boolean
  : Schema extends { readonly type: "null" } ? null
  : Schema extends { readonly type: "array"; readonly prefixItems: unknown } ? readonly JsonValue[]
  : Schema extends { readonly type: "array"; readonly items: infer Item }
    ? readonly SchemaValue<Item>[]
  : Schema extends { readonly type: "array" } ? readonly JsonValue[]
  : Schema extends { readonly type: "object"; readonly properties: infer Properties }
    ? string extends keyof Properties ? Readonly<Record<string, JsonValue>>
    : Schema extends { readonly required: readonly (infer Required)[] } ?
        & { readonly [Name in Extract<keyof Properties, Required>]: SchemaValue<Properties[Name]> }
        & { readonly [Name in Exclude<keyof Properties, Required>]?: SchemaValue<Properties[Name]> }
    : { readonly [Name in keyof Properties]?: SchemaValue<Properties[Name]> }
  : Schema extends { readonly type: "object"; readonly additionalProperties: infer Other }
    ? Other extends object ? Readonly<Record<string, SchemaValue<Other>>>
    : Readonly<Record<string, JsonValue>>
  : Schema extends { readonly type: "object" } ? Readonly<Record<string, JsonValue>>
  : JsonValue;
