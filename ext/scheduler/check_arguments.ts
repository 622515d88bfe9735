/** Checks the one object that a function of the scheduler takes, for both ways of calling. */
import type { JsonSchema } from "../../contracts/tool.ts";
import type { CheckedArguments } from "../../contracts/tool.ts";
import type { SchedulerFunction } from "./scheduler_functions.ts";

/** What the arguments come to. A property that is `null` counts as left out: models write it for what they do not want. */
export function checkArguments(
  args: unknown,
  { properties, required }: Pick<SchedulerFunction, "properties" | "required">,
): CheckedArguments {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    return { ok: false, issues: ["$: expected object"] };
  }
  const given = Object.entries(args).filter(([, value]) => value !== null);
  const issues = [
    ...required.filter((name) => !given.some(([key]) => key === name))
      .map((name) => `$.${name}: is missing`),
    ...given.flatMap(([name, value]) =>
      issueOf(value, Object.hasOwn(properties, name) ? properties[name] : undefined)
        .map((issue) => `$.${name.slice(0, 40).toWellFormed()}: ${issue}`)
    ),
  ];
  if (issues.length > 0) return { ok: false, issues: issues.slice(0, 10) };
  return { ok: true, value: Object.fromEntries(given) };
}

function issueOf(value: unknown, schema: JsonSchema | undefined): string[] {
  if (schema === undefined) return ["is no argument of this function"];
  if (schema.type === "integer") {
    const fits = Number.isSafeInteger(value) && Number(value) >= Number(schema.minimum);
    return fits ? [] : [`expected a whole number of at least ${Number(schema.minimum)}`];
  }
  if (typeof value !== "string") return [`expected string, got ${typeof value}`];
  const words = schema.enum as readonly string[] | undefined;
  return words === undefined || words.includes(value)
    ? []
    : [`expected one of ${words.join(", ")}`];
}
