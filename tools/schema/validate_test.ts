import { deepEqual, equal } from "node:assert/strict";
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { checkSchema } from "./check_schema.ts";
import { compilePatterns } from "./pattern.ts";
import { findIssues } from "./validate.ts";

async function issuesOf(schema: JsonSchema, value: JsonValue): Promise<readonly string[]> {
  const sound = checkSchema(schema, { name: "parameters of t", ofObject: false });
  return findIssues(value, { sound, matchers: await compilePatterns(sound.patterns) });
}

const CITY: JsonSchema = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 2, pattern: "^[A-Z]" },
    days: { type: "integer", minimum: 1, maximum: 7 },
    unit: { enum: ["C", "F"] },
    tags: { type: "array", items: { type: "string" }, uniqueItems: true },
  },
  required: ["city"],
  additionalProperties: false,
};

Deno.test("schema check: what fits has no issues", async () => {
  deepEqual(await issuesOf(CITY, { city: "Oslo", days: 3, unit: "C", tags: ["a", "b"] }), []);
});

Deno.test("schema check: an issue names path, expectation and value, several at once", async () => {
  deepEqual(await issuesOf(CITY, { city: 5, days: 1.5, unit: "K", tags: ["a", 1, "a"], x: null }), [
    "$.city: expected string, got 5 (number)",
    "$.days: expected integer, got 1.5 (number)",
    '$.unit: expected one of "C", "F", got "K" (string)',
    "$.tags[1]: expected string, got 1 (number)",
    "$.tags[2]: the same as item 0, expected each item once",
    "$.x: not expected; there is city, days, unit, tags",
  ]);
});

const TABLE: readonly (readonly [string, JsonSchema, JsonValue, string])[] = [
  ["a missing member", CITY, {}, "$.city: missing, expected string"],
  [
    "a text too short",
    CITY,
    { city: "O" },
    '$.city: expected at least 2 characters, got "O" (string)',
  ],
  [
    "a pattern",
    CITY,
    { city: "oslo" },
    '$.city: expected a string that matches ^[A-Z], got "oslo" (string)',
  ],
  [
    "a number too small",
    CITY,
    { city: "Oslo", days: 0 },
    "$.days: expected at least 1, got 0 (number)",
  ],
  [
    "a name that is no identifier",
    { properties: { "a b": { type: "null" } } },
    { "a b": 1 },
    '$["a b"]: expected null, got 1 (number)',
  ],
  ["two types", { type: ["string", "null"] }, 1, "$: expected string or null, got 1 (number)"],
  ["a constant", { const: { a: 1 } }, { a: 2 }, '$: expected {"a":1}, got an object with a'],
  [
    "a format",
    { format: "date" },
    "2026-02-30",
    '$: expected a string of the format date, got "2026-02-30" (string)',
  ],
  ["a multiple", { multipleOf: 0.1 }, 0.35, "$: expected a multiple of 0.1, got 0.35 (number)"],
  [
    "alternatives of different types",
    { anyOf: [{ type: "string" }, { type: "null" }] },
    1,
    "$: expected string | null, got 1 (number)",
  ],
  [
    "the alternative that a constant tells",
    {
      oneOf: [
        { type: "object", properties: { kind: { const: "a" }, x: { type: "number" } } },
        { type: "object", properties: { kind: { const: "b" }, y: { type: "number" } } },
      ],
    },
    { kind: "b", y: "1" },
    '$.y: expected number, got "1" (string)',
  ],
  [
    "too many alternatives",
    { oneOf: [{ type: "number" }, { minimum: 0 }] },
    1,
    "$: expected exactly one of 2 alternatives to fit, where 2 do, got 1 (number)",
  ],
  [
    "a negation",
    { not: { type: "string" } },
    "a",
    '$: expected anything but string, got "a" (string)',
  ],
  [
    "a condition",
    { if: { type: "number" }, then: { minimum: 5 } },
    1,
    "$: expected at least 5, got 1 (number)",
  ],
  [
    "a reference",
    { $defs: { n: { type: "number" } }, items: { $ref: "#/$defs/n" } },
    ["x"],
    '$[0]: expected number, got "x" (string)',
  ],
  [
    "a tuple's end",
    { prefixItems: [{}], items: false },
    [1, 2],
    "$: expected at most 1 items, got an array of 2",
  ],
  [
    "what a list must contain",
    { contains: { type: "string" } },
    [1],
    "$: expected at least 1 of its items to be string, got an array of 1",
  ],
  [
    "what goes together",
    { dependentRequired: { a: ["b"] } },
    { a: 1 },
    "$.b: missing, expected beside a",
  ],
  [
    "names",
    { propertyNames: { maxLength: 1 } },
    { ab: 1 },
    "$.ab: not a name that is allowed, expected a value",
  ],
  [
    "names by pattern",
    { patternProperties: { "^n_": { type: "number" } }, additionalProperties: false },
    { n_a: 1, s: 1 },
    "$.s: not expected",
  ],
  ["nothing", { properties: { a: false } }, { a: 1 }, "$.a: expected nothing, got 1 (number)"],
];

for (const [subject, schema, value, issue] of TABLE) {
  Deno.test(`schema check: ${subject} is told`, async () => {
    deepEqual(await issuesOf(schema, value), [issue]);
  });
}

Deno.test("schema check: names of Object.prototype are names as any", async () => {
  const schema: JsonSchema = {
    type: "object",
    properties: { constructor: { type: "number" } },
    required: ["toString"],
    additionalProperties: false,
  };
  deepEqual(await issuesOf(schema, { constructor: 1 } as never), [
    "$.toString: missing, expected a value",
  ]);
  deepEqual(await issuesOf(schema, JSON.parse('{"toString":1,"constructor":2}')), [
    "$.toString: not expected; there is constructor",
  ]);
  deepEqual(await issuesOf({ additionalProperties: false }, JSON.parse('{"__proto__":1}')), [
    "$.__proto__: not expected",
  ]);
});

Deno.test("schema check: a long value is told by its size, never by a part of it", async () => {
  const secret = "s".repeat(200);
  const [issue] = await issuesOf({ type: "object", properties: { a: { type: "number" } } }, {
    a: secret,
  });
  equal(issue, "$.a: expected number, got a string of 200 characters");
  const [named] = await issuesOf({ additionalProperties: { type: "number" } }, { [secret]: "x" });
  equal(named, '$[key of 200 characters]: expected number, got "x" (string)');
});

Deno.test("schema check: issues are bounded in number, and paths in length", async () => {
  const issues = await issuesOf({ items: { type: "null" } }, Array(50).fill(1));
  equal(issues.length, 9);
  equal(issues.at(-1), "and more");
  let nested: JsonValue = "x";
  for (let level = 0; level < 100; level++) nested = [nested];
  const [deep] = await issuesOf({ type: ["array", "number"], items: { $ref: "#" } }, nested);
  equal(deep, `$${"[0]".repeat(6)}…${"[0]".repeat(6)}: expected array or number, got "x" (string)`);
});

Deno.test("schema check: defaults are not filled in and nothing is converted", async () => {
  const value = { days: "3" };
  const schema: JsonSchema = { properties: { days: { type: "integer" }, unit: { default: "C" } } };
  deepEqual(await issuesOf(schema, value), ['$.days: expected integer, got "3" (string)']);
  deepEqual(value, { days: "3" });
});
