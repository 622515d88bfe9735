/** Reads the arguments of scripts' calls. What is wrong is said with the function's name, what was expected and what came. */
import type { JsonValue } from "../../contracts/json.ts";

/** What a call was given: its function's name for errors, and the values. */
export interface CallArguments {
  /** The function. */
  readonly name: string;
  /** The arguments as the script gave them. */
  readonly args: readonly JsonValue[];
}

/** The text at a position. */
export function textAt({ name, args }: CallArguments, index: number, what: string): string {
  const value = args[index];
  if (typeof value === "string") return value;
  throw new TypeError(`${name}: ${what} must be a string, not ${kindOf(value)}`);
}

/** The options at a position: an object with these names only; absent or `null` is none. */
export function optionsAt(
  { name, args }: CallArguments,
  index: number,
  names: readonly string[],
): Readonly<Record<string, JsonValue>> {
  const value = args[index] ?? {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new TypeError(`${name}: the options must be an object, not ${kindOf(value)}`);
  }
  const unknown = Object.keys(value).find((key) => !names.includes(key));
  if (unknown === undefined) return value as Readonly<Record<string, JsonValue>>;
  throw new TypeError(`${name}: no option "${unknown}"; there are ${names.join(", ")}`);
}

/** A whole number among options, held between bounds; absent or `null` is none. */
export function wholeNumber(
  options: Readonly<Record<string, JsonValue>>,
  key: string,
  { least, most = Number.MAX_SAFE_INTEGER }: { readonly least: number; readonly most?: number },
): number | undefined {
  const value = options[key] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  const upTo = most === Number.MAX_SAFE_INTEGER ? ` from ${least}` : ` from ${least} to ${most}`;
  throw new RangeError(`${key} must be a whole number${upTo}, not ${JSON.stringify(value)}`);
}

/** Whether an option is set: `true`, or not there. */
export function isSet(options: Readonly<Record<string, JsonValue>>, key: string): boolean {
  const value = options[key] ?? false;
  if (typeof value === "boolean") return value;
  throw new TypeError(`${key} must be true or false, not ${kindOf(value)}`);
}

/** A text among options; absent or `null` is none. */
export function textOption(
  options: Readonly<Record<string, JsonValue>>,
  key: string,
): string | undefined {
  const value = options[key] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw new TypeError(`${key} must be a string, not ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}
