/** Keywords for objects. */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { isObject, own, schemaMap, type SubSchema, subSchema } from "./schema_node.ts";
import { briefType } from "./type_text.ts";
import { all, type Place, placeIn, type Walk } from "./walk.ts";

type Members = Readonly<Record<string, JsonValue>>;

/** What a check of an object needs beside schema and value. */
interface Context {
  readonly place: Place;
  readonly walk: Walk;
}

/** Checks an object. */
export function fitsObject(schema: JsonSchema, value: Members, context: Context): boolean {
  return all(RULES, context.place, (rule) => rule(schema, value, context));
}

const RULES = [fitsCounts, hasRequired, hasDependents, fitNames, fitMembers];

function fitsCounts(schema: JsonSchema, value: Members, { place, walk }: Context): boolean {
  const { minProperties, maxProperties } = schema;
  if (minProperties === undefined && maxProperties === undefined) return true;
  const count = Object.keys(value).length;
  if (typeof minProperties === "number" && count < minProperties) {
    return walk.fault(place, () => ({ expected: `at least ${minProperties} properties`, value }));
  }
  if (typeof maxProperties === "number" && count > maxProperties) {
    return walk.fault(place, () => ({ expected: `at most ${maxProperties} properties`, value }));
  }
  return true;
}

function hasRequired(schema: JsonSchema, value: Members, { place, walk }: Context): boolean {
  const names = (schema.required ?? []) as readonly string[];
  return all(names, place, (name) => {
    if (Object.hasOwn(value, name)) return true;
    return walk.fault(placeIn(place, name), () => {
      const declared = own((schemaMap(schema, "properties") ?? {}) as Members, name);
      return {
        says: `missing, expected ${briefType(declared as SubSchema | undefined, walk.root)}`,
      };
    });
  });
}

function hasDependents(schema: JsonSchema, value: Members, { place, walk }: Context): boolean {
  if (schema.dependentRequired === undefined && schema.dependentSchemas === undefined) return true;
  const required = Object.entries((schema.dependentRequired ?? {}) as Record<string, string[]>);
  const schemas = Object.entries(schemaMap(schema, "dependentSchemas") ?? {});
  const named = ([name]: readonly [string, unknown]) => Object.hasOwn(value, name);
  return all(
    required.filter(named),
    place,
    ([name, others]) =>
      all(others, place, (other) =>
        Object.hasOwn(value, other) ||
        walk.fault(placeIn(place, other), () => ({ says: `missing, expected beside ${name}` }))),
  ) &&
    all(schemas.filter(named), place, ([_name, inner]) => walk.fits(inner, value, place));
}

function fitNames(schema: JsonSchema, value: Members, { place, walk }: Context): boolean {
  const names = subSchema(schema, "propertyNames");
  if (names === undefined) return true;
  const quiet = { ...place, told: false };
  return all(Object.keys(value), place, (name) =>
    walk.fits(names, name, quiet) ||
    walk.fault(placeIn(place, name), () => ({
      says: `not a name that is allowed, expected ${briefType(names, walk.root)}`,
    })));
}

function fitMembers(schema: JsonSchema, value: Members, { place, walk }: Context): boolean {
  const properties = schemaMap(schema, "properties") ?? {};
  const patterns = Object.entries(schemaMap(schema, "patternProperties") ?? {});
  const others = subSchema(schema, "additionalProperties");
  if (others === undefined && patterns.length === 0) {
    return all(
      declaredNames(properties, value),
      place,
      (name) => walk.fits(properties[name]!, value[name]!, placeIn(place, name)),
    );
  }
  return all(Object.keys(value), place, (name) => {
    const inner = placeIn(place, name);
    const schemas = [
      ...(Object.hasOwn(properties, name) ? [properties[name]!] : []),
      ...patterns.filter(([pattern]) => walk.matches(pattern, name)).map(([, found]) => found),
    ];
    if (schemas.length === 0 && others === false) {
      return walk.fault(inner, () => ({ says: notExpected(properties) }));
    }
    if (schemas.length === 0 && others !== undefined) schemas.push(others);
    return all(schemas, place, (found) => walk.fits(found, value[name]!, inner));
  });
}

function notExpected(properties: Readonly<Record<string, SubSchema>>): string {
  const known = Object.keys(properties).slice(0, 20).join(", ");
  return `not expected${known === "" ? "" : `; there is ${known}`}`;
}

/** Names that are declared and there. What tells alternatives apart comes first, so that a wrong one is left early. */
function declaredNames(
  properties: Readonly<Record<string, SubSchema>>,
  value: Members,
): readonly string[] {
  const names = Object.keys(properties).filter((name) => Object.hasOwn(value, name));
  const constant = (name: string) => {
    const found = properties[name];
    return isObject(found) && ("const" in found || "enum" in found);
  };
  return names.some(constant)
    ? [...names.filter(constant), ...names.filter((name) => !constant(name))]
    : names;
}
