/** Whether something that a caller hands over is a list of values in JSON, as arguments of calls are. Pure. */
import type { JsonValue } from "../contracts/json.ts";

/** What is nested deeper is taken for a circle. */
const MAX_DEPTH = 500;

/** Whether a value is such a list. Fields that hold `undefined` count as left out. */
export function isJsonList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value) && isJson(value, 0);
}

function isJson(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value !== "object") return false;
  // What a list has no value at is `undefined` to whoever reads it.
  if (Array.isArray(value)) return Array.from(value).every((one) => isJson(one, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  return Object.values(value).every((one) => one === undefined || isJson(one, depth + 1));
}
