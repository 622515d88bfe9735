/** Schemas of libraries, at the versions that were the newest when this was written. */
import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@1.8.0";
import { type } from "npm:arktype@2.2.10";
import * as v from "npm:valibot@1.5.0";
import * as z from "npm:zod@4.6.7";
import type { CallContext } from "../contracts/sandbox.ts";
import { callTool } from "./call_tool.ts";
import { defineTool } from "./define_tool.ts";
import type { StandardSchema } from "./standard_schema.ts";

const CONTEXT = { signal: new AbortController().signal } as CallContext;

const zodTool = defineTool({
  name: "zod_tool",
  description: "d",
  parameters: z.object({
    city: z.string(),
    days: z.int().min(1).default(3),
    when: z.iso.date().transform((text) => new Date(text)).optional(),
  }),
  returns: z.object({ degrees: z.number() }),
  execute: ({ city, days, when }) => {
    const told: [string, number, Date | undefined] = [city, days, when];
    return [told[0], told[1], told[2]?.getTime() ?? null];
  },
});

const valibotTool = defineTool({
  name: "valibot_tool",
  description: "d",
  parameters: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 3) })),
  execute: ({ city, days }) => {
    const told: [string, number] = [city, days];
    return told;
  },
});

const arktypeTool = defineTool({
  name: "arktype_tool",
  description: "d",
  parameters: type({ city: "string", days: "number = 3" }),
  execute: ({ city, days }) => {
    const told: [string, number] = [city, days];
    return told;
  },
});

for (const tool of [zodTool, valibotTool, arktypeTool]) {
  Deno.test(`standard schema: ${tool.name} tells its JSON Schema, with what goes in`, () => {
    equal(tool.parameters.type, "object");
    deepEqual((tool.parameters.properties as Record<string, unknown>).city, { type: "string" });
    deepEqual(tool.parameters.required, ["city"]);
  });

  Deno.test(`standard schema: ${tool.name} fills in defaults and names path and value of a fault`, async () => {
    const result = await callTool(tool, { args: { city: "Oslo" }, context: CONTEXT });
    deepEqual((result as unknown[]).slice(0, 2), ["Oslo", 3]);
    const checked = await tool.check({ city: 5 });
    equal(checked.ok, false);
    const [issue] = checked.ok ? [] : checked.issues;
    equal(/^\$\.city: .*string.*, got 5 \(number\)$/.test(issue ?? ""), true, issue);
    equal((await tool.check("Oslo")).ok, false);
  });
}

Deno.test("standard schema: zod's conversions reach execute, and what it returns is declared", async () => {
  const args = { city: "Oslo", days: 1, when: "2026-01-02" };
  deepEqual(await callTool(zodTool, { args, context: CONTEXT }), ["Oslo", 1, Date.UTC(2026, 0, 2)]);
  equal(zodTool.returns?.type, "object");
});

Deno.test("standard schema: a schema that tells no JSON Schema is refused with the way out, and taken with one", async () => {
  const parameters = v.object({ city: v.string() });
  throws(
    () => defineTool({ name: "t", description: "d", parameters, execute: () => 1 }),
    {
      name: "TypeError",
      message:
        "parameters of t: this schema of valibot tells no JSON Schema; give one as jsonSchema, or wrap the schema with toStandardJsonSchema of @valibot/to-json-schema",
    },
  );
  const tool = defineTool({
    name: "t",
    description: "d",
    parameters,
    jsonSchema: { type: "object", properties: { city: { type: "string" } } },
    execute: ({ city }) => city,
  });
  equal(await callTool(tool, { args: { city: "Oslo" }, context: CONTEXT }), "Oslo");
});

Deno.test("standard schema: what a library cannot say as JSON Schema is refused with its reason", () => {
  throws(
    () =>
      defineTool({
        name: "t",
        description: "d",
        parameters: z.object({ at: z.date() }),
        execute: () => 1,
      }),
    /^TypeError: parameters of t: zod has no JSON Schema for it \(.*\); give one as jsonSchema$/,
  );
  throws(
    () => defineTool({ name: "t", description: "d", parameters: z.string(), execute: () => 1 }),
    /#\/type must be "object"/,
  );
});

Deno.test("standard schema: a schema that tells no JSON Schema is refused with what does, a list of schemas with how to make one", () => {
  const older = (vendor: string) => {
    const props = { version: 1, vendor, validate: (value: unknown) => ({ value }) } as const;
    return { name: "t", description: "d", parameters: { "~standard": props }, execute: () => 1 };
  };
  throws(
    () => defineTool(older("zod")),
    /parameters of t: this schema of zod tells no JSON Schema; give one as jsonSchema, such as z\.toJSONSchema\(schema\) of zod 4, or take zod 4\.2 or later$/,
  );
  throws(() => defineTool(older("other")), /tells no JSON Schema; give one as jsonSchema$/);
  throws(
    () =>
      defineTool({
        name: "t",
        description: "d",
        parameters: { city: z.string() } as never,
        execute: () => 1,
      }),
    /parameters of t: city is a schema of zod by itself; make one schema of all arguments, such as z\.object\(\{ city: … \}\)$/,
  );
});

Deno.test("standard schema: checks that take their time are waited for", async () => {
  const tool = defineTool({
    name: "t",
    description: "d",
    parameters: z.object({
      name: z.string().refine((name) => Promise.resolve(name !== "taken"), "is taken"),
    }),
    execute: ({ name }) => name,
  });
  equal(await callTool(tool, { args: { name: "free" }, context: CONTEXT }), "free");
  await rejects(callTool(tool, { args: { name: "taken" }, context: CONTEXT }), {
    message: 'the arguments of t do not fit: $.name: is taken, got "taken" (string)',
  });
});

Deno.test("standard schema: faults are bounded, and a message that may quote a long value is not told", async () => {
  const secret = "s".repeat(300);
  const parameters: StandardSchema<unknown, { a: string }> = {
    "~standard": {
      version: 1,
      vendor: "made-up",
      validate: () => ({
        issues: Array.from({ length: 20 }, (_, index) => ({
          message: index === 0 ? `bad: ${secret}` : "bad",
          path: ["list", { key: index }, Symbol("s")],
        })),
      }),
    },
  };
  const tool = defineTool({
    name: "t",
    description: "d",
    parameters,
    jsonSchema: { type: "object" },
    execute: ({ a }) => a,
  });
  const checked = await tool.check({ list: [1] });
  const issues = checked.ok ? [] : checked.issues;
  equal(issues.length, 9);
  equal(issues[0], '$.list[0]["Symbol(s)"]: does not fit, got nothing');
  equal(issues.at(-1), "and 12 more");
});
