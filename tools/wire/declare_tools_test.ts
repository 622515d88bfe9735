import { deepEqual, equal, throws } from "node:assert/strict";
import type { JsonSchema } from "../../contracts/tool.ts";
import { defineTool } from "../define_tool.ts";
import { checkSchema } from "../schema/check_schema.ts";
import { compilePatterns } from "../schema/pattern.ts";
import { findIssues } from "../schema/validate.ts";
import { PROVIDER_RULES } from "./_provider_rules.ts";
import { declareTools, type ToolDialect } from "./declare_tools.ts";

const object = (properties: object, more: object = {}): JsonSchema =>
  ({ type: "object", properties, ...more }) as JsonSchema;

const tool = (parameters: JsonSchema, name = "t", description = "d") =>
  defineTool({ name, description, parameters, execute: () => 1 });

/** What a form makes of a schema: the schema that is sent, or the beginning of why it is refused. */
interface Row {
  readonly subject: string;
  readonly schema: JsonSchema;
  readonly plain?: JsonSchema | string;
  readonly strict?: JsonSchema | string;
  readonly gemini?: JsonSchema | string;
  readonly openapi?: JsonSchema | string;
  /** Keywords that are left out with a note, by form. */
  readonly lost?: Partial<Record<ToolDialect, readonly string[]>>;
}

const STRING = { type: "string" };
const closed = (properties: object) =>
  object(properties, { required: Object.keys(properties), additionalProperties: false });
const upper = (properties: object, more: object = {}) =>
  ({ type: "OBJECT", properties, ...more }) as JsonSchema;

