/** Reads the arguments of a call for what the loop answers itself; the arguments of tools are read by the gate. */
import type { JsonValue } from "../contracts/json.ts";

/** The arguments by their names; none where the text is no JSON object: a client may hand over what it did not mark as broken. */
export function argumentsOf(json: string): Readonly<Record<string, JsonValue>> {
  try {
    const value: JsonValue = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value as Readonly<Record<string, JsonValue>> : {};
  } catch {
    return {};
  }
}
