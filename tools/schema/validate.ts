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
import { canonical, CheckBoundError, type Place, type Walk } from "./walk.ts";

/** What may be done in one check: so many steps for each part of the value, and for a small value enough for what schemas usually say. */
const STEPS = { atLeast: 100_000, forEachPart: 20, atMost: 2_000_000 };
/** Characters times instructions of patterns: a second or so. */
const MAX_MATCHING = 20_000_000;
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
  const left = { steps: stepsFor(value), matching: MAX_MATCHING };
  const walk: Walk = {
    root: sound.schema,
    fits(schema, inner, place) {
      walk.spend(weightOf(schema));
      if (!place.told || !issues.full) return fits(schema, inner, { place, walk });
      const good = fits(schema, inner, { place: { ...place, told: false }, walk });
      if (!good) issues.more = true;
      return good;
    },
    fault(place, fault) {
      if (place.told) issues.add(place, fault);
      return false;
    },
    spend(steps) {
      left.steps -= steps;
      if (left.steps < 0) throw new CheckBoundError("too much to check; make it smaller");
    },
    matches(pattern, text) {
      const { test, size } = matchers.get(pattern)!;
      walk.spend(1);
      left.matching -= text.length * size;
      if (left.matching < 0) {
        throw new CheckBoundError("too much text to match with patterns; make it smaller");
      }
      return test(text);
    },
  };
  try {
    walk.fits(sound.schema, value, { depth: 0, told: true });
  } catch (error) {
    if (!(error instanceof CheckBoundError)) throw error;
    issues.bound(error.message);
  }
  return issues.lines();
}

/** What schemas cost that were weighed. */
const weights = new WeakMap<object, number>();

/** What a schema costs each time: names and choices are gone through one by one. */
function weightOf(schema: SubSchema): number {
  if (typeof schema === "boolean") return 1;
  const weighed = weights.get(schema);
  if (weighed !== undefined) return weighed;
  const { enum: choices, const: constant, ...others } = schema;
  const names = Object.values(others).reduce<number>(
    (sum, part) => sum + (typeof part === "object" && part !== null ? Object.keys(part).length : 0),
    0,
  );
  const reference = typeof schema.$ref === "string" ? schema.$ref.length : 0;
  // Choices and constants that are objects are compared by their text; a reference is read each time that it is followed.
  const compared = isPlain(constant) ? choices : [choices, constant];
  const weight = 1 + ((names + (JSON.stringify(compared)?.length ?? 0)) >> 3) + (reference >> 6);
  weights.set(schema, weight);
  return weight;
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

/** Whether a constant is compared at once. */
function isPlain(constant: JsonValue | undefined): boolean {
  return typeof constant !== "object" || constant === null;
}

interface Context {
  readonly place: Place;
  readonly walk: Walk;
}

function fits(schema: SubSchema, value: JsonValue, context: Context): boolean {
  const { place, walk } = context;
  if (place.depth > MAX_DEPTH) throw new CheckBoundError(`nested deeper than ${MAX_DEPTH}`);
  if (schema === true) return true;
  if (schema === false) return walk.fault(place, () => ({ expected: "nothing", value }));
  if (typeof schema.$ref === "string") {
    const target = resolveRef(walk.root, schema.$ref)!;
    if (!walk.fits(target, value, { ...place, depth: place.depth + 1 })) return false;
  }
  const types = typesOf(schema);
  if (types !== undefined && !types.some((type) => isOfType(value, type))) {
    return walk.fault(place, () => ({ expected: types.join(" or "), value }));
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
  if (Object.hasOwn(schema, "const") && !hasValue([schema.const!], value, walk)) {
    return walk.fault(place, () => ({ expected: showConstant(schema.const), value }));
  }
  const { enum: choices } = schema;
  if (!Array.isArray(choices) || hasValue(choices, value, walk)) return true;
  return walk.fault(place, () => ({ expected: `one of ${showConstants(choices)}`, value }));
}

function hasValue(choices: readonly JsonValue[], value: JsonValue, walk: Walk): boolean {
  if (typeof value !== "object" || value === null) return choices.includes(value);
  const text = canonical(value);
  walk.spend(text.length >> 4);
  return choices.some((choice) => typeof choice === "object" && canonical(choice) === text);
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
