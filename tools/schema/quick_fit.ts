/**
 * The quick yes of the check, for what most calls are: fitting arguments, of a schema that says types, choices, names and nothing more. It takes a twentieth of the time. What it does not know, and
 * whatever does not fit, is left to the check itself, which alone tells faults.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { isOfType } from "./alternatives.ts";
import type { SoundSchema } from "./check_schema.ts";
import { isObject, own, schemaMap, type SubSchema, subSchema } from "./schema_node.ts";

/** Whether a value fits. `false` may also mean that it is not known. */
export type QuickFit = (value: JsonValue) => boolean;

/**
 * Names and choices of a whole schema: with so few the time is linear in the value, and nothing need be counted. A value that is so large that the check gives it up is taken here
 * where it fits.
 */
const MAX_NAMES = 64;

/** Keywords that are held here, and those that hold nothing. Any other one may be a rule. */
const KNOWN: ReadonlySet<string> = new Set([
  "type",
  "enum",
  "items",
  "properties",
  "required",
  "additionalProperties",
  "title",
  "description",
  "default",
  "examples",
  "$schema",
  "$comment",
]);

/** Makes the quick check of a schema; it takes nothing where the schema says more. */
export function quickFit({ schema }: SoundSchema): QuickFit {
  const size = { names: 0 };
  const fits = fitOf(schema, size);
  return fits === undefined || size.names > MAX_NAMES ? () => false : fits;
}

function fitOf(schema: SubSchema, size: { names: number }): QuickFit | undefined {
  if (typeof schema === "boolean") return schema ? () => true : undefined;
  if (!Object.keys(schema).every((keyword) => KNOWN.has(keyword))) return undefined;
  const type = own(schema, "type");
  const choices = own(schema, "enum");
  if (typeof type !== "string") return undefined;
  if (Array.isArray(choices)) {
    size.names += choices.length;
    return choices.some(isCompound)
      ? undefined
      : (value) => isOfType(value, type) && choices.includes(value);
  }
  if (type === "object") return fitObject(schema, size);
  if (type === "array") return fitArray(schema, size);
  return (value) => isOfType(value, type);
}

function isCompound(value: JsonValue): boolean {
  return typeof value === "object" && value !== null;
}

function fitArray(schema: JsonSchema, size: { names: number }): QuickFit | undefined {
  const items = fitOf(subSchema(schema, "items") ?? true, size);
  return items && ((value) => {
    if (!Array.isArray(value)) return false;
    // By index: a list of a program's own may have holes, and be gone through in another way.
    for (let at = 0; at < value.length; at++) if (!items(value[at]!)) return false;
    return true;
  });
}

function fitObject(schema: JsonSchema, size: { names: number }): QuickFit | undefined {
  const members = new Map<string, QuickFit>();
  for (const [name, inner] of Object.entries(schemaMap(schema, "properties") ?? {})) {
    const fits = fitOf(inner, size);
    if (fits === undefined) return undefined;
    members.set(name, fits);
  }
  const others = subSchema(schema, "additionalProperties") ?? true;
  if (typeof others !== "boolean") return undefined;
  const required = (own(schema, "required") ?? []) as readonly string[];
  size.names += members.size + required.length;
  return (value) => {
    if (!isObject(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const [name, fits] of members) {
      if (Object.hasOwn(value, name) && !fits(value[name]!)) return false;
    }
    return others || Object.keys(value).every((name) => members.has(name));
  };
}