const TABLE: readonly Row[] = [
  {
    subject: "no arguments",
    schema: { type: "object" },
    plain: object({}),
    strict: closed({}),
    gemini: object({}),
    openapi: "none",
  },
  {
    subject: "a required text",
    schema: object({ a: STRING }, {
      required: ["a"],
      $schema: "https://json-schema.org/draft/2020-12/schema",
    }),
    plain: object({ a: STRING }, { required: ["a"] }),
    strict: closed({ a: STRING }),
    gemini: object({ a: STRING }, { required: ["a"] }),
    openapi: upper({ a: { type: "STRING" } }, { required: ["a"] }),
  },
  {
    subject: "an optional property",
    schema: object({ a: STRING }),
    strict: "#/properties/a is not required",
    openapi: upper({ a: { type: "STRING" } }),
  },
  {
    subject: "null beside a type",
    schema: object({
      a: { type: ["string", "null"] },
      b: { anyOf: [{ type: "number" }, { type: "null" }] },
    }, { required: ["a", "b"] }),
    strict: closed({
      a: { type: ["string", "null"] },
      b: { anyOf: [{ type: "number" }, { type: "null" }] },
    }),
    openapi: upper(
      { a: { type: "STRING", nullable: true }, b: { type: "NUMBER", nullable: true } },
      { required: ["a", "b"] },
    ),
  },
  {
    subject: "constants and choices",
    schema: object({
      a: { const: "x" },
      b: { enum: ["y", null] },
      c: { type: "integer", enum: [1, 2] },
      d: { type: "boolean", const: true },
    }),
    gemini: object({
      a: { enum: ["x"] },
      b: { anyOf: [{ enum: ["y"], type: "string" }, { type: "null" }] },
      c: { type: "integer", enum: [1, 2] },
      d: { type: "boolean" },
    }),
    openapi: upper({
      a: { type: "STRING", format: "enum", enum: ["x"] },
      b: { type: "STRING", nullable: true, format: "enum", enum: ["y"] },
      c: { type: "INTEGER", format: "enum", enum: ["1", "2"] },
      d: { type: "BOOLEAN" },
    }),
    lost: { gemini: ["#/properties/d/enum"], "gemini-openapi": ["#/properties/d/enum"] },
  },
  {
    subject: "one of several",
    schema: object({ a: { oneOf: [STRING, { type: "number" }] } }, { required: ["a"] }),
    plain: object({ a: { oneOf: [STRING, { type: "number" }] } }, { required: ["a"] }),
    strict: closed({ a: { anyOf: [STRING, { type: "number" }] } }),
    gemini: object({ a: { anyOf: [STRING, { type: "number" }] } }, { required: ["a"] }),
    openapi: upper({ a: { anyOf: [{ type: "STRING" }, { type: "NUMBER" }] } }, { required: ["a"] }),
  },
  {
    subject: "several types",
    schema: object({
      a: { type: ["string", "array"], items: STRING, maxLength: 3, description: "x" },
    }),
    openapi: upper({
      a: {
        description: "x",
        anyOf: [{ type: "STRING", maxLength: "3" }, { type: "ARRAY", items: { type: "STRING" } }],
      },
    }),
    lost: { gemini: ["#/properties/a/maxLength"] },
  },
  {
    subject: "all of several",
    schema: object({
      a: {
        allOf: [
          object({ x: STRING }, { required: ["x"] }),
          object({ y: STRING }, { required: ["y"] }),
        ],
      },
    }, { required: ["a"] }),
    strict: closed({ a: closed({ x: STRING, y: STRING }) }),
    gemini: object({ a: object({ x: STRING, y: STRING }, { required: ["x", "y"] }) }, {
      required: ["a"],
    }),
    openapi: upper({
      a: upper({ x: { type: "STRING" }, y: { type: "STRING" } }, { required: ["x", "y"] }),
    }, { required: ["a"] }),
  },
  {
    subject: "all of what cannot be joined",
    schema: object({ a: { allOf: [{ type: "string", pattern: "^a" }, { pattern: "b$" }] } }),
    strict: "#/properties/a/allOf/1 says pattern once more",
    gemini: "#/properties/a/allOf/1 says pattern once more",
    openapi: "#/properties/a/allOf/1 says pattern once more",
  },
  {
    subject: "references",
    schema: object({ a: { $ref: "#/definitions/p", description: "x" } }, {
      definitions: { p: object({ x: STRING }, { required: ["x"] }) },
      required: ["a"],
    }),
    strict: {
      ...closed({ a: { $ref: "#/$defs/p", description: "x" } }),
      $defs: { p: closed({ x: STRING }) },
    },
    gemini: object({ a: { $ref: "#/$defs/p" } }, {
      required: ["a"],
      $defs: { p: object({ x: STRING }, { required: ["x"] }) },
    }),
    openapi: upper({ a: upper({ x: { type: "STRING" } }, { required: ["x"], description: "x" }) }, {
      required: ["a"],
    }),
  },
  {
    subject: "what contains itself",
    schema: object({ a: { $ref: "#/$defs/n" } }, {
      $defs: { n: object({ kids: { type: "array", items: { $ref: "#/$defs/n" } } }) },
    }),
    gemini: object({ a: { $ref: "#/$defs/n" } }, {
      $defs: { n: object({ kids: { type: "array", items: { $ref: "#/$defs/n" } } }) },
    }),
    openapi: "#/properties/a/properties/kids/items contains itself by #/$defs/n",
  },
  {
    subject: "what contains itself by need",
    schema: object({ a: { $ref: "#/$defs/n" } }, {
      $defs: {
        n: object({ kids: { type: "array", items: { $ref: "#/$defs/n" } } }, {
          required: ["kids"],
        }),
      },
    }),
    gemini: "#/$defs/n contains itself by a required property",
  },
  {
    subject: "what contains itself by need, in definitions",
    schema: object({ a: { $ref: "#/definitions/n" } }, {
      definitions: { n: object({ kid: { $ref: "#/definitions/n" } }, { required: ["kid"] }) },
    }),
    gemini: "#/$defs/n contains itself by a required property",
    openapi: "#/properties/a/properties/kid contains itself by #/definitions/n",
  },
  {
    subject: "a reference that leads elsewhere than into $defs",
    schema: object({ a: STRING, b: { $ref: "#/properties/a" } }),
    gemini: "#/properties/b refers to #/properties/a",
    openapi: upper({ a: { type: "STRING" }, b: { type: "STRING" } }),
  },
  {
    subject: "names of any kind",
    schema: object({ a: { type: "object", additionalProperties: { type: "number" } } }, {
      required: ["a"],
    }),
    strict: "#/properties/a has names of any kind",
    gemini: object({ a: { type: "object", additionalProperties: { type: "number" } } }, {
      required: ["a"],
    }),
    openapi: "#/properties/a has names of any kind",
  },
  {
    subject: "an object that says nothing of its members",
    schema: object({ a: { type: "object" } }, { required: ["a"] }),
    strict: "#/properties/a has names of any kind",
    gemini: object({ a: { type: "object" } }, { required: ["a"] }),
    openapi: "#/properties/a is an object without properties",
  },
  {
    subject: "names by pattern",
    schema: object({ a: { type: "object", patternProperties: { "^x": STRING } } }),
    strict: "#/properties/a has names by pattern",
    gemini: "#/properties/a has names by pattern",
    openapi: "#/properties/a is an object without properties",
  },
  {
    subject: "a tuple",
    schema: object({ a: { type: "array", prefixItems: [STRING, { type: "number" }] } }, {
      required: ["a"],
    }),
    strict: "#/properties/a is a list with a schema for each place",
    gemini: object({ a: { type: "array", prefixItems: [STRING, { type: "number" }] } }, {
      required: ["a"],
    }),
    openapi: "#/properties/a is a list with a schema for each place",
  },
  {
    subject: "a list without items",
    schema: object({ a: { type: "array" } }, { required: ["a"] }),
    strict: "#/properties/a is a list without items",
    openapi: "#/properties/a is a list without items",
  },
  {
    subject: "anything",
    schema: object({ a: {} }, { required: ["a"] }),
    strict: "#/properties/a takes anything",
    gemini: object({ a: {} }, { required: ["a"] }),
    openapi: "#/properties/a names no type",
  },
  {
    subject: "bounds, formats and defaults",
    schema: object({
      a: { type: "integer", exclusiveMinimum: 0, default: 5 },
      b: { type: "number", exclusiveMaximum: 1, multipleOf: 0.5 },
      c: { type: "string", format: "uri", minLength: 1, pattern: "^h" },
      d: { type: "string", format: "date-time" },
      e: { type: "array", items: STRING, uniqueItems: true, maxItems: 3 },
    }, { required: ["a", "b", "c", "d", "e"] }),
    strict: closed({
      a: { type: "integer", exclusiveMinimum: 0, description: "Default: 5" },
      b: { type: "number", exclusiveMaximum: 1, multipleOf: 0.5 },
      c: { type: "string", pattern: "^h" },
      d: { type: "string", format: "date-time" },
      e: { type: "array", items: STRING, maxItems: 3 },
    }),
    gemini: object({
      a: { type: "integer", minimum: 1, description: "Default: 5" },
      b: { type: "number" },
      c: { type: "string", format: "uri" },
      d: { type: "string", format: "date-time" },
      e: { type: "array", items: STRING, maxItems: 3 },
    }, { required: ["a", "b", "c", "d", "e"] }),
    openapi: upper({
      a: { type: "INTEGER", minimum: 1, default: 5 },
      b: { type: "NUMBER" },
      c: { type: "STRING", minLength: "1", pattern: "^h" },
      d: { type: "STRING", format: "date-time" },
      e: { type: "ARRAY", items: { type: "STRING" }, maxItems: "3" },
    }, { required: ["a", "b", "c", "d", "e"] }),
    lost: {
      "openai-strict": [
        "#/properties/c/minLength",
        "#/properties/c/format",
        "#/properties/e/uniqueItems",
      ],
      gemini: [
        "#/properties/b/exclusiveMaximum",
        "#/properties/b/multipleOf",
        "#/properties/c/minLength",
        "#/properties/c/pattern",
        "#/properties/e/uniqueItems",
      ],
      "gemini-openapi": [
        "#/properties/b/exclusiveMaximum",
        "#/properties/b/multipleOf",
        "#/properties/c/format",
        "#/properties/e/uniqueItems",
      ],
    },
  },
  {
    subject: "conditions on what is declared",
    schema: object({ a: STRING, b: STRING }, {
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
      not: { required: ["a", "b"] },
    }),
    plain: object({ a: STRING, b: STRING }),
    gemini: "# has alternatives at the top",
    openapi: "#/anyOf/0 names no type",
    lost: { openai: ["#/anyOf", "#/not"], anthropic: ["#/anyOf", "#/not"] },
  },
  {
    subject: "alternatives at the top that declare",
    schema: object({}, { oneOf: [object({ a: STRING }), object({ b: STRING })] }),
    plain: "#/oneOf declares properties",
    strict: "#/anyOf/0/properties/a is not required",
    gemini: "# has alternatives at the top",
  },
];

