/** Checks of what callers hand in: each throws at once, saying what was expected and what came. */
import { MAX_TIMER_MS } from "./call_life.ts";

/** Demands that a part is there and has its methods. */
export function needMethods(
  caller: string,
  parts: object,
  needed: { readonly [part: string]: readonly string[] },
): void {
  for (const [name, methods] of Object.entries(needed)) {
    const part: unknown = Reflect.get(parts, name);
    if (typeof part !== "object" || part === null) {
      const wanted = part === undefined
        ? "is required"
        : `must be an object with ${methodsOf(methods)}`;
      throw new TypeError(`${caller}: ${name} ${wanted}, got ${nameOf(part)}`);
    }
    const missing = methods.filter((method) => typeof Reflect.get(part, method) !== "function");
    if (missing.length > 0) {
      const wayOut = wayOutOf(name, part);
      throw new TypeError(`${caller}: ${name} lacks ${methodsOf(missing)}${wayOut}`);
    }
  }
}

/** What was likely meant: a list of tools, or the part of a store that has the name. */
function wayOutOf(name: string, part: object): string {
  if (name === "tools" && Array.isArray(part)) {
    return "; new ToolRegistry([…]) makes one of a list of tools";
  }
  const own: unknown = Reflect.get(part, name);
  return typeof own === "object" && own !== null ? `; its own ${name} may be meant` : "";
}

function methodsOf(names: readonly string[]): string {
  return `the method${names.length === 1 ? "" : "s"} ${names.join(" and ")}`;
}

/** Demands that fields, where they are given, are of a type. */
export function checkFields(
  caller: string,
  fields: { readonly [name: string]: unknown },
  type: "string" | "function",
): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || typeof value === type) continue;
    throw new TypeError(`${caller}: ${name} must be a ${type}, got ${nameOf(value)}`);
  }
}

/** The one named number, which must be whole and at least `least`. */
export function checkWhole(
  caller: string,
  named: { readonly [name: string]: number },
  least: number,
): number {
  const [name, value] = theOne(named);
  if (typeof value !== "number") {
    throw new TypeError(`${caller}: ${name} must be a number, got ${nameOf(value)}`);
  }
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(
      `${caller}: ${name} must be a whole number of at least ${least}, got ${value}`,
    );
  }
  return value;
}

/** The one named duration, which must be one that a timer can hold. */
export function checkMs(caller: string, named: { readonly [name: string]: number }): number {
  const [name, value] = theOne(named);
  if (typeof value !== "number") {
    throw new TypeError(`${caller}: ${name} must be a number, got ${nameOf(value)}`);
  }
  if (!(value > 0 && value <= MAX_TIMER_MS)) {
    throw new RangeError(
      `${caller}: ${name} must be more than 0 and at most ${MAX_TIMER_MS} ms, got ${value}`,
    );
  }
  return value;
}

function theOne<T>(named: { readonly [name: string]: T }): [string, T] {
  const [first] = Object.entries(named);
  if (first === undefined) throw new TypeError("there is nothing to check");
  return first;
}

/** What a value is, for a message. */
export function nameOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}

/** The one named number, where it is given: at least 0, `Infinity` for no bound. */
export function checkBound(
  caller: string,
  named: { readonly [name: string]: number | undefined },
): void {
  const [name, value] = theOne(named);
  if (value === undefined) return;
  if (typeof value !== "number") {
    throw new TypeError(`${caller}: ${name} must be a number, got ${nameOf(value)}`);
  }
  if (!(value >= 0)) {
    throw new RangeError(`${caller}: ${name} must be at least 0, got ${value}`);
  }
}
