import { equal } from "node:assert/strict";
import type { JsonValue } from "../../contracts/json.ts";
import { checkSchema } from "./check_schema.ts";
import { quickFit } from "./quick_fit.ts";
import { findIssues } from "./validate.ts";

function soundOf(schema: object) {
  return checkSchema(schema, { name: "t", ofObject: false });
}

const TASK = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  description: "A task",
  properties: {
    title: { type: "string" },
    kind: { type: "string", enum: ["bug", "wish"] },
    tags: { type: "array", items: { type: "string" } },
    place: {
      type: "object",
      properties: { line: { type: "integer" }, column: { type: "integer", default: 1 } },
      required: ["line"],
      additionalProperties: false,
    },
    more: true,
  },
  required: ["title"],
};

const FITTING: readonly JsonValue[] = [
  { title: "a" },
  { title: "", kind: "wish", tags: [], unknown: [1], more: { a: 1 } },
  { title: "a", tags: ["x", "y"], place: { line: 3 } },
  { title: "a", place: { line: 3, column: 0 }, more: null },
  JSON.parse('{"title":"a","__proto__":{"line":"x"},"constructor":1}'),
];

const OTHERS: readonly JsonValue[] = [
  null,
  [],
  "a",
  {},
  { title: 1 },
  { title: null },
  { title: "a", kind: "other" },
  { title: "a", kind: 1 },
  { title: "a", tags: "x" },
  { title: "a", tags: ["x", 1] },
  Object.defineProperty({}, "title", { value: 1 }) as JsonValue,
  // deno-lint-ignore no-sparse-arrays
  { title: "a", tags: ["x", , "y"] as unknown as JsonValue },
  { title: "a", tags: { 0: "x" } },
  { title: "a", place: {} },
  { title: "a", place: [] },
  { title: "a", place: { line: 1.5 } },
  { title: "a", place: { line: 1, end: 2 } },
  JSON.parse('{"title":"a","place":{"line":1,"__proto__":1}}'),
  JSON.parse('{"title":"a","place":{"__proto__":{"line":1}}}'),
];

Deno.test("quick check: takes what fits, and leaves the rest to the check, which says the same", () => {
  const sound = soundOf(TASK);
  const fits = quickFit(sound);
  const check = (value: JsonValue) =>
    findIssues(value, { sound, matchers: new Map() }).length === 0;
  for (const [values, expected] of [[FITTING, true], [OTHERS, false]] as const) {
    for (const value of values) {
      equal(fits(value), expected, JSON.stringify(value));
      equal(check(value), expected, JSON.stringify(value));
    }
  }
});

Deno.test("quick check: knows nothing of schemas that say more, or more than a little", () => {
  const names = Array.from({ length: 65 }, (_, n) => [`p${n}`, true] as const);
  const unknown: readonly (readonly [object, JsonValue])[] = [
    [{ type: "object", minProperties: 1 }, { a: 1 }],
    [{ type: "object", properties: { a: { type: "string", pattern: "^a" } } }, { a: "a" }],
    [{ type: "object", properties: { a: { type: "number", minimum: 1 } } }, { a: 1 }],
    [{ type: "object", properties: { a: { $ref: "#/$defs/d" } }, $defs: { d: true } }, { a: 1 }],
    [{ type: "object", properties: { a: { type: ["string", "null"] } } }, { a: "a" }],
    [{ type: "object", properties: { a: {} } }, { a: "a" }],
    [{ type: "object", properties: { a: false } }, {}],
    [{ type: "object", properties: { a: { type: "object", enum: [{}] } } }, { a: {} }],
    [{ type: "object", additionalProperties: { type: "string" } }, { a: "a" }],
    [{ type: "object", "x-rule": 1 }, {}],
    [{ type: "array", items: { type: "string", maxLength: 1 } }, ["a"]],
    [{ properties: {} }, {}],
    [{ type: "object", properties: Object.fromEntries(names) }, {}],
    [{ type: "string", enum: names.map(([name]) => name) }, "p1"],
  ];
  for (const [schema, value] of unknown) {
    equal(quickFit(soundOf(schema))(value), false, JSON.stringify(schema));
  }
});