const FORMS = {
  openai: "plain",
  anthropic: "plain",
  "openai-strict": "strict",
  gemini: "gemini",
  "gemini-openapi": "openapi",
} as const;

function schemaIn(declared: object): JsonSchema | undefined {
  const { function: inner, input_schema, parametersJsonSchema, parameters } = declared as Record<
    string,
    never
  >;
  return inner === undefined
    ? input_schema ?? parametersJsonSchema ?? parameters
    : (inner as { parameters: JsonSchema }).parameters;
}

async function holdsRules(dialect: ToolDialect, declared: object): Promise<readonly string[]> {
  const sound = checkSchema(PROVIDER_RULES[dialect], { name: dialect });
  return findIssues(JSON.parse(JSON.stringify(declared)), {
    sound,
    matchers: await compilePatterns(sound.patterns),
  });
}

for (const row of TABLE) {
  for (const [dialect, column] of Object.entries(FORMS) as [ToolDialect, "plain"][]) {
    Deno.test(`declarations: ${row.subject} for ${dialect}`, async () => {
      const wanted = row[column] ?? (column === "plain" ? row.schema : undefined);
      if (typeof wanted === "string" && wanted !== "none") {
        throws(() => declareTools([tool(row.schema)], dialect), (error: Error) => {
          equal(error.name, "TypeError");
          equal(
            error.message.slice(error.message.indexOf(": ") + 2).startsWith(wanted),
            true,
            error.message,
          );
          return true;
        });
        return;
      }
      // What the table leaves open is held to the provider's rules, or refused with a path.
      if (wanted === undefined) {
        try {
          deepEqual(
            await holdsRules(dialect, declareTools([tool(row.schema)], dialect).tools[0]!),
            [],
          );
        } catch (error) {
          equal(
            (error as Error).message.startsWith("t cannot be declared for "),
            true,
            String(error),
          );
        }
        return;
      }
      const { tools: [declared], notes } = declareTools([tool(row.schema)], dialect);
      deepEqual(schemaIn(declared!), wanted === "none" ? undefined : wanted);
      deepEqual(
        notes.map((note) => /^t: (\S+) is left out/.exec(note)?.[1]),
        row.lost?.[dialect] ?? [],
      );
      deepEqual(await holdsRules(dialect, declared!), []);
    });
  }
}

