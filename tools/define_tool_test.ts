import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import type { CallContext } from "../contracts/sandbox.ts";
import type { JsonSchema, Tool } from "../contracts/tool.ts";
import { callTool } from "./call_tool.ts";
import { defineTool, type ToolDefinition } from "./define_tool.ts";

const CONTEXT = { signal: new AbortController().signal } as CallContext;

const weather = defineTool({
  name: "get_weather",
  description: "The weather in a city",
  parameters: {
    type: "object",
    properties: {
      city: { type: "string" },
      days: { type: "integer", minimum: 1 },
      unit: { enum: ["C", "F"] },
      spots: {
        type: "array",
        items: { type: "object", properties: { x: { type: ["number", "null"] } }, required: ["x"] },
      },
    },
    required: ["city"],
  },
  execute: ({ city, days, unit, spots }) => {
    // The types are those that the schema says; a wrong one would not compile.
    const told: [string, number | undefined, "C" | "F" | undefined, number | null | undefined] = [
      city,
      days,
      unit,
      spots?.[0]?.x,
    ];
    return told.filter((part) => part !== undefined);
  },
});

/** A JSON Schema as some library types it. */
interface SchemaOfLibrary {
  type?: "object" | "string" | undefined;
  properties?: Record<string, SchemaOfLibrary> | undefined;
}

Deno.test("tool: a schema may have the type that a library gives it", async () => {
  const parameters: SchemaOfLibrary = { type: "object", properties: { a: { type: "string" } } };
  const tool = defineTool({ name: "t", description: "d", parameters, execute: ({ a }) => a });
  equal(await callTool(tool, { args: { a: "x" }, context: CONTEXT }), "x");
});

Deno.test("tool: a schema whose text the compiler does not know gives arguments by name", async () => {
  const parameters: JsonSchema = JSON.parse('{"type":"object"}');
  const tool = defineTool({
    name: "t",
    description: "d",
    parameters,
    execute: (args) => Object.keys(args),
  });
  deepEqual(await callTool(tool, { args: { a: 1 }, context: CONTEXT }), ["a"]);
});

Deno.test("tool: arguments that fit reach execute as they were written", async () => {
  const args = { city: "Oslo", days: 2, unit: "C", spots: [{ x: null }] };
  deepEqual(await callTool(weather, { args, context: CONTEXT }), ["Oslo", 2, "C", null]);
});

Deno.test("tool: arguments that do not fit never reach execute", async () => {
  let calls = 0;
  const tool = defineTool({
    name: "t",
    description: "d",
    parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    execute: () => calls++,
  });
  await rejects(callTool(tool, { args: { n: "1" }, context: CONTEXT }), {
    name: "TypeError",
    message: 'the arguments of t do not fit: $.n: expected number, got "1" (string)',
  });
  for (const args of [{}, null, [], "x", 5, undefined]) {
    await rejects(callTool(tool, { args, context: CONTEXT }), TypeError);
  }
  equal(calls, 0);
});

Deno.test("tool: a call that has ended meanwhile does not begin", async () => {
  const controller = new AbortController();
  controller.abort(new Error("gone"));
  await rejects(
    callTool(weather, {
      args: { city: "Oslo" },
      context: { signal: controller.signal } as CallContext,
    }),
    /gone/,
  );
});

Deno.test("tool: many long faults still fit into one message, in whole lines", async () => {
  const properties = Object.fromEntries(
    Array.from(
      { length: 8 },
      (
        _,
        index,
      ) => [`p${index}`, {
        enum: Array.from({ length: 12 }, (_, choice) => `${"choice ".repeat(3)}${choice}`),
      }],
    ),
  );
  const tool = defineTool({
    name: "t",
    description: "d",
    parameters: { type: "object", properties },
    execute: () => 1,
  });
  const args = Object.fromEntries(Object.keys(properties).map((name) => [name, 1]));
  await rejects(callTool(tool, { args, context: CONTEXT }), (error: Error) => {
    equal(new TextEncoder().encode(error.message).length <= 1024, true);
    match(error.message, /\(number\); \d more$/);
    return true;
  });
});

Deno.test("tool: a definition that cannot be used is refused", () => {
  const good = {
    name: "t",
    description: "d",
    parameters: { type: "object" },
    execute: () => 1,
  } as const;
  const cases: readonly (readonly [Partial<ToolDefinition>, RegExp])[] = [
    [{ name: "" }, /is no name of a tool/],
    [
      { name: "1st-tool" },
      /"1st-tool" is no name of a tool: letters, digits, "_" and "-", first a letter or "_", at most 64 characters/,
    ],
    [{ name: "catalog.query" }, /is no name of a tool/],
    [{ name: "a".repeat(65) }, /is no name of a tool/],
    [{ name: "naïve" }, /is no name of a tool/],
    [{ name: 5 as never }, /5 is no name of a tool/],
    [{ description: " " }, /t: the description must say what the tool does/],
    [{ execute: undefined as never }, /t: execute must be a function/],
    [{ timeoutMs: 0 }, /t: timeoutMs must be above 0/],
    [{ parameters: { type: "array" } }, /parameters of t: #\/type must be "object"/],
    [{ returns: { $ref: "#/x" } }, /returns of t: #\/\$ref leads to/],
    [{ jsonSchema: { type: "object" } }, /jsonSchema is for a library's schema/],
    [
      { sideEffects: true } as never,
      /^TypeError: t: there is no field sideEffects; there are name, /,
    ],
  ];
  for (const [change, message] of cases) {
    throws(() => defineTool({ ...good, ...change } as ToolDefinition), message);
  }
  for (const name of ["a", "_a", "A-b_9", "a".repeat(64)]) {
    equal(defineTool({ ...good, name }).name, name);
  }
});

Deno.test("tool: what is set is carried, and nothing can be changed", () => {
  const target = () => "x";
  const preview = () => "y";
  const tool: Tool = defineTool({
    name: "t",
    description: "d",
    parameters: { type: "object" },
    returns: { type: "number" },
    sideEffect: true,
    safe: true,
    timeoutMs: 5,
    target,
    preview,
    execute: () => 1,
  });
  const { check: _check, execute: _execute, ...data } = tool;
  deepEqual(data, {
    name: "t",
    description: "d",
    parameters: { type: "object" },
    returns: { type: "number" },
    sideEffect: true,
    safe: true,
    timeoutMs: 5,
    target,
    preview,
  });
  throws(() => Object.assign(tool, { name: "u" }), TypeError);
  deepEqual(Object.keys(weather).sort(), ["check", "description", "execute", "name", "parameters"]);
});
