/** The check beside a validator of others: over made-up schemas and values both say the same. */
import { equal } from "node:assert/strict";
import { type Schema, Validator } from "npm:@cfworker/json-schema@4.1.6";
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { checkSchema } from "./check_schema.ts";
import { compilePatterns } from "./pattern.ts";
import { quickFit } from "./quick_fit.ts";
import { findIssues } from "./validate.ts";

/** A small generator of numbers, so that a failure can be had again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

type Random = (below: number) => number;

const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)]!;

const NAMES = ["a", "b", "ab", "constructor"];
const SCALARS: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  1,
  2.5,
  -3,
  "",
  "a",
  "ab",
  "b1",
  "2026-01-02",
];

function madeValue(random: Random, depth: number): JsonValue {
  const kind = depth <= 0 ? 0 : random(4);
  if (kind === 2) return Array.from({ length: random(4) }, () => madeValue(random, depth - 1));
  if (kind < 3) return pick(random, SCALARS);
  return Object.fromEntries(
    Array.from({ length: random(4) }, () => [pick(random, NAMES), madeValue(random, depth - 1)]),
  );
}

function madeSchema(random: Random, depth: number): JsonSchema | boolean {
  if (random(12) === 0) return random(2) === 0;
  const schema: Record<string, JsonValue> = {};
  for (let count = 1 + random(3); count > 0; count--) {
    Object.assign(schema, madeKeyword(random, depth));
  }
  return schema;
}

function madeKeyword(random: Random, depth: number): Record<string, JsonValue> {
  const inner = () => depth <= 0 ? random(3) > 0 : madeSchema(random, depth - 1);
  const inners = () => Array.from({ length: 1 + random(2) }, inner);
  const named = () =>
    Object.fromEntries(Array.from({ length: random(3) }, () => [pick(random, NAMES), inner()]));
  return pick<() => Record<string, JsonValue>>(random, [
    () => ({
      type: pick(random, ["string", "number", "integer", "boolean", "null", "array", "object"]),
    }),
    () => ({ type: ["string", pick(random, ["null", "object", "array"])] }),
    () => ({ enum: [madeValue(random, 1), madeValue(random, 1), pick(random, SCALARS)] }),
    () => ({ const: madeValue(random, 1) }),
    () => ({ minimum: random(3), exclusiveMaximum: 1 + random(3) }),
    () => ({ multipleOf: pick(random, [0.5, 1, 2]) }),
    () => ({ minLength: random(2), maxLength: 1 + random(2) }),
    () => ({ pattern: pick(random, ["^a", "b", "^[a-b]+$", "\\d"]) }),
    () => ({ format: pick(random, ["date", "uuid", "ipv4"]) }),
    () => ({ properties: named(), required: [pick(random, NAMES)] }),
    () => ({ properties: named(), additionalProperties: inner() }),
    () => ({ patternProperties: { "^a": inner() }, additionalProperties: inner() }),
    () => ({ propertyNames: { maxLength: 1 } }),
    () => ({ minProperties: random(2), maxProperties: 1 + random(2) }),
    () => ({ dependentRequired: { a: ["b"] } }),
    () => ({ dependentSchemas: { a: inner() } }),
    () => ({ items: inner(), maxItems: 1 + random(3) }),
    () => ({ prefixItems: inners(), items: inner() }),
    () => ({ contains: inner(), maxContains: 1 + random(2) }),
    () => ({ uniqueItems: true }),
    () => ({ allOf: inners() }),
    () => ({ anyOf: inners() }),
    () => ({ oneOf: inners() }),
    () => ({ not: inner() }),
    () => ({ if: inner(), then: inner(), else: inner() }),
    () => ({ $ref: "#/$defs/d" }),
  ])();
}

Deno.test("schema check: made-up schemas and values get the same verdict as from another validator", async () => {
  let fitting = 0;
  for (let seed = 1; seed <= 1_500; seed++) {
    const random = randomFrom(seed);
    const schema = {
      allOf: [madeSchema(random, 2)],
      $defs: { d: { type: pick(random, ["string", "array"]) } },
    };
    const sound = checkSchema(schema, { name: "t", ofObject: false });
    const matchers = await compilePatterns(sound.patterns);
    const other = new Validator(schema as Schema, "2020-12", true);
    for (let count = 0; count < 12; count++) {
      const value = madeValue(random, 2);
      const fits = findIssues(value, { sound, matchers }).length === 0;
      if (fits) fitting++;
      equal(
        fits,
        other.validate(value).valid,
        `seed ${seed}: ${JSON.stringify(schema)} on ${JSON.stringify(value)}`,
      );
    }
  }
  equal(fitting > 2_000, true, "values that fit");
});

/** Of what most tools say. */
function madePlainSchema(random: Random, depth: number): JsonSchema | boolean {
  if (random(8) === 0) return random(4) > 0;
  const inner = () => madePlainSchema(random, depth - 1);
  const named = () =>
    Object.fromEntries(Array.from({ length: random(4) }, () => [pick(random, NAMES), inner()]));
  const type = pick(random, ["string", "number", "integer", "boolean", "null"]);
  const made = depth <= 0 ? random(2) : random(6);
  if (made === 0) return { type, description: "d" };
  if (made === 1) return { type, enum: [pick(random, SCALARS), pick(random, SCALARS)] };
  if (made === 2) return { type: "array", items: inner() };
  if (made === 3) return { type: "object", properties: named(), ...madeKeyword(random, 0) };
  return {
    type: "object",
    properties: named(),
    ...(random(2) === 0 ? {} : { required: [pick(random, NAMES)] }),
    ...(random(2) === 0 ? {} : { additionalProperties: random(2) === 0 }),
  };
}

Deno.test("schema check: what the quick check takes fits", async () => {
  let taken = 0;
  let left = 0;
  for (let seed = 1; seed <= 4_000; seed++) {
    const random = randomFrom(seed);
    const schema = { type: "array", items: madePlainSchema(random, 2) };
    if (JSON.stringify(schema).includes("$ref")) continue;
    const sound = checkSchema(schema, { name: "t", ofObject: false });
    const quick = quickFit(sound);
    const matchers = await compilePatterns(sound.patterns);
    for (let count = 0; count < 12; count++) {
      const value = [madeValue(random, 2)];
      const fits = findIssues(value, { sound, matchers }).length === 0;
      const isTaken = quick(value);
      if (isTaken) taken++;
      else if (fits) left++;
      equal(
        isTaken && !fits,
        false,
        `seed ${seed}: ${JSON.stringify(schema)} on ${JSON.stringify(value)}`,
      );
    }
  }
  equal(taken > 5_000 && taken > left, true, `${taken} were taken, ${left} left`);
});