Deno.test("declarations: names and descriptions stand where each provider looks for them", () => {
  const made = tool(object({ a: STRING }), "get-it", "Gets it");
  const parameters = object({ a: STRING });
  deepEqual(declareTools([made], "openai").tools, [{
    type: "function",
    function: { name: "get-it", description: "Gets it", parameters },
  }]);
  deepEqual(declareTools([made], "anthropic").tools, [{
    name: "get-it",
    description: "Gets it",
    input_schema: parameters,
  }]);
  deepEqual(declareTools([made], "gemini").tools, [{
    name: "get-it",
    description: "Gets it",
    parametersJsonSchema: parameters,
  }]);
  const strict = tool(object({ a: STRING }, { required: ["a"] }));
  equal(declareTools([strict], "openai-strict").tools[0]?.function.strict, true);
  throws(
    () => declareTools([made], "cohere" as ToolDialect),
    /there is no form "cohere"; there is: openai, openai-strict/,
  );
});

Deno.test("declarations: names of properties that a provider refuses are told with their path", () => {
  const odd = tool(
    object({ "first name": STRING, list: { type: "array", items: object({ "a/b": STRING }) } }),
  );
  throws(
    () => declareTools([odd], "anthropic"),
    /t cannot be declared for Anthropic: #\/properties\/first name has a name that is refused there/,
  );
  throws(
    () => declareTools([odd], "gemini-openapi"),
    /#\/properties\/first name has a name that is refused there/,
  );
  const nested = tool(object({ list: { type: "array", items: object({ "a/b": STRING }) } }));
  throws(
    () => declareTools([nested], "anthropic"),
    /#\/properties\/list\/items\/properties\/a~1b has a name/,
  );
  equal(declareTools([odd], "openai").tools.length, 1);
});

