/**
 * What the parts of a check share: where in the value it is, whether faults are told, and how much may still be done. A check is bounded in steps, since what
 * is checked comes from a model: some schemas make a small value into a lot of work.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import type { SubSchema } from "./schema_node.ts";

/** A place in the value that is checked. */
export interface Place {
  /** The place around it; absent at the top. */
  readonly parent?: Place;
  /** The name or index in the place around it. */
  readonly key?: string | number;
  /** How deep the check is, references counted. */
  readonly depth: number;
  /** Faults are of interest; otherwise the first one ends the check of this place. */
  readonly told: boolean;
}

/** One check of one value. */
export interface Walk {
  /** The schema that references lead into. */
  readonly root: JsonSchema;
  /** Whether a value fits a schema; tells why not where that is of interest. */
  readonly fits: (schema: SubSchema, value: JsonValue, place: Place) => boolean;
  /** Tells a fault, which is put into words only where it is told. Always `false`, so that it can be returned. */
  readonly fault: (place: Place, fault: () => Fault) => false;
  /** Whether a pattern of the schema is found in a text. Throws {@linkcode CheckBoundError} when that is too much work. */
  readonly matches: (pattern: string, text: string) => boolean;
  /** Takes steps off what is left. Throws {@linkcode CheckBoundError} when nothing is. */
  readonly spend: (steps: number) => void;
}

/** What is wrong at a place: an expectation that a value did not meet, or a statement. */
export type Fault =
  | { readonly expected: string; readonly value: JsonValue }
  | { readonly says: string };

/** A value takes more work to check than is done. */
export class CheckBoundError extends Error {
  /** The error's name. */
  override readonly name = "CheckBoundError";
}

/** The place of a member or item. */
export function placeIn(parent: Place, key: string | number): Place {
  return { parent, key, depth: parent.depth + 1, told: parent.told };
}

/** Whether all of it holds: up to the first that does not, or to the end where faults are of interest. */
export function all<T>(items: Iterable<T>, { told }: Place, holds: (item: T) => boolean): boolean {
  let good = true;
  for (const item of items) {
    if (holds(item)) continue;
    good = false;
    if (!told) return false;
  }
  return good;
}

/** A text that two JSON values share exactly when they are equal. Throws {@linkcode CheckBoundError} when the value is nested too deeply. */
export function canonical(value: JsonValue): string {
  try {
    return sortedJson(value);
  } catch {
    throw new CheckBoundError("nested too deeply to be compared");
  }
}

function sortedJson(value: JsonValue): string {
  return JSON.stringify(
    value,
    (_key, inner) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(
          Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1).map((
            [key, member],
          ) => [`.${key}`, member]),
        )
        : inner,
  );
}

/** Whether two JSON values are equal. */
export function isEqual(a: JsonValue, b: JsonValue): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  return canonical(a) === canonical(b);
}
