import { deepEqual, equal } from "node:assert/strict";
import type { JsonSchema } from "../contracts/tool.ts";
import { defineTool } from "./define_tool.ts";
import { checkSchema } from "./schema/check_schema.ts";
import { typeText } from "./schema/type_text.ts";
import { toolPrompt } from "./tool_prompt.ts";

function typeOf(schema: JsonSchema): string {
  const root = checkSchema(schema, { name: "t", ofObject: false }).schema;
  return typeText(root, { root, comments: true });
}

const TYPES: readonly (readonly [JsonSchema, string])[] = [
  [{ type: "string" }, "string"],
  [{ type: "integer" }, "number"],
  [{ type: ["string", "null"] }, "string | null"],
  [{}, "any"],
  [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
  [{ const: true }, "true"],
  [{ type: "array", items: { type: "string" } }, "string[]"],
  [{ type: "array", items: { enum: ["a", "b"] } }, '("a" | "b")[]'],
  [{ type: "array", items: { const: "a|b" } }, '"a|b"[]'],
  [{ type: "array" }, "any[]"],
  [{ prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
  [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, "[string, ...number[]]"],
  [
    { type: "object", properties: { a: { type: "string" }, "b-c": {} }, required: ["a"] },
    '{ a: string; "b-c"?: any }',
  ],
  [{ type: "object", properties: {}, additionalProperties: false }, "{}"],
  [{ type: "object" }, "Record<string, any>"],
  [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
  [{ type: "object", patternProperties: { "^x": { type: "number" } } }, "Record<string, number>"],
  [
    { properties: { a: {} }, additionalProperties: { type: "number" } },
    "{ a?: any; [key: string]: number }",
  ],
  [{ anyOf: [{ type: "string" }, { type: "null" }, { type: "string" }] }, "string | null"],
  [{
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
    type: "object",
    properties: { a: {}, b: {} },
  }, "{ a?: any; b?: any }"],
  [{
    allOf: [{ type: "object", properties: { a: {} } }, {
      anyOf: [{ type: "string" }, { type: "null" }],
    }],
  }, "{ a?: any } & (string | null)"],
  [{ items: { $ref: "#" }, type: "array" }, "any[][]"],
  [{ $defs: { n: { type: "number" } }, items: { $ref: "#/$defs/n" }, type: "array" }, "number[]"],
  [
    {
      type: "object",
      properties: {
        city: { type: "string", description: "The city" },
        days: {
          type: "integer",
          minimum: 1,
          maximum: 7,
          default: 3,
          description: "How far\n ahead */ to look",
        },
        since: { type: "string", format: "date" },
        code: { type: "string", pattern: "^[A-Z]{3}$" },
        most: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
      },
    },
    "{ city?: string; days?: number /* How far ahead * / to look, 1..7, default 3 */; since?: string /* date */; code?: string /* /^[A-Z]{3}$/ */; most?: number }",
  ],
];

for (const [schema, text] of TYPES) {
  Deno.test(`type text: ${JSON.stringify(schema).slice(0, 60)}`, () => equal(typeOf(schema), text));
}

const tool = (
  name: string,
  parameters: JsonSchema,
  more: { description?: string; returns?: JsonSchema } = {},
) => defineTool({ name, description: name, parameters, execute: () => 1, ...more });

Deno.test("tool prompt: one line a tool, its description behind it", () => {
  const weather = tool("get-weather", {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  }, {
    description: "The weather\nin a city",
    returns: { type: "object", properties: { degrees: { type: "number" } }, required: ["degrees"] },
  });
  const clock = tool("now", { type: "object", properties: {} }, { description: "The time" });
  const list = tool("list", { type: "object", properties: { limit: { type: "integer" } } }, {
    description: "Lists",
  });
  deepEqual(toolPrompt([weather, clock, list]), {
    text:
      "declare function get_weather(args: { city: string }): { degrees: number }; // The weather in a city\n" +
      "declare function now(): any; // The time\n" +
      "declare function list(args?: { limit?: number }): any; // Lists",
    cut: [],
  });
});

Deno.test("tool prompt: what is used twice or contains itself is a type of its own, said once for all tools", () => {
  const $defs = {
    node: {
      type: "object",
      properties: { kids: { type: "array", items: { $ref: "#/$defs/node" } } },
    },
    place: { type: "object", properties: { x: { type: "number" } } },
  };
  const both = { from: { $ref: "#/$defs/place" }, to: { $ref: "#/$defs/place" } };
  const first = tool("a", {
    type: "object",
    $defs,
    properties: { ...both, tree: { $ref: "#/$defs/node" } },
  });
  const second = tool("b", { type: "object", $defs, properties: both });
  const other = tool("c", {
    type: "object",
    $defs: { place: { type: "string", enum: ["x"] } },
    properties: both,
  });
  equal(
    toolPrompt([first, second, other]).text,
    "declare function a(args?: { from?: Place; to?: Place; tree?: Node }): any; // a\n" +
      "declare function b(args?: { from?: Place; to?: Place }): any; // b\n" +
      "declare function c(args?: { from?: Place2; to?: Place2 }): any; // c\n" +
      "type Place = { x?: number };\n" +
      "type Node = { kids?: Node[] };\n" +
      'type Place2 = "x";',
  );
});

Deno.test("tool prompt: arguments that contain themselves have a name", () => {
  const { text } = toolPrompt([tool("a", { type: "object", properties: { next: { $ref: "#" } } })]);
  equal(
    text,
    "declare function a(args?: { next?: Args }): any; // a\ntype Args = { next?: Args };",
  );
});

Deno.test("tool prompt: a type that is too long loses its comments first, then its depth", () => {
  const leaf = (words: string) => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from(
        { length: 12 },
        (_, index) => [`field${index}`, { type: "string", description: words }],
      ),
    ),
  });
  const long = tool("a", {
    type: "object",
    properties: { x: leaf("Some words on what this one is good for") },
  });
  const { text, cut } = toolPrompt([long]);
  equal(text.includes("Some words"), true);
  deepEqual(cut, []);
  const longer = tool("b", {
    type: "object",
    properties: { x: leaf("w".repeat(98)), y: leaf("w".repeat(98)) },
  });
  equal(
    /^declare function b\(args\?: \{ x\?: \{ field0\?: string; /.test(toolPrompt([longer]).text),
    true,
  );
  deepEqual(toolPrompt([longer]).cut, [longer]);
  const many = Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [`part${index}`, leaf("")]),
  );
  const longest = tool("c", { type: "object", properties: many });
  equal(
    toolPrompt([longest]).text,
    `declare function c(args?: { ${
      Object.keys(many).map((name) => `${name}?: object`).join("; ")
    } }): any; // c`,
  );
  const endless = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`part${index}`, {}]),
  );
  equal(
    toolPrompt([tool("d", { type: "object", properties: endless })]).text,
    "declare function d(args?: object): any; // d",
  );
});

Deno.test("tool prompt: a description stays on its line and within its bound", () => {
  const { text, cut } = toolPrompt([
    tool("a", { type: "object" }, { description: `One\u2028two\r\nthree ${"word ".repeat(200)}` }),
  ]);
  equal(text.split(/[\n\r\u2028]/).length, 1);
  equal(text.length < 450, true);
  equal(text.endsWith("word…"), true);
  equal(cut.length, 1);
});