Deno.test("declarations: a description that some endpoints refuse is noted", () => {
  const { notes } = declareTools([tool(object({}), "t", "d".repeat(1_100))], "openai");
  deepEqual(notes, [
    "t: the description has 1100 characters; some endpoints of this wire (Azure) take 1,024 at most",
  ]);
});

Deno.test("declarations: more tools than OpenAI takes in a request are noted", () => {
  const many = Array.from({ length: 129 }, (_, index) => tool(object({}), `t${index}`));
  deepEqual(declareTools(many, "openai").notes, ["129 tools: OpenAI takes 128 in a request"]);
  deepEqual(declareTools(many, "gemini").notes, ["129 tools: Vertex AI takes 128 in a request"]);
  deepEqual(declareTools(many, "anthropic").notes, []);
});

Deno.test("declarations: twelve levels where strict mode takes ten are refused", () => {
  let schema: JsonSchema = STRING;
  for (let level = 0; level < 12; level++) schema = object({ a: schema }, { required: ["a"] });
  throws(() => declareTools([tool(schema)], "openai-strict"), /is nested deeper than 10 levels/);
});

Deno.test("declarations: references that multiply are refused where they must be written out", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `t${index}`,
      index === 29
        ? STRING
        : object({ a: { $ref: `#/$defs/t${index + 1}` }, b: { $ref: `#/$defs/t${index + 1}` } }),
    ]),
  );
  const made = tool(object({ a: { $ref: "#/$defs/t0" } }, { $defs }));
  throws(
    () => declareTools([made], "gemini-openapi"),
    /is one of more than 5000 schemas; say it flatter/,
  );
  equal(declareTools([made], "gemini").tools.length, 1);
});

Deno.test("declarations: nothing of a tool is changed by them", () => {
  const made = tool(
    object({ a: { const: "x" }, b: { oneOf: [STRING] } }, { required: ["a", "b"] }),
  );
  const before = JSON.stringify(made.parameters);
  for (const dialect of Object.keys(FORMS) as ToolDialect[]) declareTools([made], dialect);
  equal(JSON.stringify(made.parameters), before);
});

Deno.test("declarations: the rules that they are held to refuse what is wrong", async () => {
  const wrong: Readonly<Record<ToolDialect, object>> = {
    openai: {
      type: "function",
      function: { name: "a.b", description: "d", parameters: object({}) },
    },
    "openai-strict": {
      type: "function",
      function: { name: "t", description: "d", strict: true, parameters: object({ a: STRING }) },
    },
    anthropic: { name: "t", description: "d", input_schema: object({}, { anyOf: [] }) },
    gemini: { name: "t", description: "d", parametersJsonSchema: object({ a: { const: 1 } }) },
    "gemini-openapi": { name: "t", description: "d", parameters: upper({ a: STRING }) },
  };
  for (const dialect of Object.keys(FORMS) as ToolDialect[]) {
    equal((await holdsRules(dialect, wrong[dialect])).length > 0, true, dialect);
  }
});
