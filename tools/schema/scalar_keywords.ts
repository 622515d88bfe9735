/** Keywords for numbers and texts. */
import type { JsonSchema } from "../../contracts/tool.ts";
import { hasFormat } from "./formats.ts";
import { own } from "./schema_node.ts";
import { all, type Place, type Walk } from "./walk.ts";

/** Checks a number. */
export function fitsNumber(
  schema: JsonSchema,
  value: number,
  { place, walk }: { readonly place: Place; readonly walk: Walk },
): boolean {
  return all(NUMBER_RULES, place, ([keyword, holds, words]) => {
    const bound = own(schema, keyword);
    if (typeof bound !== "number" || holds(value, bound)) return true;
    return walk.fault(place, () => ({ expected: `${words} ${bound}`, value }));
  });
}

type NumberRule = readonly [string, (value: number, bound: number) => boolean, string];

const NUMBER_RULES: readonly NumberRule[] = [
  ["minimum", (value, bound) => value >= bound, "at least"],
  ["maximum", (value, bound) => value <= bound, "at most"],
  ["exclusiveMinimum", (value, bound) => value > bound, "more than"],
  ["exclusiveMaximum", (value, bound) => value < bound, "less than"],
  ["multipleOf", isMultiple, "a multiple of"],
];

/** Up to what 15 digits can say: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return Number.isFinite(times) && Math.abs(times - Math.round(times)) <= Math.abs(times) * 1e-14;
}

/** Checks a text. */
export function fitsString(
  schema: JsonSchema,
  value: string,
  { place, walk }: { readonly place: Place; readonly walk: Walk },
): boolean {
  const { minLength, maxLength, pattern, format } = schema;
  walk.spend(value.length >> 6);
  const rules: readonly (readonly [boolean, string])[] = [
    [
      typeof minLength !== "number" || value.length >= 2 * minLength ||
      codePoints(value) >= minLength,
      `at least ${minLength} characters`,
    ],
    [
      typeof maxLength !== "number" || value.length <= maxLength ||
      value.length <= 2 * maxLength && codePoints(value) <= maxLength,
      `at most ${maxLength} characters`,
    ],
    [
      typeof pattern !== "string" || walk.matches(pattern, value),
      `a string that matches ${briefPattern(pattern)}`,
    ],
    [typeof format !== "string" || hasFormat(value, format), `a string of the format ${format}`],
  ];
  return all(
    rules,
    place,
    ([holds, expected]) => holds || walk.fault(place, () => ({ expected, value })),
  );
}

/** A pattern is its author's: what is long may be cut. */
function briefPattern(pattern: unknown): string {
  const text = String(pattern);
  return text.length <= 80 ? text : `${text.slice(0, 79).toWellFormed()}…`;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
