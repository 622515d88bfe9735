/**
 * The interface that schema libraries share (Standard Schema 1), as far as it is used here, and its extension that gives a JSON Schema. No library is imported:
 * zod, valibot, arktype and others bring objects of this form.
 */
import type { JsonValue } from "../contracts/json.ts";
import type { CheckedArguments } from "../contracts/tool.ts";
import { showValue } from "./schema/show_value.ts";
import { stepInto } from "./schema/schema_node.ts";

/** A schema of a library. `Output` is what it makes of a value that fits. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** Everything that libraries share. */
  readonly "~standard": StandardSchemaProps<Input, Output>;
}

/** What a {@linkcode StandardSchema} can do. */
export interface StandardSchemaProps<Input = unknown, Output = Input> {
  /** The version of the interface. */
  readonly version: 1;
  /** The library's name. */
  readonly vendor: string;
  /** Checks a value. */
  readonly validate: (
    value: unknown,
  ) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
  /** Types only; never there when the program runs. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** The extension for JSON Schema, where the library has it. */
  readonly jsonSchema?: {
    /** The schema of what goes in. Throws where there is none. */
    readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
  } | undefined;
}

/** What a library says of a value. */
export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

/** A fault that a library found. */
export interface StandardSchemaIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where, from the outside in. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whether a value is a schema of a library. Some libraries' schemas are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if (typeof value !== "function" && (typeof value !== "object" || value === null)) return false;
  const props = (value as Partial<StandardSchema>)["~standard"];
  return typeof props === "object" && props !== null && typeof props.validate === "function";
}

/**
 * The JSON Schema of what a library's schema takes.
 *
 * @throws {TypeError} when the library has none for it; the message says what else to do.
 */
export function jsonSchemaOf(schema: StandardSchema, name: string): Record<string, unknown> {
  const { vendor, jsonSchema } = schema["~standard"];
  const wayOut = `give one as jsonSchema${
    vendor === "valibot"
      ? ", or wrap the schema with toStandardJsonSchema of @valibot/to-json-schema"
      : ""
  }`;
  if (typeof jsonSchema?.input !== "function") {
    const newer = vendor === "zod"
      ? ", such as z.toJSONSchema(schema) of zod 4, or take zod 4.2 or later"
      : "";
    throw new TypeError(
      `${name}: this schema of ${vendor} tells no JSON Schema; ${wayOut}${newer}`,
    );
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TypeError(`${name}: ${vendor} has no JSON Schema for it (${reason}); ${wayOut}`, {
      cause: error,
    });
  }
}

/** Faults that are told; a model mends a few at a time. */
const MAX_ISSUES = 8;
/** A library may quote a value in its message: a longer one is not told at all, since a part of it could be half a secret. */
const MAX_MESSAGE = 200;

/** Checks a value with a library's schema. */
export async function checkStandard(
  schema: StandardSchema,
  value: JsonValue,
): Promise<CheckedArguments> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value };
  const lines = result.issues.slice(0, MAX_ISSUES).map((issue) => issueLine(issue, value));
  const more = result.issues.length - MAX_ISSUES;
  return { ok: false, issues: more > 0 ? [...lines, `and ${more} more`] : lines };
}

function issueLine({ message, path = [] }: StandardSchemaIssue, value: unknown): string {
  let place = "$";
  let here = value;
  for (const step of path) {
    const key = typeof step === "object" ? step.key : step;
    place = stepInto(place, typeof key === "number" ? key : String(key));
    here = typeof here === "object" && here !== null && Object.hasOwn(here, key)
      ? Reflect.get(here, key)
      : undefined;
  }
  const words = message.length <= MAX_MESSAGE ? message : "does not fit";
  return `${place}: ${words}, got ${showValue(here)}`;
}
