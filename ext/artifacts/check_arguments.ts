/** Checks the arguments of the artifact functions against the few kinds of parameters that they have. Pure. */
import type { CheckedArguments, JsonSchema } from "../../contracts/tool.ts";

/** A parameter: what these functions need of JSON Schema. */
export type Parameter =
  & { readonly description?: string }
  & (
    | { readonly type: "string" }
    | { readonly type: "boolean" }
    | { readonly type: "integer"; readonly minimum: number; readonly maximum: number }
  );

/** The parameters of a function, which takes them as one object. */
export interface Parameters {
  /** Each by its name. */
  readonly properties: Readonly<Record<string, Parameter>>;
  /** The names of those that must be there. */
  readonly required: readonly string[];
}

/** The parameters as a schema. */
export function schemaOf({ properties, required }: Parameters): JsonSchema {
  return {
    type: "object",
    properties: { ...properties },
    required: [...required],
    additionalProperties: false,
  };
}

/** Checks one object of arguments; at most ten faults are told. One that may be left out may also be null. */
export function checkArguments(args: unknown, parameters: Parameters): CheckedArguments {
  const { properties, required } = parameters;
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    return { ok: false, issues: ["$: expected object"] };
  }
  const given = Object.entries(args)
    .filter(([name, value]) => value !== null || !isOptional(name, parameters));
  const issues = [
    ...required.filter((name) => !Object.hasOwn(args, name)).map((name) => `$.${name}: is missing`),
    ...given.flatMap(([name, value]) =>
      issueOf(value, Object.hasOwn(properties, name) ? properties[name] : undefined)
        .map((issue) => `$.${name.slice(0, 40).toWellFormed()}: ${issue}`)
    ),
  ];
  if (issues.length > 0) return { ok: false, issues: issues.slice(0, 10) };
  return { ok: true, value: Object.fromEntries(given) };
}

function isOptional(name: string, { properties, required }: Parameters): boolean {
  return Object.hasOwn(properties, name) && !required.includes(name);
}

function issueOf(value: unknown, parameter: Parameter | undefined): string[] {
  const type = value === null ? "null" : typeof value;
  switch (parameter?.type) {
    case undefined:
      return ["is no argument of this function"];
    case "string":
    case "boolean":
      return type === parameter.type ? [] : [`expected ${parameter.type}, got ${type}`];
    case "integer": {
      const { minimum, maximum } = parameter;
      const fits = Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
      return fits ? [] : [`expected a whole number from ${minimum} to ${maximum}`];
    }
  }
}
