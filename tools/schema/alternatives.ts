/** Keywords that join schemas: alternatives, conditions, negation. Of alternatives the one that was probably meant tells the faults. */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import {
  isObject,
  own,
  resolveRef,
  schemaList,
  schemaMap,
  type SubSchema,
  subSchema,
  typesOf,
} from "./schema_node.ts";
import { briefType } from "./type_text.ts";
import { all, isEqual, type Place, type Walk } from "./walk.ts";

/** What a check needs beside schema and value. */
interface Context {
  readonly place: Place;
  readonly walk: Walk;
}

/** Checks the joining keywords. */
export function fitsJoined(schema: JsonSchema, value: JsonValue, context: Context): boolean {
  const rules = [fitsAll, fitsAny, fitsOne, fitsCondition, fitsNot];
  return all(rules, context.place, (rule) => rule(schema, value, context));
}

function fitsAll(schema: JsonSchema, value: JsonValue, { place, walk }: Context): boolean {
  return all(schemaList(schema, "allOf") ?? [], place, (inner) => walk.fits(inner, value, place));
}

function fitsAny(schema: JsonSchema, value: JsonValue, context: Context): boolean {
  const branches = schemaList(schema, "anyOf");
  if (branches === undefined) return true;
  const quiet = { ...context.place, told: false };
  if (branches.some((branch) => context.walk.fits(branch, value, quiet))) return true;
  return tellNearest(branches, value, context);
}

function fitsOne(schema: JsonSchema, value: JsonValue, context: Context): boolean {
  const branches = schemaList(schema, "oneOf");
  if (branches === undefined) return true;
  const { place, walk } = context;
  const quiet = { ...place, told: false };
  const fitting = branches.filter((branch) => walk.fits(branch, value, quiet)).length;
  if (fitting === 1) return true;
  if (fitting === 0) return tellNearest(branches, value, context);
  return walk.fault(place, () => ({
    expected: `exactly one of ${branches.length} alternatives to fit, where ${fitting} do`,
    value,
  }));
}

function fitsCondition(schema: JsonSchema, value: JsonValue, { place, walk }: Context): boolean {
  const condition = subSchema(schema, "if");
  if (condition === undefined) return true;
  const holds = walk.fits(condition, value, { ...place, told: false });
  const inner = subSchema(schema, holds ? "then" : "else");
  return inner === undefined || walk.fits(inner, value, place);
}

function fitsNot(schema: JsonSchema, value: JsonValue, { place, walk }: Context): boolean {
  const inner = subSchema(schema, "not");
  if (inner === undefined || !walk.fits(inner, value, { ...place, told: false })) return true;
  return walk.fault(
    place,
    () => ({ expected: `anything but ${briefType(inner, walk.root)}`, value }),
  );
}

/** Where one alternative is nearer than all others, its faults are more use than a list of what could have been. */
function tellNearest(
  branches: readonly SubSchema[],
  value: JsonValue,
  { place, walk }: Context,
): false {
  if (!place.told) return false;
  const nearest = narrowed(branches, [
    (branch) => takesType(branch, value),
    (branch) => sharesConstant(branch, value),
  ], walk.root);
  if (nearest === undefined || walk.fits(nearest, value, place)) {
    return walk.fault(place, () => ({
      expected: briefType({ anyOf: branches as readonly JsonValue[] }, walk.root),
      value,
    }));
  }
  return false;
}

function narrowed(
  branches: readonly SubSchema[],
  tests: readonly ((branch: JsonSchema) => boolean)[],
  root: JsonSchema,
): SubSchema | undefined {
  let left = branches.map((branch) => dereferenced(branch, root)).filter((branch) =>
    branch !== undefined
  );
  for (const test of tests) {
    left = left.filter(test);
    if (left.length <= 1) break;
  }
  return left.length === 1 ? left[0] : undefined;
}

function dereferenced(branch: SubSchema, root: JsonSchema): JsonSchema | undefined {
  let here: SubSchema | undefined = branch;
  while (isObject(here) && typeof here.$ref === "string") here = resolveRef(root, here.$ref);
  return isObject(here) ? here : undefined;
}

function takesType(branch: JsonSchema, value: JsonValue): boolean {
  const types = typesOf(branch);
  return types === undefined || types.some((type) => isOfType(value, type));
}

/** Whether a property that can have a few values only, such as `kind`, has one of them. */
function sharesConstant(branch: JsonSchema, value: JsonValue): boolean {
  if (!isObject(value)) return false;
  return Object.entries(schemaMap(branch, "properties") ?? {}).some(([name, inner]) => {
    const is = own(value, name);
    if (is === undefined || !isObject(inner)) return false;
    const choices = Array.isArray(inner.enum)
      ? inner.enum as readonly JsonValue[]
      : "const" in inner
      ? [inner.const!]
      : [];
    return choices.some((choice) => isEqual(choice, is));
  });
}

/** Whether a value is of a type of JSON Schema. */
export function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default: {
      const kind: string = typeof value;
      return kind === type;
    }
  }
}
