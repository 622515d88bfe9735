/** Makes tools: checks what an author says of one, and joins the schema with the code that it guards. */
import type { CallAim } from "../contracts/policy.ts";
import type { CallContext } from "../contracts/sandbox.ts";
import type { CheckedArguments, JsonSchema, Tool, ToolArguments } from "../contracts/tool.ts";
import { checkSchema, type SoundSchema } from "./schema/check_schema.ts";
import { compilePatterns, type Matcher } from "./schema/pattern.ts";
import { quickFit } from "./schema/quick_fit.ts";
import { isObject } from "./schema/schema_node.ts";
import { showValue } from "./schema/show_value.ts";
import { findIssues } from "./schema/validate.ts";
import type { SchemaValue } from "./schema_types.ts";
import {
  checkStandard,
  isStandardSchema,
  jsonSchemaOf,
  type StandardSchema,
} from "./standard_schema.ts";
import { checkToolName } from "./tool_name.ts";

/**
 * What `parameters` of a tool may be: a JSON Schema, or a schema of a library. Any object to the compiler, since libraries type a JSON Schema each in their own
 * way; what is none is refused when the tool is defined.
 */
export type ToolParameters = object | StandardSchema;

/** What `execute` gets: the output of a library's schema, or what a JSON Schema says where its text is known to the compiler. */
export type ToolInput<Parameters> = Parameters extends StandardSchema<infer _Input, infer Output>
  ? Output
  : Parameters extends { readonly type: "object" } ? SchemaValue<Parameters>
  : ToolArguments;

/** What {@linkcode defineTool} takes. */
export interface ToolDefinition<Parameters extends ToolParameters = ToolParameters> {
  /** Letters, digits, `_` and `-`, first a letter or `_`, at most 64 characters. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** The arguments, an object: JSON Schema (draft 2020-12), or a schema of zod, valibot, arktype or any other library with the Standard Schema interface. */
  readonly parameters: Parameters;
  /** JSON Schema of the arguments, for a library's schema that tells none itself. @default the schema's own */
  readonly jsonSchema?: object;
  /** What it gives, for the model: JSON Schema, or a library's schema that tells one. Not checked. */
  readonly returns?: ToolParameters;
  /** Whether it has consequences outside; the default policy then asks. @default false */
  readonly sideEffect?: boolean;
  /** Whether a call only looks: see `Tool.safe`. @default false */
  readonly safe?: boolean;
  /** Wall time that one call may take, in ms. @default 120_000 */
  readonly timeoutMs?: number;
  /** What a call is aimed at, for the policy. Sees the arguments as the model wrote them, not yet checked; may throw. */
  readonly target?: (args: ToolArguments) => string | CallAim | undefined;
  /** Shows a person what the call would do, in lines of text. May throw; must change nothing. */
  readonly preview?: (
    args: ToolInput<Parameters>,
  ) => string | undefined | Promise<string | undefined>;
  /** Does the work. Runs only with arguments that fit. What it returns must be a JSON value, or nothing; what it throws reaches the model, message only. */
  readonly execute: (args: ToolInput<Parameters>, context: CallContext) => unknown;
}

/**
 * Defines a tool.
 *
 * A JSON Schema is held to here: patterns in time linear to the text, formats `date`, `time`, `date-time`, `duration`, `email`, `hostname`, `ipv4`, `ipv6`,
 * `uri` and `uuid`, unknown keywords ignored. Defaults in it are told to the model and not filled in, and no type is converted: `execute` gets what was written.
 * A library's schema is held to by the library, with its defaults, conversions and patterns.
 *
 * @throws {TypeError} when the name, the description or a schema cannot be used, with the path in the schema, or there is no such field.
 *
 * @example
 * ```ts
 * import { defineTool } from "@agentloop/core/tools";
 *
 * const weather = defineTool({
 *   name: "get_weather",
 *   description: "The weather in a city",
 *   parameters: {
 *     type: "object",
 *     properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 7 } },
 *     required: ["city"],
 *   },
 *   execute: ({ city, days = 1 }) => ({ city, degrees: Array(days).fill(21) }),
 * });
 * const checked = await weather.check({ city: 5 });
 * console.log(checked.ok ? "fits" : checked.issues[0]); // $.city: expected string, got 5 (number)
 * ```
 */
