/**
 * Checks a value against a JSON Schema (draft 2020-12). Nothing is changed: defaults are not filled in, and no type is converted. The work is bounded whatever
 * the value is: patterns take linear time, and a check that takes more than its steps ends with a fault.
 */
import type { JsonValue } from "../../contracts/json.ts";
import { fitsJoined, isOfType } from "./alternatives.ts";
import { fitsArray } from "./array_keywords.ts";
import type { SoundSchema } from "./check_schema.ts";
import { IssueList } from "./issue_list.ts";
import { fitsObject } from "./object_keywords.ts";
import type { Matcher } from "./pattern.ts";
import { fitsNumber, fitsString } from "./scalar_keywords.ts";
import { isObject, resolveRef, type SubSchema, typesOf } from "./schema_node.ts";
import { showConstant, showConstants } from "./show_value.ts";
import { CheckBoundError, isEqual, type Place, type Walk } from "./walk.ts";

/** Schemas that are applied in one check: so many for each part of the value, and for a small value enough for what schemas usually say. */
const STEPS = { atLeast: 100_000, forEachPart: 20, atMost: 2_000_000 };
/** How deep values and references go: what the stack of a runtime holds for sure. */
const MAX_DEPTH = 256;

/**
 * What keeps a value from fitting a schema, one line a fault; empty when it fits.
 *
 * @param matchers one for each pattern of the schema
 */
export function findIssues(
  value: JsonValue,
  { sound, matchers }: {
    readonly sound: SoundSchema;
    readonly matchers: ReadonlyMap<string, Matcher>;
  },
): readonly string[] {
  const issues = new IssueList();
  let left = stepsFor(value);
  const walk: Walk = {
    root: sound.schema,
    matchers,
    fits: (schema, inner, place) => fits(schema, inner, { place, walk }),
    fault: (place, fault) => {
      if (place.told) issues.add(place, fault);
      return false;
    },
    spend: (steps) => {
      left -= steps;
      if (left < 0) throw new CheckBoundError("too much to check; make it smaller");
    },
  };
  try {
    walk.fits(sound.schema, value, { depth: 0, told: true });
  } catch (error) {
    if (!(error instanceof CheckBoundError)) throw error;
    issues.add({ depth: 0, told: true }, { says: error.message });
  }
  return issues.lines();
}

function stepsFor(value: JsonValue): number {
  const most = STEPS.atMost / STEPS.forEachPart;
  const waiting: JsonValue[] = [value];
  let parts = 0;
  for (let part = waiting.pop(); part !== undefined && parts < most; part = waiting.pop()) {
    parts++;
    if (typeof part !== "object" || part === null) continue;
    for (const inner of Object.values(part)) {
      if (waiting.length < most) waiting.push(inner);
    }
  }
  return Math.min(STEPS.atLeast + parts * STEPS.forEachPart, STEPS.atMost);
}

interface Context {
  readonly place: Place;
  readonly walk: Walk;
}

function fits(schema: SubSchema, value: JsonValue, context: Context): boolean {
  const { place, walk } = context;
  walk.spend(1);
  if (place.depth > MAX_DEPTH) throw new CheckBoundError(`nested deeper than ${MAX_DEPTH}`);
  if (schema === true) return true;
  if (schema === false) return walk.fault(place, { expected: "nothing", value });
  if (typeof schema.$ref === "string") {
    const target = resolveRef(walk.root, schema.$ref)!;
    if (!walk.fits(target, value, { ...place, depth: place.depth + 1 })) return false;
  }
  const types = typesOf(schema);
  if (types !== undefined && !types.some((type) => isOfType(value, type))) {
    return walk.fault(place, { expected: types.join(" or "), value });
  }
  if (!fitsChoice(schema, value, context)) return false;
  const good = fitsKind(schema, value, context);
  return (good || place.told) && fitsJoined(schema, value, context) && good;
}

function fitsChoice(
  schema: Exclude<SubSchema, boolean>,
  value: JsonValue,
  { place, walk }: Context,
): boolean {
  if (Object.hasOwn(schema, "const") && !isEqual(schema.const!, value)) {
    return walk.fault(place, { expected: showConstant(schema.const), value });
  }
  const { enum: choices } = schema;
  if (!Array.isArray(choices)) return true;
  walk.spend(choices.length >> 3);
  if (choices.some((choice) => isEqual(choice, value))) return true;
  return walk.fault(place, { expected: `one of ${showConstants(choices)}`, value });
}

function fitsKind(
  schema: Exclude<SubSchema, boolean>,
  value: JsonValue,
  context: Context,
): boolean {
  if (typeof value === "number") return fitsNumber(schema, value, context);
  if (typeof value === "string") return fitsString(schema, value, context);
  if (Array.isArray(value)) return fitsArray(schema, value, context);
  return isObject(value) ? fitsObject(schema, value, context) : true;
}
