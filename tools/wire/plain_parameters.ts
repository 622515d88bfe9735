/** Parameters for providers that take JSON Schema nearly as it is. */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { isObject } from "../schema/schema_node.ts";
import { noteLost, refuse, type WirePlace } from "./normal_form.ts";

/** What both OpenAI and Anthropic refuse at the top of parameters. */
const NOT_AT_TOP: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "enum",
  "const",
  "not",
  "oneOf",
  "if",
  "then",
  "else",
]);

/** The schema, with `properties` and without joining keywords at its top. */
export function plainParameters(schema: JsonSchema, place: WirePlace): JsonSchema {
  const kept: Record<string, JsonValue> = { type: "object", properties: {} };
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "$schema") continue;
    if (!NOT_AT_TOP.has(keyword)) kept[keyword] = value;
    else if (namesNew(value, schema.properties)) {
      refuse(
        { ...place, path: `#/${keyword}` },
        "declares properties, which providers take at the top only; declare them there, or put the alternatives into one property",
      );
    } else noteLost(place, keyword);
  }
  return kept;
}

/** Whether a keyword speaks of properties that a model would not hear of otherwise. */
function namesNew(value: JsonValue, properties: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.some((item) => namesNew(item, properties));
  if (!isObject(value)) return false;
  if (typeof value.$ref === "string") return true;
  const known = isObject(properties) ? properties : {};
  return Object.keys((value.properties ?? {}) as JsonSchema).some((name) =>
    !Object.hasOwn(known, name)
  ) ||
    Object.entries(value).some(([keyword, inner]) =>
      (NOT_AT_TOP.has(keyword) || keyword === "items") && namesNew(inner, properties)
    );
}
