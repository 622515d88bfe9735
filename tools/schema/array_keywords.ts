/** Keywords for lists. */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { schemaList, subSchema } from "./schema_node.ts";
import { briefType } from "./type_text.ts";
import { all, canonical, type Place, placeIn, type Walk } from "./walk.ts";

/** What a check of a list needs beside schema and value. */
interface Context {
  readonly place: Place;
  readonly walk: Walk;
}

/** Checks a list. */
export function fitsArray(
  schema: JsonSchema,
  value: readonly JsonValue[],
  context: Context,
): boolean {
  const rules = [fitsLength, fitItems, fitsContains, isUnique];
  return all(rules, context.place, (rule) => rule(schema, value, context));
}

function fitsLength(
  { minItems, maxItems }: JsonSchema,
  value: readonly JsonValue[],
  { place, walk }: Context,
): boolean {
  if (typeof minItems === "number" && value.length < minItems) {
    return walk.fault(place, () => ({ expected: `at least ${minItems} items`, value }));
  }
  if (typeof maxItems === "number" && value.length > maxItems) {
    return walk.fault(place, () => ({ expected: `at most ${maxItems} items`, value }));
  }
  return true;
}

function fitItems(
  schema: JsonSchema,
  value: readonly JsonValue[],
  { place, walk }: Context,
): boolean {
  const first = schemaList(schema, "prefixItems") ?? [];
  const rest = subSchema(schema, "items");
  if (rest === false && value.length > first.length) {
    return walk.fault(place, () => ({ expected: `at most ${first.length} items`, value }));
  }
  return all(value.keys(), place, (index) => {
    const inner = first[index] ?? rest;
    return inner === undefined || walk.fits(inner, value[index]!, placeIn(place, index));
  });
}

function fitsContains(
  schema: JsonSchema,
  value: readonly JsonValue[],
  { place, walk }: Context,
): boolean {
  const wanted = subSchema(schema, "contains");
  if (wanted === undefined) return true;
  const { minContains: least = 1, maxContains: most = Infinity } = schema;
  const found =
    value.filter((item, index) =>
      walk.fits(wanted, item, { ...placeIn(place, index), told: false })
    ).length;
  if (found >= (least as number) && found <= (most as number)) return true;
  const number = found < (least as number) ? `at least ${least}` : `at most ${most}`;
  return walk.fault(place, () => ({
    expected: `${number} of its items to be ${briefType(wanted, walk.root)}`,
    value,
  }));
}

function isUnique(
  schema: JsonSchema,
  value: readonly JsonValue[],
  { place, walk }: Context,
): boolean {
  if (schema.uniqueItems !== true) return true;
  walk.spend(value.length);
  const seen = new Map<string, number>();
  for (const [index, item] of value.entries()) {
    const text = canonical(item);
    walk.spend(text.length >> 4);
    const before = seen.get(text);
    if (before !== undefined) {
      return walk.fault(placeIn(place, index), () => ({
        says: `the same as item ${before}, expected each item once`,
      }));
    }
    seen.set(text, index);
  }
  return true;
}
