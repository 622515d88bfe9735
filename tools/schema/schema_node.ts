/** Reading a JSON Schema that has been checked: its parts, where references lead, and keys that are its own. */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";

/** A schema in a schema: `true` takes everything, `false` nothing. */
export type SubSchema = JsonSchema | boolean;

/** Whether a value is an object with members, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of an object that is its own: names come from models and from outside, `constructor` among them. */
export function own(
  object: Readonly<Record<string, JsonValue>>,
  key: string,
): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The schema under a keyword. */
export function subSchema(schema: JsonSchema, keyword: string): SubSchema | undefined {
  const value = own(schema, keyword);
  return typeof value === "boolean" || isObject(value) ? value : undefined;
}

/** The schemas in the list under a keyword. */
export function schemaList(schema: JsonSchema, keyword: string): readonly SubSchema[] | undefined {
  const value = own(schema, keyword);
  return Array.isArray(value) ? value as readonly SubSchema[] : undefined;
}

/** The named schemas under a keyword. */
export function schemaMap(
  schema: JsonSchema,
  keyword: string,
): Readonly<Record<string, SubSchema>> | undefined {
  const value = own(schema, keyword);
  return isObject(value) ? value as Readonly<Record<string, SubSchema>> : undefined;
}

/** The types that a schema names; absent when it names none. */
export function typesOf(schema: JsonSchema): readonly string[] | undefined {
  const type = own(schema, "type");
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type as readonly string[] : undefined;
}

/** What a local reference (`#`, `#/$defs/name`) leads to, or `undefined`. */
export function resolveRef(root: JsonSchema, ref: string): SubSchema | undefined {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let here: JsonValue | undefined = root;
  for (const part of ref.slice(2).split("/")) {
    const key = decodePart(part);
    if (key === undefined) return undefined;
    if (Array.isArray(here)) here = /^\d+$/.test(key) ? here[Number(key)] : undefined;
    else here = isObject(here) ? own(here, key) : undefined;
  }
  return typeof here === "boolean" || isObject(here) ? here : undefined;
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}

/** The next step of a path into a value: `$.city`, `$["first name"]`, `$[0]`. */
export function stepInto(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  if (/^[A-Za-z_$][\w$]{0,63}$/.test(key)) return `${path}.${key}`;
  // Never a part of it: what is taken out of logs is found by its whole.
  return key.length > 64
    ? `${path}[key of ${key.length} characters]`
    : `${path}[${JSON.stringify(key)}]`;
}