export function defineTool<const Parameters extends ToolParameters>(
  definition: ToolDefinition<Parameters>,
): Tool {
  const { name, description, parameters, sideEffect, safe, timeoutMs, target } = definition;
  checkToolName(name);
  const unknown = Object.keys(definition).find((field) => !Object.hasOwn(FIELDS, field));
  if (unknown !== undefined) {
    const fields = Object.keys(FIELDS).join(", ");
    throw new TypeError(`${name}: there is no field ${unknown}; there are ${fields}`);
  }
  if (typeof description !== "string" || description.trim() === "") {
    throw new TypeError(`${name}: the description must say what the tool does`);
  }
  if (typeof definition.execute !== "function") {
    throw new TypeError(`${name}: execute must be a function`);
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs < 2 ** 31)) {
    throw new RangeError(`${name}: timeoutMs must be above 0 and below 2^31, not ${timeoutMs}`);
  }
  const sound = parametersOf(definition);
  const returns = returnsOf(definition);
  // The checks below make sure of what these get.
  const execute = definition.execute as Tool["execute"];
  const preview = definition.preview as Tool["preview"];
  return Object.freeze<Tool>({
    name,
    description,
    parameters: sound.schema,
    ...(returns === undefined ? {} : { returns }),
    ...(sideEffect === undefined ? {} : { sideEffect }),
    ...(safe === undefined ? {} : { safe }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(target === undefined ? {} : { target }),
    ...(preview === undefined ? {} : { preview }),
    check: isStandardSchema(parameters) ? standardCheck(parameters) : schemaCheck(sound),
    execute,
  });
}

/** Misspelt, a `sideEffect` would hold for nothing, and the default policy would not ask. */
const FIELDS: Readonly<Record<keyof ToolDefinition, true>> = {
  name: true,
  description: true,
  parameters: true,
  jsonSchema: true,
  returns: true,
  sideEffect: true,
  safe: true,
  timeoutMs: true,
  target: true,
  preview: true,
  execute: true,
};

/** Those fields of a definition that there are, for definitions in which others stand too. */
export function knownFields(definition: ToolDefinition): ToolDefinition {
  const known = Object.entries(definition).filter(([field]) => Object.hasOwn(FIELDS, field));
  return Object.fromEntries(known) as unknown as ToolDefinition;
}

function parametersOf({ name, parameters, jsonSchema }: ToolDefinition): SoundSchema {
  const what = `parameters of ${name}`;
  if (!isStandardSchema(parameters)) {
    refuseSchemasInside(parameters, what);
    if (jsonSchema !== undefined) {
      throw new TypeError(
        `${name}: jsonSchema is for a library's schema; parameters is one of JSON itself`,
      );
    }
    return checkSchema(parameters, { name: what });
  }
  return checkSchema(jsonSchema ?? jsonSchemaOf(parameters, what), { name: what, enforced: false });
}

/** What libraries take for the arguments of some other function: schemas by name, where one schema is wanted. */
function refuseSchemasInside(parameters: unknown, what: string): void {
  for (const [key, value] of Object.entries(Object(parameters))) {
    if (!isStandardSchema(value)) continue;
    throw new TypeError(
      `${what}: ${key} is a schema of ${value["~standard"].vendor} by itself; ` +
        `make one schema of all arguments, such as z.object({ ${key}: … })`,
    );
  }
}

function returnsOf({ name, returns }: ToolDefinition): JsonSchema | undefined {
  if (returns === undefined) return undefined;
  const what = `returns of ${name}`;
  const schema = isStandardSchema(returns) ? jsonSchemaOf(returns, what) : returns;
  return checkSchema(schema, { name: what, enforced: false, ofObject: false }).schema;
}

/** The check of a JSON Schema; what its patterns need is loaded with the first call. */
function schemaCheck(sound: SoundSchema): Tool["check"] {
  let compiling: Promise<ReadonlyMap<string, Matcher>> | undefined;
  let matchers: ReadonlyMap<string, Matcher> | undefined = sound.patterns.size === 0
    ? new Map()
    : undefined;
  const fitsAtOnce = quickFit(sound);
  return async (args) => {
    if (!isObject(args)) return noObject(args);
    if (fitsAtOnce(args)) return { ok: true, value: args };
    matchers ??= await (compiling ??= compilePatterns(sound.patterns));
    const issues = findIssues(args, { sound, matchers });
    return issues.length === 0 ? { ok: true, value: args } : { ok: false, issues };
  };
}

/** The check of a library's schema. */
function standardCheck(schema: StandardSchema): Tool["check"] {
  return async (args) => isObject(args) ? await checkStandard(schema, args) : noObject(args);
}

function noObject(args: unknown): CheckedArguments {
  return { ok: false, issues: [`$: expected object, got ${showValue(args)}`] };
}
