import { deepEqual, equal, throws } from "node:assert/strict";
import { checkSchema } from "./check_schema.ts";

const check = (schema: unknown) => checkSchema(schema, { name: "parameters of t" });
const object = (keywords: object) => ({ type: "object", ...keywords });

const REFUSED: readonly (readonly [string, unknown, string])[] = [
  ["no object", "string", "the schema must be an object of JSON"],
  ["a list", [], "the schema must be an object of JSON"],
  [
    "a schema for a text",
    { type: "string" },
    '#/type must be "object": a tool takes its arguments by name; wrap anything else in a property',
  ],
  [
    "a schema without a type",
    { properties: {} },
    '#/type must be "object": a tool takes its arguments by name; wrap anything else in a property',
  ],
  [
    "an unknown type",
    object({ properties: { a: { type: "strng" } } }),
    "#/properties/a/type must be one of array, boolean, integer, null, number, object, string, or a list of them",
  ],
  [
    "a property that is no schema",
    object({ properties: { a: "string" } }),
    "#/properties/a must be a schema: an object, true or false",
  ],
  [
    "required as in draft 3",
    object({ properties: { a: { required: true } } }),
    "#/properties/a/required must be a list of names",
  ],
  [
    "an exclusive bound as in draft 4",
    object({ properties: { a: { exclusiveMinimum: true } } }),
    "#/properties/a/exclusiveMinimum must be a number",
  ],
  [
    "an empty enum",
    object({ properties: { a: { enum: [] } } }),
    "#/properties/a/enum must be a list of values",
  ],
  [
    "a tuple as in draft 7",
    object({ properties: { a: { items: [{}] } } }),
    "#/properties/a/items must be one schema; a list of them is called prefixItems",
  ],
  [
    "a reference to a file",
    object({ properties: { a: { $ref: "a.json" } } }),
    '#/properties/a/$ref leads to "a.json", which is not in this schema; only "#/…" is followed',
  ],
  [
    "a reference to a URL",
    object({ properties: { a: { $ref: "https://example.com/a.json#/x" } } }),
    '#/properties/a/$ref leads to "https://example.com/a.json#/x", which is not in this schema; only "#/…" is followed',
  ],
  [
    "a reference to nothing",
    object({ properties: { a: { $ref: "#/$defs/a" } } }),
    '#/properties/a/$ref leads to "#/$defs/a", which is not in this schema; only "#/…" is followed',
  ],
  [
    "a reference into Object.prototype",
    object({ properties: { a: { $ref: "#/constructor" } } }),
    '#/properties/a/$ref leads to "#/constructor", which is not in this schema; only "#/…" is followed',
  ],
  [
    "references in a circle",
    object({ $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }),
    "#/$defs/a/$ref leads back to itself",
  ],
  [
    "what a reference hides",
    object({ x: { type: "no" }, properties: { a: { $ref: "#/x" } } }),
    "#/x/type must be one of array, boolean, integer, null, number, object, string, or a list of them",
  ],
  [
    "a keyword that would not be held",
    object({ unevaluatedProperties: false }),
    "#/unevaluatedProperties is not checked here; use additionalProperties, or use a Standard Schema",
  ],
  [
    "a name with a slash",
    object({ properties: { "a/b": 1 } }),
    "#/properties/a~1b must be a schema: an object, true or false",
  ],
];

for (const [subject, schema, message] of REFUSED) {
  Deno.test(`schema definition: ${subject} is refused`, () => {
    throws(() => check(schema), { name: "TypeError", message: `parameters of t: ${message}` });
  });
}

Deno.test("schema definition: cycles and depth without end are refused", () => {
  const cyclic: Record<string, unknown> = { type: "object" };
  cyclic.properties = { a: cyclic };
  throws(() => check(cyclic), /must be an object of JSON/);
  let deep: object = {};
  for (let level = 0; level < 100; level++) deep = { items: deep };
  throws(() => check(object({ properties: { a: deep } })), /is nested deeper than 64/);
});

Deno.test("schema definition: unknown keywords, boolean schemas and recursion pass", () => {
  const schema = object({
    "x-order": 1,
    properties: { any: true, next: { $ref: "#" }, list: { items: { $ref: "#/$defs/a~1b" } } },
    $defs: { "a/b": { type: "number", pattern: "^x" } },
  });
  const sound = check(schema);
  deepEqual(sound.schema, schema);
  deepEqual([...sound.patterns], ["^x"]);
});

Deno.test("schema definition: what is kept is a frozen copy", () => {
  const schema = object({ properties: { a: { enum: ["x"] } } });
  const sound = check(schema);
  (schema as { type: string }).type = "string";
  equal(sound.schema.type, "object");
  throws(
    () => void ((sound.schema.properties as { a: { enum: string[] } }).a.enum[0] = "y"),
    TypeError,
  );
});

Deno.test("schema definition: a library's schema may say what is not held here", () => {
  const schema = object({ properties: { a: { pattern: "^(?=x)" } }, unevaluatedProperties: false });
  deepEqual([...checkSchema(schema, { name: "t", enforced: false }).patterns], []);
  throws(
    () => checkSchema(object({ $ref: "#/nowhere" }), { name: "t", enforced: false }),
    /leads to/,
  );
});
